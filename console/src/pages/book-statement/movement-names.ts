import { useLingui } from '@lingui/react/macro';

/** What movements are called, by their name in the API. */
export function useMovementNames(): Readonly<Record<string, string>> {
  const { t } = useLingui();
  return {
    collected: t`Collected`,
    funded: t`Moved into the float`,
    reserved: t`Reserved`,
    paid: t`Paid`,
    fee: t`Fee`,
    VAT: t`VAT`,
    released: t`Given back`,
    correction: t`Correction`,
    cost: t`Cost`,
    commission: t`Commission`,
    'paid out': t`Paid out to the bank`,
    'top up': t`Top-up`,
    charges: t`Charges`,
    opening: t`Opening of the books`,
    entry: t`Entry`,
    journal: t`Journal`,
  };
}
