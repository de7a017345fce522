import type { SignatureHint } from '../parties/compare-texts.ts';

/** Shapes of the API’s answers about vendors' requests; `answers.ts` says how values look. */

/** An answered request, without anything that was sent. */
export interface RequestView {
  readonly requestId: string;
  readonly at: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** Code of the refusal; null: it was not refused. */
  readonly code: string | null;
  readonly durationMs: number;
  /** Null: the signature was invalid, or the operation is not signed: anybody may have sent it. */
  readonly keyId: string | null;
}

/** `GET /vendors/:vid/requests`, newest first. */
export interface RequestsAnswer {
  readonly requests: readonly RequestView[];
  /** Cursor of the next page; null: there are no older ones. */
  readonly next: string | null;
  /** Retention of the requests in days. */
  readonly days: number;
}

/** `POST /vendors/:vid/signature`: what we would sign, compared with what was signed. */
export interface SignatureCompared {
  /** The text that has to be signed. */
  readonly ours: string;
  /** The text that was signed, as pasted; null: none was. */
  readonly yours: string | null;
  /** Where the two differ first, in characters from 0; null: they are equal, or there is one only. */
  readonly differsAt: number | null;
  /** The usual mistake behind such a difference; null: none that we know. */
  readonly hint: SignatureHint | null;
  /**
   * True if the `hash` or header signature that was sent is right under one of the vendor's keys; null:
   * none was sent.
   */
  readonly isHashRight: boolean | null;
}
