/**
 * The only list of refusals. A code is permanent: once published it keeps its meaning and its HTTP
 * status. `docs/reference/errors.md` is generated from this table (`npm run docs`).
 */
interface ErrorEntry {
  /** HTTP status, and `header_status` in the body. */
  readonly status: number;
  /** Default text for people; a refusal may have a more specific one. */
  readonly text: string;
  /** When it occurs and what the caller should do. Goes into the reference page. */
  readonly when: string;
  /** Occurs only in the console's API, which is not part of the contract with vendors. */
  readonly consoleOnly?: true;
}

export const ERRORS = {
  malformed_request: {
    status: 400,
    text: 'The request could not be read',
    when: 'The body does not match its content type, or a value contains an invalid character: a control character, a lone surrogate or a broken escape. `field` names the parameter, if known.',
  },
  ambiguous_request: {
    status: 400,
    text: 'Parameters must be sent once, in one place',
    when: 'Parameters were sent both in the query string and in the body, or a parameter was sent twice. Send each parameter once, all of them in one place.',
  },
  nested_value: {
    status: 400,
    text: 'Values must be plain text or numbers',
    when: 'A JSON value is an object, an array or a boolean, or a multipart part is a file. A request must be a flat list of names and text values.',
  },
  unknown_field: {
    status: 400,
    text: 'This operation has no such parameter',
    when: 'The request has a parameter that the operation does not know. Names are part of the signed text, so unknown parameters are refused. The unsigned operations ignore them.',
  },
  ambiguous_value: {
    status: 400,
    text: 'A value must not contain “&” followed by the name of a parameter and “=”',
    when: 'A value contains `&` followed by the name of a parameter of any operation and `=`, as in `1&amount=5`. Two different requests could then have the same signature.',
  },
  missing_field: {
    status: 400,
    text: 'A required parameter is missing',
    when: 'The parameter named by `field` is required, but absent, null or empty.',
  },
  invalid_field: {
    status: 400,
    text: 'A parameter has an invalid value',
    when: 'The parameter named by `field` does not have the required form; `text` describes it.',
  },
  file_mismatch: {
    status: 400,
    text: 'The file does not match the signed SHA-256',
    when: 'Upload of a file: the SHA-256 of the file that arrived is not `sha256`. Nothing was accepted. Compute it over exactly the bytes you send.',
  },
  invalid_file: {
    status: 400,
    text: 'The file could not be read',
    when: 'Upload of a file: the file has no rows, is not UTF-8, has an unclosed quote, or has an unknown column in its header. Nothing was accepted. An error in one row refuses only that row.',
  },
  amount_below_minimum: {
    status: 400,
    text: 'The amount is below the biller’s minimum',
    when: 'The amount is less than the biller’s `minimum_balance`.',
  },
  amount_above_maximum: {
    status: 400,
    text: 'The amount is above the biller’s maximum',
    when: 'The amount is more than the biller’s `maximum_amount`.',
  },
  unsupported_currency: {
    status: 400,
    text: 'Only KES is supported',
    when: 'The currency is three letters, but not `KES` in capital letters. Anything else is `invalid_field`.',
  },
  stale_time: {
    status: 400,
    text: 'The request’s time is too far from the server’s time',
    when: 'The `time` of a fund request differs from the server’s clock by more than the allowed window. Send the current time.',
  },
  unknown_biller: {
    status: 404,
    text: 'There is no such biller; the biller list has the codes',
    when: 'The biller code is not in the biller list.',
  },
  validation_unavailable: {
    status: 400,
    text: 'This biller does not offer account validation',
    when: 'Account validation is available only for some billers.',
  },
  signature_invalid: {
    status: 401,
    text: 'The vendor or the signature is not valid',
    when: 'The `hash` or the `X-Signature` does not match, or the `vid` is unknown; the response is the same for both. Check the key and the order of the names, and sign values exactly as you send them. In the sandbox `signed_text` shows the text to sign, and `vid_known` whether the `vid` is known.',
  },
  signature_v2_required: {
    status: 401,
    text: 'This vendor or collector must sign with the X-Signature header',
    when: 'The request has no `X-Signature` header of version 2. This vendor (or collector) must sign every request with it, or the operation belongs to the self-service API, which accepts no other signature.',
  },
  signature_expired: {
    status: 401,
    text: 'The signature’s time is too old or in the future',
    when: 'The time `t` of a valid `X-Signature` differs from the server’s clock by more than 300 seconds. Set your clock and sign the request again.',
  },
  signature_replayed: {
    status: 401,
    text: 'This signature was used before',
    when: 'The nonce was used before with this key. To repeat a request, sign it again with a new nonce: the same `merchant_reference` (or `requestReference`, or collection `reference`) then returns the first response again.',
  },
  vendor_suspended: {
    status: 403,
    text: 'This vendor is suspended',
    when: 'The signature is valid, but the company that runs the service has suspended the vendor.',
  },
  collector_not_allowed: {
    status: 403,
    text: 'This collector may not report income for this vendor',
    when: 'The collector’s signature is valid, but the vendor is outside the collector’s scope or does not exist.',
  },
  insufficient_float: {
    status: 402,
    text: 'The billing balance does not cover the amount',
    when: 'The float is smaller than the amount and its fee. Call fund after income has been collected, then create again with the same `merchant_reference`.',
  },
  unknown_path: {
    status: 404,
    text: 'Unknown path',
    when: 'The path is not one of the service’s operations.',
  },
  unknown_reference: {
    status: 404,
    text: 'This reference is unknown. Send one of your own payments or enquiries',
    when: 'The reference is unknown, malformed, or belongs to another vendor; the response is the same for all three.',
  },
  unknown_batch: {
    status: 404,
    text: 'Unknown batch reference',
    when: 'The `batch_reference` (or `batchReference`) is unknown or belongs to another vendor; the response is the same for both.',
  },
  unknown_prefix: {
    status: 404,
    text: 'No operator is known for this prefix',
    when: 'The three digits are not in the prefix table.',
  },
  subject_not_found: {
    status: 404,
    text: 'No customer is known by these documents',
    when: 'Scoring operation: none of the documents belongs to a person on file. For a vendor with strict enquiries also if the names do not agree, or the documents do not belong to one person. The enquiry is recorded.',
  },
  subject_mismatch: {
    status: 422,
    text: 'The names do not agree with the documents',
    when: 'Scoring operation, for vendors with open enquiries only: the documents are on file, but not under these names. At least two names must agree. Nothing about the person is disclosed; the enquiry is recorded.',
  },
  subject_ambiguous: {
    status: 422,
    text: 'The documents do not belong to one person',
    when: 'Scoring operation, for vendors with open enquiries only: the documents belong to more than one person, or one of them contradicts what is on file. Nothing is disclosed; a person reviews the case.',
  },
  unknown_vendor: {
    status: 404,
    text: 'Unknown vendor',
    when: 'A collector that may report income for every vendor named a `vid` that does not exist.',
  },
  method_not_allowed: {
    status: 405,
    text: 'This method is not supported here; the Allow header has those that are',
    when: 'The path exists with another method; the `Allow` header names it.',
  },
  reference_reused: {
    status: 409,
    text: 'This reference was used for a different request. Use a new one for a new request',
    when: 'The same `merchant_reference` (or collection reference, `requestReference` for the same operation, reference of a file, or `idempotency_key`) was used before with other content. For a create or a collection, `reference` is our reference of the first request. Use a new reference for a new payment or enquiry; repeat the same content to get the first answer again.',
  },
  likely_duplicate: {
    status: 409,
    text: 'This looks like a repeat of a recent transaction',
    when: 'A transaction to the same biller and account with the same amount was created within the last 30 seconds, or 120 for some vendors. `reference` is its `ipay_reference`: query its status. If you want to make the same payment twice, send a `merchant_reference`.',
  },
  payload_too_large: {
    status: 413,
    text: 'The request is too large',
    when: 'The body or one of its parts exceeds the published limits.',
  },
  unsupported_media_type: {
    status: 415,
    text: 'Send the body as application/json, application/x-www-form-urlencoded or multipart/form-data',
    when: 'Send `application/json`, `application/x-www-form-urlencoded` or `multipart/form-data`, in UTF-8 and without `Content-Encoding`.',
  },
  too_many_requests: {
    status: 429,
    text: 'Too many requests. Wait before you repeat this one',
    when: 'A limit was exceeded: on requests, on changes of the same kind, on reads that wait for each other, or on enquiries that find nobody. Wait as long as `Retry-After` says.',
  },
  internal_error: {
    status: 500,
    text: 'Internal error',
    when: 'An error in the service. Report the `request_id`. A create can be repeated with the same `merchant_reference` without paying twice.',
  },
  biller_offline: {
    status: 503,
    text: 'The biller is offline',
    when: 'The biller or its operator is down or under maintenance. Query the biller’s status and create again later.',
  },
  overloaded: {
    status: 503,
    text: 'The service is busy',
    when: 'A queue is full, or (account validation) the operator is at its limit. Nothing was accepted. Repeat after `Retry-After` seconds.',
  },
  unavailable: {
    status: 503,
    text: 'The service cannot reach its database',
    when: 'Nothing was accepted. Repeat after `Retry-After` seconds.',
  },
  outcome_unknown: {
    status: 503,
    text: 'It is not known whether the request was accepted',
    when: 'The database became unavailable while the request was being committed. Repeat the same request, with the same `merchant_reference` (create), `time` (fund), `reference` (collections), `batch_reference` (bulk), `requestReference` (scoring), `batchReference` (batch scoring) or `idempotency_key` (rotation of a key). It is then accepted once, or the first response is returned.',
  },
  quarantine: {
    status: 503,
    text: 'The service was restored from a backup and does not know every transaction yet',
    when: 'The reference of the query is not in the restored ledger, or a row of a file was not decided in it. The payment may have been accepted and paid after the backup: do not treat it as failed, and do not create it again. Query later; until then billers are OFFLINE.',
  },
  scoring_unavailable: {
    status: 503,
    text: 'Credit information is not set up here',
    when: 'The company that runs the service has not configured the credit registry (`CREDIT_INDEX_KEY`).',
  },
  bureau_unavailable: {
    status: 503,
    text: 'The credit bureau cannot be reached',
    when: 'An upstream bureau answers scoring operations, and it did not accept the enquiry. Nothing was billed. Repeat with the same `requestReference`.',
  },
  bureau_outcome_unknown: {
    status: 503,
    text: 'The credit bureau did not answer in time',
    when: 'The upstream bureau may have accepted the enquiry, but did not answer. Repeat with the same `requestReference`, so that it is the same enquiry.',
  },
  operator_unavailable: {
    status: 503,
    text: 'The operator did not answer',
    when: 'Account validation needs the operator’s answer, which did not come in time. Nothing is known about the account.',
  },
  not_signed_in: {
    status: 401,
    text: 'Sign in first',
    when: 'Nobody is signed in, or the session has ended.',
    consoleOnly: true,
  },
  sign_in_failed: {
    status: 401,
    text: 'The name, the password or the code is wrong',
    when: 'The person does not exist or is disabled, or the password or the one-time code is wrong.',
    consoleOnly: true,
  },
  code_required: {
    status: 401,
    text: 'Enter the code of your authenticator app',
    when: 'The password is correct; the one-time code is missing.',
    consoleOnly: true,
  },
  link_invalid: {
    status: 404,
    text: 'This link has been used or has expired',
    when: 'The one-time link is unknown, used or expired. Ask an administrator for a new one.',
    consoleOnly: true,
  },
  not_permitted: {
    status: 403,
    text: 'Your role does not allow this',
    when: 'The person’s role lacks the permission, or the request does not come from the console’s own page.',
    consoleOnly: true,
  },
  not_confirmed: {
    status: 403,
    text: 'Another administrator must confirm you before you can see or change anything',
    when: 'An administrator made the one-time link that the person signed in with, or changed the person’s role, and no other administrator has confirmed the person yet.',
    consoleOnly: true,
  },
  console_read_only: {
    status: 403,
    text: 'The console is read-only',
    when: 'The service runs with CONSOLE_READ_ONLY=true.',
    consoleOnly: true,
  },
  not_found: {
    status: 404,
    text: 'Not found',
    when: 'The requested object does not exist or belongs to another vendor.',
  },
  changed_meanwhile: {
    status: 409,
    text: 'This was changed in the meantime',
    when: 'The state on which the action was based is no longer the current one. Read it again.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

interface RefusalDetails {
  /** Name of the request parameter at fault. */
  readonly field?: string;
  /** More specific than the default text. Must not repeat values that may be personal. */
  readonly text?: string;
  /** The `ipay_reference` of the earlier payment that the refusal is about; of the same vendor. */
  readonly reference?: string;
  /** Seconds after which to retry (`Retry-After`). */
  readonly retryAfterSeconds?: number;
  /** In the sandbox only. */
  readonly explanation?: SignatureExplanation | undefined;
  readonly cause?: unknown;
}

/** Why a signature is invalid. Contains the request’s values, so it must not be logged. */
export interface SignatureExplanation {
  /** The text that should have been signed. */
  readonly signedText: string;
  /** False: the request names a signer that does not exist. */
  readonly vidKnown: boolean;
}

/**
 * A request refused for a reason that the caller can act on. It is thrown, because throwing rolls
 * back.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly reference: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly explanation: SignatureExplanation | undefined;

  constructor(code: ErrorCode, details: RefusalDetails = {}) {
    super(
      details.text ?? ERRORS[code].text,
      details.cause === undefined ? {} : { cause: details.cause },
    );
    this.name = 'Refusal';
    this.code = code;
    this.status = ERRORS[code].status;
    this.field = details.field;
    this.reference = details.reference;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.explanation = details.explanation;
  }
}
