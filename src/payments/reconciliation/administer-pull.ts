import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { askConnector } from '../billers/open-connector.ts';
import type { openConnector } from '../billers/open-connector.ts';
import { findOperator, lockOperator } from '../billers/store.ts';
import type { Imported } from './import.ts';
import { pullPeriod, pullingOf } from './pull.ts';
import type { PullWindow } from './pull-window.ts';
import { findPull, putPull } from './pull-store.ts';
import type { PullRow } from './pull-store.ts';

export { listPulls } from './pull-store.ts';
export type { PullRow } from './pull-store.ts';

const DAY_MINUTES = 1_440;

/**
 * Changes when an operator's statements are pulled; absent values stay as they are.
 * @param from where the next statement begins, if nothing was pulled yet or this is set.
 * Throws: `PlainError` with the problem.
 */
export async function setPull(
  pool: Pool,
  operator: string,
  change: Partial<Pick<PullRow, 'status' | 'everyMinutes' | 'delayMinutes' | 'pulledUntil'>>,
): Promise<PullRow> {
  return await repeatableTransaction(pool, async (client) => {
    if ((await findOperator(client, operator)) === undefined) {
      throw new PlainError(`Operator ${operator} does not exist.`);
    }
    await lockOperator(client, operator);
    const known = await findPull(client, operator);
    const pulledUntil = change.pulledUntil ?? known?.pulledUntil;
    if (pulledUntil === undefined) {
      throw new PlainError('Say where the first statement begins.', { field: 'from' });
    }
    const everyMinutes = change.everyMinutes ?? known?.everyMinutes ?? DAY_MINUTES;
    if (everyMinutes < 15 || DAY_MINUTES % everyMinutes !== 0) {
      const text = 'A day must be a multiple of it, and it must be at least 15 minutes.';
      throw new PlainError(text, { field: 'every' });
    }
    const row = {
      operator,
      status: change.status ?? known?.status ?? 'on',
      everyMinutes,
      delayMinutes: change.delayMinutes ?? known?.delayMinutes ?? 60,
      pulledUntil,
    };
    await putPull(client, row);
    return { ...row, lastError: known?.lastError ?? null };
  });
}

/**
 * Asks an operator for its movements of a period now, and imports them. Throws: `PlainError` if it cannot be asked, or does
 * not answer.
 */
export async function pullNow(
  deps: Parameters<typeof openConnector>[1] & { readonly pool: Pool; readonly ledgerMac: Mac },
  operator: string,
  period: PullWindow,
): Promise<Imported> {
  return await askConnector(operator, deps, async (open) => {
    const connector = pullingOf(open);
    if (connector === undefined) {
      const { movements } = open.declaration;
      throw new PlainError(
        `Operator ${operator} cannot be asked for its movements (${movements}).`,
      );
    }
    const { signal } = new AbortController();
    return await pullPeriod(deps, { operator, connector }, { ...period, signal });
  });
}
