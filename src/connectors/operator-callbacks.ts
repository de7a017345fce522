import type { FinalOutcome, StatusQuery } from './operator-outcomes.ts';

/** Reads and answers the operator's callbacks. */
export interface Callbacks {
  /** The response that the operator expects for an accepted callback: JSON content, or a text. */
  readonly acceptedBody: object | string;
  /**
   * True if a callback that is believed names its payment only by the handle. Then the handles of
   * payments that have ended are kept too.
   */
  readonly keepsHandles: boolean;
  /**
   * @param find looks up payments of this operator, so that a callback is compared with the
   * instruction.
   */
  read(request: CallbackRequest, find: PaymentFinder): Promise<CallbackReading>;
}

/** A callback as received over HTTP. */
export interface CallbackRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The path after `/callbacks/<operator>`, without the leading slash. */
  readonly path: string;
  /** The bytes as received, for the signature. */
  readonly body: Buffer;
}

export interface PaymentFinder {
  byReference(reference: string): Promise<SentPayment | undefined>;
  /**
   * The open payment, or with `keepsHandles` also one of which an attempt had the handle. Undefined if several
   * have it.
   */
  byHandle(operatorHandle: string): Promise<SentPayment | undefined>;
}

/** A payment for which an instruction was sent. For a settled payment, the last attempt. */
export interface SentPayment extends StatusQuery {
  readonly isOpen: boolean;
  /** The handle by which it was found is that of an earlier attempt: a report by it says nothing about the last. */
  readonly isEarlier?: boolean;
}

/** A callback's report about one payment. */
export interface CallbackReport {
  readonly reference: string;
  readonly outcome: FinalOutcome | Hint | Mismatch;
}

/**
 * The report of an unsigned callback. It is not trusted: the operator is queried at once. If the
 * payment is already settled and `says` contradicts it, a case is opened. If the callback can be
 * forged, only the reference is used.
 */
export interface Hint {
  readonly kind: 'hint';
  /** The handle to query with from now on; null: unchanged. */
  readonly operatorHandle: string | null;
  readonly says: FinalOutcome | null;
}

/**
 * The callback does not match the payment that it names (it has another handle, for example).
 * People look at it.
 */
export interface Mismatch {
  readonly kind: 'mismatch';
  readonly reason: string;
  readonly says: FinalOutcome | null;
}

export type CallbackReading =
  | { readonly kind: 'reports'; readonly reports: readonly CallbackReport[] }
  /**
   * From the operator, but its body cannot be read: it is kept for people. The operator is asked about the payment that
   * its URL names, if it can be. Null: it names none.
   */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly reference: string | null }
  /** The answer to `balance`. */
  | { readonly kind: 'balance'; readonly balanceCents: bigint }
  /** Not from the operator: wrong signature, stale, malformed. Nothing is changed. */
  | { readonly kind: 'refused'; readonly reason: string };
