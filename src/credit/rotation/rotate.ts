import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { rotateScoreBatches } from '../batches/rotate.ts';
import { rotateUpstreamAnswers } from '../bureaus/rotate-store.ts';
import { rotateEnquiries } from '../enquiries/rotate-store.ts';
import { rotateAccounts, rotateDisputes, rotateSubjects } from '../registry/rotate-store.ts';
import type { Position } from '../registry/rotation.ts';
import type { Vault } from '../registry/vault.ts';

export interface Rotated {
  readonly subjects: number;
  readonly accounts: number;
  readonly disputes: number;
  readonly enquiries: number;
  /** Stored answers of upstream bureaus. */
  readonly answers: number;
  /** Batches of enquiries with waiting rows. */
  readonly batches: number;
}

/**
 * Replaces former keys by the current ones in all sealed fields and blind indexes.
 * Runs alongside the service (which needs both keys), one commit per page; it may be interrupted
 * and repeated. The documents of recorded enquiries stay unchanged.
 */
export async function rotateKeys(
  pool: Pool,
  vault: Vault,
  onProgress: (done: Rotated) => void = () => {},
): Promise<Rotated> {
  const done = { subjects: 0, accounts: 0, disputes: 0, enquiries: 0, answers: 0, batches: 0 };
  const steps = [
    ['subjects', rotateSubjects],
    ['accounts', rotateAccounts],
    ['disputes', rotateDisputes],
    ['enquiries', rotateEnquiries],
    ['answers', rotateUpstreamAnswers],
    ['batches', rotateScoreBatches],
  ] as const;
  for (const [name, rotatePage] of steps) {
    let after: Position | undefined;
    do {
      const from: Position | undefined = after;
      const page = await databaseTransaction(pool, (client) => rotatePage(client, vault, from));
      done[name] += page.changed;
      after = page.last;
      onProgress(done);
    } while (after !== undefined);
  }
  return done;
}
