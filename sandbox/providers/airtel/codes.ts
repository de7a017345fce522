/** The documented response codes of disbursements. */
export const CODES = {
  ambiguous: 'DP00900001000',
  success: 'DP00900001001',
  daily_limit: 'DP00900001003',
  invalid_amount: 'DP00900001004',
  failed: 'DP00900001005',
  in_process: 'DP00900001006',
  insufficient_funds: 'DP00900001007',
  invalid_initiatee: 'DP00900001009',
  user_not_allowed: 'DP00900001010',
  similar_exists: 'DP00900001011',
  invalid_number: 'DP00900001012',
  refused: 'DP00900001013',
  timed_out: 'DP00900001014',
  not_found: 'DP00900001015',
  duplicate_id: 'DP00900001017',
} as const;

export type Code = keyof typeof CODES;

const MESSAGES: Readonly<Record<Code, string>> = {
  ambiguous:
    'The transaction is still processing and is in ambiguous state. Please do the transaction enquiry to fetch the transaction status.',
  success: 'Transaction is successful.',
  daily_limit: 'Maximum transaction limit reached for the day.',
  invalid_amount: 'Amount entered is out of range with respect to defined limits.',
  failed: 'Transaction failed.',
  in_process: 'Transaction is in process.',
  insufficient_funds: 'Not enough funds in account to complete the transaction.',
  invalid_initiatee: 'Initiatee of the transaction is invalid.',
  user_not_allowed: 'Payer is not an allowed user.',
  similar_exists: 'Duplicate exttRID',
  invalid_number: 'Mobile number entered is incorrect.',
  refused: 'The transaction was refused.',
  timed_out: 'The transaction may be processed or failed due to time out.',
  not_found: 'The transaction was not found.',
  duplicate_id: 'Duplicate Transaction Id.',
};

/** Numbers that end so are refused at once. */
const REFUSALS: Readonly<Record<string, Code>> = {
  9902: 'invalid_number',
  9933: 'daily_limit',
  9934: 'invalid_amount',
  9935: 'failed',
  9937: 'insufficient_funds',
  9939: 'invalid_initiatee',
  9940: 'user_not_allowed',
  9943: 'refused',
};

export function refusalOf(suffix: string): Code | undefined {
  return REFUSALS[suffix];
}

/** The part `status` of an answer. A refusal's `code` is 400, whatever the HTTP status. */
export function statusOf(code: Code, message = MESSAGES[code]) {
  const isSuccess = code === 'success';
  return {
    response_code: CODES[code],
    code: isSuccess ? 200 : 400,
    success: isSuccess,
    result_code: isSuccess ? 'ESB000010' : 'ESB000008',
    message,
  };
}
