import type { Logger } from 'pino';
import { Refusal } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { startPeriodicJob } from '../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { createLane } from '../platform/db/lane.ts';
import type { Pool, Queryable } from '../platform/db/pool.ts';
import type { HeaderSignature } from './header-signature.ts';
import type { Holder } from './keys.ts';
import { deleteExpiredNonces, insertNonces } from './nonces-store.ts';
import type { NonceUse } from './nonces-store.ts';

/** Remembers which signed requests were accepted, for all processes on the database. */
export interface NonceStore {
  /**
   * Claims the signature's nonce for this request alone.
   * Throws: `signature_replayed`; `overloaded` or `unavailable` if it could not be saved.
   */
  take(signer: NonceHolder, signature: HeaderSignature): Promise<void>;
  idle(): Promise<void>;
}

type NonceHolder = Holder & Pick<NonceUse, 'holderKind'>;

/** @param options.pool with one connection. */
export function createNonceStore(options: {
  readonly pool: Pool;
  readonly deadlineMs: number;
}): NonceStore {
  const lane = createLane<NonceUse, boolean>({
    name: 'nonces',
    pool: options.pool,
    maxBatch: LIMITS.nonceBatchRows,
    maxWaiting: LIMITS.nonceQueueRows,
    deadlineMs: options.deadlineMs,
    call: takeBatch,
  });
  const used = createUsedNonces();
  return {
    idle: async () => await lane.idle(),
    take: async ({ holderKind, holder }, { nonce, signedAtSeconds }) => {
      const name = `${holderKind} ${holder} ${nonce}`;
      if (used.has(name)) throw replayed();
      const keptSeconds = LIMITS.signatureWindowSeconds + LIMITS.nonceMarginSeconds;
      const expiresAt = new Date((signedAtSeconds + keptSeconds) * 1000);
      const use = { holderKind, holder, nonce, useId: newId(), expiresAt };
      const isFirst = await lane.add(use).catch(refuseAsUnavailable);
      used.add(name);
      if (!isFirst) throw replayed();
    },
  };
}

function replayed(): Refusal {
  return new Refusal('signature_replayed', { field: 'X-Signature' });
}

/** The last nonces that this process has seen: it writes nothing for a header that is sent again and again. */
function createUsedNonces(): { has(name: string): boolean; add(name: string): void } {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    add: (name) => {
      if (names.size >= LIMITS.limitedNames)
        for (const oldest of names) {
          names.delete(oldest);
          break;
        }
      names.add(name);
    },
  };
}

/** Without its nonce nothing of the request was done, even if the nonce was saved after all. */
function refuseAsUnavailable(error: unknown): never {
  if (error instanceof Refusal && error.code === 'outcome_unknown') {
    throw new Refusal('unavailable', { retryAfterSeconds: 5, cause: error });
  }
  throw error;
}

/** Only the first of equal nonces in a batch counts. */
async function takeBatch(db: Queryable, batch: readonly NonceUse[]): Promise<boolean[]> {
  const firsts = new Map<string, NonceUse>();
  for (const use of batch) {
    const key = `${use.holderKind} ${use.holder} ${use.nonce}`;
    if (!firsts.has(key)) firsts.set(key, use);
  }
  const distinct = [...firsts.values()];
  const taken = await insertNonces(db, distinct);
  const first = new Set(distinct.filter((_, row) => taken[row]).map((use) => use.useId));
  return batch.map((use) => first.has(use.useId));
}

/** Periodically deletes nonces of requests whose time alone makes a repeat invalid. */
export function startNonceCleaner(options: {
  readonly pool: Pool;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  return startPeriodicJob({
    ...options,
    work: async () => await deleteExpiredNonces(options.pool, new Date()),
    failureText: 'used nonces could not be removed',
  });
}
