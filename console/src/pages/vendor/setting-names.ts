import { useLingui } from '@lingui/react/macro';
import type {
  DuplicateCheck,
  EnquiryPolicy,
  Sector,
  SignatureVersion,
  StatusText,
} from '../../../../src/parties/vendor.ts';

/** Names of sectors. */
export function useSectors(): Readonly<Record<Sector, string>> {
  const { t } = useLingui();
  return {
    bank: t`Bank`,
    microfinance: t`Microfinance`,
    sacco: t`SACCO`,
    mobile_lender: t`Mobile lender`,
    insurance: t`Insurance`,
    retail: t`Retail`,
    utility: t`Utility`,
    other: t`Other`,
  };
}

/** Names of the values of a vendor's settings. */
export function useSettingNames(): {
  readonly duplicateCheck: Readonly<Record<DuplicateCheck, string>>;
  readonly referenceRequired: Readonly<Record<'true' | 'false', string>>;
  readonly enquiryPolicy: Readonly<Record<EnquiryPolicy, string>>;
  readonly statusText: Readonly<Record<StatusText, string>>;
  readonly signature: Readonly<Record<SignatureVersion, string>>;
} {
  const { t } = useLingui();
  return {
    duplicateCheck: {
      off: t`never`,
      without_reference: t`payments without a reference`,
      always: t`every payment`,
    },
    referenceRequired: { true: t`required`, false: t`optional` },
    enquiryPolicy: {
      strict: t`strict: names and consent are required`,
      open: t`open: neither is required`,
    },
    statusText: { object: t`an object with the operator’s fields`, sentence: t`a sentence` },
    signature: { v1: t`v1: the hash is enough`, v2: t`v2: every request is signed by header` },
  };
}
