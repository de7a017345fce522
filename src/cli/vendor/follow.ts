import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../../platform/base/plain-error.ts';
import { reasonOf, requireSuccess } from './api.ts';
import type { ApiAnswer, VendorApi } from './api.ts';

/** An event as the self-service API lists it. */
export interface ListedEvent {
  readonly webhook_id: string;
  readonly type: string;
  readonly reference: string | null;
  readonly payload: object;
  readonly delivery: { readonly state: string };
}

interface Follow {
  /** The time of the first event that is wanted; undefined: the next event. */
  readonly since: string | undefined;
  readonly signal: AbortSignal;
  /** Called when the service stops answering, and when it answers again. */
  readonly onTrouble: (text: string) => void;
}

const WAIT_SECONDS = '10';
const PAGE = '50';
const PAUSE_MS = 1_000;
/** The service answers at once while two other requests of the vendor wait. */
const EMPTY_PAUSE_MS = 500;

/** Where a request continues. Without a cursor, at `since`. */
interface Position {
  readonly since: string;
  readonly cursor?: string;
}

/**
 * The vendor's events in the order in which they happened, each once, until the signal. An outage of the
 * service is waited for: the cursor continues where it was.
 * Resolves when it is known which event is the first: without `since`, one that is not listed yet.
 * Throws: `PlainError` for a refusal that would not go away.
 */
export async function followEvents(
  api: VendorApi,
  follow: Follow,
): Promise<AsyncGenerator<ListedEvent>> {
  const ask = createAsk(api, follow);
  const { since, signal } = follow;
  return read(ask, since === undefined ? await findEnd(ask) : { since }, signal);
}

async function* read(
  ask: Ask,
  start: Position | undefined,
  signal: AbortSignal,
): AsyncGenerator<ListedEvent> {
  let position = start;
  while (position !== undefined) {
    const page = await readPage(ask, position, WAIT_SECONDS);
    if (page === undefined) return;
    yield* page.items;
    position = page.next;
    if (page.items.length === 0) await pause(EMPTY_PAUSE_MS, signal);
  }
}

/**
 * The position after all events that are listed now. Undefined: the signal came first. The service's clock,
 * which the response has in seconds, only limits how many are read.
 */
async function findEnd(ask: Ask): Promise<Position | undefined> {
  const now = await ask('/v1/events', { limit: '1' });
  let position: Position = { since: (now?.at ?? new Date()).toISOString() };
  for (;;) {
    const page = await readPage(ask, position, '0');
    if (page === undefined) return undefined;
    if (page.items.length === 0) return page.next;
    position = page.next;
  }
}

async function readPage(
  ask: Ask,
  { since, cursor }: Position,
  wait: string,
): Promise<{ readonly items: readonly ListedEvent[]; readonly next: Position } | undefined> {
  const query = { since, wait, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
  const answer = await ask('/v1/events', query);
  if (answer === undefined) return undefined;
  const { items, next_cursor: next } = answer.body as {
    readonly items: readonly ListedEvent[];
    readonly next_cursor: string;
  };
  return { items, next: { since, cursor: next } };
}

type Ask = (
  path: string,
  query: Readonly<Record<string, string>>,
) => Promise<ApiAnswer | undefined>;

/** Asks until there is an answer. Undefined: the signal came first. */
function createAsk(api: VendorApi, { signal, onTrouble }: Follow): Ask {
  let isTroubled = false;
  return async (path, query) => {
    while (!signal.aborted) {
      const answer = await api
        .call('GET', path, { query, signal })
        .catch((error: unknown) => reasonOf(error));
      if (signal.aborted) return undefined;
      const trouble = troubleIn(answer);
      if (typeof answer !== 'string' && trouble === undefined) {
        if (isTroubled) onTrouble('the service answers again');
        isTroubled = false;
        requireSuccess(answer);
        return answer;
      }
      if (!isTroubled) onTrouble(`the service does not answer (${trouble}); trying again`);
      isTroubled = true;
      const seconds = typeof answer === 'string' ? undefined : answer.retryAfterSeconds;
      await pause(seconds === undefined ? PAUSE_MS : seconds * 1_000, signal);
    }
    return undefined;
  };
}

/** Ends early with the signal. */
async function pause(forMs: number, signal: AbortSignal): Promise<void> {
  await delay(forMs, undefined, { signal }).catch(() => undefined);
}

/** Describes trouble that goes away by itself; undefined: an answer, or a refusal that stays. */
function troubleIn(answer: ApiAnswer | string): string | undefined {
  if (typeof answer === 'string') return answer;
  return answer.status >= 500 || answer.status === 429 ? `HTTP ${answer.status}` : undefined;
}

/**
 * Makes sure that the vendor's events are recorded, which they are for a vendor with a webhook. In the
 * sandbox it gets one that is disabled.
 * Throws: `PlainError` if they are not recorded.
 */
export async function requireRecording(api: VendorApi): Promise<void> {
  const answer = await api.call('GET', '/v1/webhook').catch((error: unknown) => {
    throw new PlainError(`The service does not answer: ${reasonOf(error)}`);
  });
  if (answer.status !== 404) {
    requireSuccess(answer);
    return;
  }
  await api.control('POST', '/events/recording').catch((error: unknown) => {
    throw new PlainError(
      'Events are recorded for vendors with a webhook only. Set one in the console or with PUT /v1/webhook; it may be disabled.',
      { cause: error },
    );
  });
}
