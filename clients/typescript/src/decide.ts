import { detailsOf } from './errors.ts';
import type { ErrorDetails } from './errors.ts';

/** `write`: the service keeps something of the request. Only then can its outcome be unknown. */
export type Effect = 'read' | 'write';

export type Body = Readonly<Record<string, unknown>>;

/** The result of one attempt. `notSent`: no connection, so the service knows nothing of it. */
export type Attempt =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly text: string;
      readonly retryAfter: string | null;
    }
  | { readonly kind: 'notSent' | 'noAnswer'; readonly reason: string };

export interface Failure {
  readonly kind: 'refused' | 'unavailable' | 'unknown';
  readonly details: ErrorDetails;
  /** True: the same request may be sent again after a wait. */
  readonly retry: boolean;
}

export type Verdict = { readonly kind: 'success'; readonly body: Body } | Failure;

/** Codes that say that nothing was accepted, and that it may be later. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'overloaded',
  'unavailable',
  'too_many_requests',
  'biller_offline',
  'operator_unavailable',
  'scoring_unavailable',
  'bureau_unavailable',
]);

/** Waiting some seconds does not help. */
const NOT_RETRIED: ReadonlySet<string> = new Set([
  'biller_offline',
  'scoring_unavailable',
  'quarantine',
]);

/** Judges one attempt on its own. Pure. @param form `resource`: an operation below `/v1`. */
export function judge(
  attempt: Attempt,
  effect: Effect,
  form: 'operation' | 'resource' = 'operation',
): Verdict {
  if (attempt.kind !== 'answer') {
    const connected = attempt.kind === 'noAnswer';
    const code = connected ? 'no_answer' : 'not_connected';
    const details = detailsOf({ code, text: attempt.reason });
    return failure(connected ? 'unknown' : 'unavailable', details, effect);
  }
  const body = parse(attempt.text);
  const found = body?.['error'];
  const error = Array.isArray(found) ? (found[0] as unknown) : found;
  // The body's status counts: something on the way may have changed the other.
  const bodyStatus = form === 'resource' ? attempt.status : body?.['header_status'];
  const status = typeof bodyStatus === 'number' ? bodyStatus : attempt.status;
  if (body !== undefined && bodyStatus === 200 && !('error' in body)) {
    return { kind: 'success', body };
  }
  const seconds = Number(attempt.retryAfter ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
  if (isRecord(error) && typeof error['code'] === 'string') {
    const { code } = error;
    const details = detailsOf({
      code,
      text: textOf(error['text']) ?? code,
      status,
      requestId: textOf(body?.['request_id'] ?? error['request_id']),
      field: textOf(error['field']),
      reference: textOf(error['reference']),
      signedText: textOf(error['signed_text']),
      retryAfterSeconds,
    });
    return failure(kindOfRefusal(code, status), details, effect);
  }
  const text = `HTTP ${attempt.status} with a body that is not a response of the service`;
  const details = detailsOf({ code: 'unexpected_answer', text, status, retryAfterSeconds });
  return failure(kindOfStatus(status), details, effect);
}

function kindOfRefusal(code: string, status: number): 'refused' | 'unavailable' | 'unknown' {
  if (UNAVAILABLE.has(code)) return 'unavailable';
  // An identical request arrived before: something on the way repeated it, and the first may be accepted.
  if (code === 'signature_replayed') return 'unknown';
  // A code that is not known here may mean anything.
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
}

/** Without the service's own body: the answer of a proxy. */
function kindOfStatus(status: number): 'refused' | 'unavailable' | 'unknown' {
  if (status === 429) return 'unavailable';
  return status >= 300 && status < 500 && status !== 408 ? 'refused' : 'unknown';
}

/** A successful answer without what this client needs of it. */
export function unreadable(effect: Effect): Failure {
  const text = 'The response lacks fields that it should have';
  const details = detailsOf({ code: 'unexpected_answer', text, status: 200 });
  return { ...failure('unknown', details, effect), retry: false };
}

function failure(
  found: 'refused' | 'unavailable' | 'unknown',
  details: ErrorDetails,
  effect: Effect,
): Failure {
  const { code } = details;
  // Nothing is accepted by a read. A restored service, however, may have accepted the payment before.
  const nothingAccepted = effect === 'read' && found === 'unknown' && code !== 'quarantine';
  const kind = nothingAccepted ? 'unavailable' : found;
  return { kind, details, retry: kind !== 'refused' && !NOT_RETRIED.has(code) };
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/**
 * Returns the wait before the next attempt: as long as the service asks, otherwise twice as long
 * each time, with a random part so that clients do not return all at once.
 */
export function waitMs(details: ErrorDetails, attempts: number, random: number): number {
  if (details.retryAfterSeconds !== null) return details.retryAfterSeconds * 1000;
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return full / 2 + (full / 2) * random;
}

/** Returns the wait before the next status query of a payment that is not final. */
export function pollMs(queries: number): number {
  return Math.min(5_000, 400 * 1.5 ** (queries - 1));
}

function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
