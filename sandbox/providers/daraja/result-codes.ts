/** Texts of the documented result codes; the last two digits of the accounts that end with them. */
const CODES: Readonly<Record<string, { readonly text: string; readonly suffix: string }>> = {
  1: { text: 'The balance is insufficient for the transaction.', suffix: '9931' },
  2: { text: 'Declined due to limit rule', suffix: '9932' },
  3: {
    text: 'Declined due to limit rule: greater than the maximum transaction amount.',
    suffix: '9933',
  },
  4: { text: 'Declined due to limit rule: would exceed daily transfer limit', suffix: '9934' },
  8: { text: 'Declined due to limit rule: would exceed the maximum balance.', suffix: '9938' },
  11: { text: 'The DebitParty is in an invalid state.', suffix: '9941' },
  21: { text: 'The initiator is not allowed to initiate this request', suffix: '9951' },
  2001: { text: 'The initiator information is invalid.', suffix: '9961' },
  2006: {
    text: 'Declined due to account rule: The account status does not allow this transaction.',
    suffix: '9966',
  },
  2028: {
    text: 'The request is not permitted according to product assignment.',
    suffix: '9968',
  },
  2040: {
    text: "Credit Party customer type (Unregistered or Registered Customer) can't be supported by the service.",
    suffix: '9970',
  },
  8006: { text: 'The security credential is locked', suffix: '9986' },
  SFC_IC0003: { text: 'The operator does not exist.', suffix: '9993' },
};

/** The code with which payments to this account are declined; undefined for most accounts. */
export function declineCodeOf(suffix: string): string | undefined {
  return Object.entries(CODES).find(([, { suffix: own }]) => own === suffix)?.[0];
}

export function descriptionOf(code: string): string {
  return CODES[code]?.text ?? 'System internal error.';
}
