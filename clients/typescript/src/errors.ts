/** Details of a call that did not succeed. */
export interface ErrorDetails {
  /** The service's error code, or `not_connected`, `no_answer`, `unexpected_answer`, `not_final`. */
  readonly code: string;
  /** The service's text for people. */
  readonly text: string;
  /** `header_status` or the HTTP status; null without a response. */
  readonly status: number | null;
  /** Quote it when you contact the company that runs the service. Null without a response. */
  readonly requestId: string | null;
  /** The parameter at fault, if there is one. */
  readonly field: string | null;
  /** The reference of the payment that the error is about, if it names one. */
  readonly reference: string | null;
  /** The wait that the service asks for. */
  readonly retryAfterSeconds: number | null;
  /** In the sandbox only, for `signature_invalid`: the text that should have been signed. */
  readonly signedText: string | null;
}

/** The base of `Refused`, `Unavailable` and `OutcomeUnknown`. */
export abstract class MalipoError extends Error implements ErrorDetails {
  readonly code: string;
  readonly text: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly field: string | null;
  readonly reference: string | null;
  readonly retryAfterSeconds: number | null;
  readonly signedText: string | null;
  /** Number of times that the request was sent. */
  readonly attempts: number;

  constructor(details: ErrorDetails, attempts: number, cause?: unknown) {
    const about = details.requestId === null ? '' : `, request ${details.requestId}`;
    super(`${details.text} (${details.code}${about})`, cause === undefined ? {} : { cause });
    this.code = details.code;
    this.text = details.text;
    this.status = details.status;
    this.requestId = details.requestId;
    this.field = details.field;
    this.reference = details.reference;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.signedText = details.signedText;
    this.attempts = attempts;
  }
}

/** The service refused the request. Nothing was accepted, and the same request will be refused again. */
export class Refused extends MalipoError {
  override readonly name = 'Refused';
}

/** The request could not be processed. Nothing was accepted. Repeat it later, with the same reference. */
export class Unavailable extends MalipoError {
  override readonly name = 'Unavailable';
}

/**
 * It is not known whether the request was accepted, or a payment has no final state yet. Repeat the
 * call with the **same** reference, or query the status by it. Never pay again with a new reference.
 */
export class OutcomeUnknown<Known = unknown> extends MalipoError {
  override readonly name = 'OutcomeUnknown';
  /** From `pay` and `waitFor`: the last known state of the payment, which was accepted. */
  readonly payment: Known | null;

  constructor(
    details: ErrorDetails,
    attempts: number,
    more: { readonly cause?: unknown; readonly payment?: Known | null } = {},
  ) {
    super(details, attempts, more.cause);
    this.payment = more.payment ?? null;
  }
}

/** The request is not a genuine event of the service. Respond with 401. */
export class WebhookInvalid extends Error {
  override readonly name = 'WebhookInvalid';
}

/** @internal */
export function detailsOf(
  known: Partial<ErrorDetails> & Pick<ErrorDetails, 'code' | 'text'>,
): ErrorDetails {
  return {
    status: null,
    requestId: null,
    field: null,
    reference: null,
    retryAfterSeconds: null,
    signedText: null,
    ...known,
  };
}
