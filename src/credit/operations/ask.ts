import { Type } from 'typebox';
import type { Vendor } from '../../parties/vendor.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { createValidator } from '../../platform/http/validate.ts';
import type { BureauFinding, CreditOperation } from '../bureaus/bureau.ts';
import type { AnswerContext } from './answers.ts';
import { contextOf, enquiryFields, enquiryOf } from './enquiry.ts';
import type { ScoringDeps, ScoringRequest } from './enquiry.ts';
import { reportSector } from './fields.ts';
import { presentGeneric } from './generic-score.ts';
import { presentIdentity } from './id-decision.ts';
import { presentMobile } from './mobile-loan-score.ts';

const PRESENT: Readonly<
  Record<CreditOperation, (finding: BureauFinding, context: AnswerContext) => object>
> = {
  'id-decision': presentIdentity,
  'generic-score': presentGeneric,
  'mobile-loan-score': presentMobile,
};

const withoutSector = createValidator(Type.Object(enquiryFields));
const withSector = createValidator(Type.Object({ ...enquiryFields, reportSector }));

/** Marks a person who asked in the console, where records otherwise name a vendor's key. */
const PERSON = 'person ';

/** The person's sign-in name; undefined: a vendor's key asked. */
export function personOf(keyId: string): string | undefined {
  return keyId.startsWith(PERSON) ? keyId.slice(PERSON.length) : undefined;
}

/**
 * An enquiry that a person makes for a vendor: the same checks, answer, record and chain as the
 * operation, under the person's name. The customer's consent is required for every vendor.
 * Throws as the operations do, `vendor_suspended`, and `missing_field` without the consent.
 */
export async function askForPerson(
  deps: Pick<ScoringDeps, 'enquiryService' | 'clock' | 'timeZone'>,
  operation: CreditOperation,
  asked: {
    readonly fields: Readonly<Record<string, string>>;
    readonly vendor: Vendor;
    /** The person's sign-in name. */
    readonly login: string;
  },
): Promise<void> {
  const { fields, vendor, login } = asked;
  if (deps.enquiryService === undefined) throw new Refusal('scoring_unavailable');
  if (vendor.suspended) throw new Refusal('vendor_suspended', { field: 'vid' });
  const given = new Map(Object.entries({ ...fields, vid: vendor.vid }));
  const validate = operation === 'id-decision' ? withoutSector : withSector;
  const request: ScoringRequest = validate(given);
  for (const field of ['consentReference', 'consentDate'] as const) {
    if ((request[field] ?? '').trim() !== '') continue;
    throw new Refusal('missing_field', { field, text: 'The customer’s consent is required' });
  }
  const keyId = `${PERSON}${login}`;
  const enquiry = enquiryOf(deps, operation, { request, vendor, keyId });
  await deps.enquiryService.ask(enquiry, (finding, source) =>
    PRESENT[operation](finding, contextOf(deps, enquiry, source)),
  );
}
