import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/pool.ts';
import { checkTopUp } from './push.ts';
import { expirePushes, takeOpenPushes } from './pushes-store.ts';
import type { ReceiptSources } from './sources.ts';

/** Maximum number of prompts that one run queries. */
const MAX_PUSHES = 100;

/**
 * Asks the provider how the open prompts ended. Those that nobody knows about after ten minutes are
 * unknown; a payment is reported as a receipt in any case.
 */
export async function checkOpenPushes(
  deps: {
    readonly pool: Pool;
    readonly sources: Pick<ReceiptSources, 'source'>;
    readonly log: Logger;
  },
  signal: AbortSignal,
): Promise<void> {
  for (const { pushId, sourceCode } of await takeOpenPushes(deps.pool, MAX_PUSHES)) {
    const source = deps.sources.source(sourceCode);
    if (source === undefined || signal.aborted) continue;
    try {
      await checkTopUp(deps.pool, source, pushId);
    } catch (error) {
      deps.log.warn({ err: error, pushId }, 'the state of a prompt could not be queried');
    }
  }
  await expirePushes(deps.pool);
}
