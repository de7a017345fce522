import { takeAccepted } from './accepted.ts';
import { readKept } from './bank-statement.ts';
import type { UploadDeps } from './accepted.ts';
import { listUnfinished } from './store.ts';

/** Statements that one run takes. */
const MAX_STATEMENTS = 20;

/** Takes accepted bank statements whose process ended before all lines were taken. */
export async function takeUnfinished(deps: UploadDeps): Promise<void> {
  for (const { proposalId, sourceCode } of await listUnfinished(deps.pool, MAX_STATEMENTS)) {
    try {
      await takeAccepted(deps, proposalId, async (db, asked) => readKept(deps, db, asked));
    } catch (error) {
      // One statement must not hold up the others.
      deps.log.error({ err: error, proposalId, sourceCode }, 'a bank statement was not taken');
    }
  }
}
