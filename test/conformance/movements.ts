import { expect } from 'vitest';
import type { FloatMovement, StatementPage } from '../../src/connectors/operator-statements.ts';
import type { Connector } from '../../src/connectors/operator.ts';

const HOUR_MS = 3_600_000;

/** What the provider lists of the last two hours, on all pages. */
export async function listMovements({ pullStatement }: Connector): Promise<FloatMovement[]> {
  const to = new Date(Date.now() + 60_000);
  const from = new Date(to.getTime() - 2 * HOUR_MS);
  const listed: FloatMovement[] = [];
  let cursor: string | null = null;
  do {
    const page: StatementPage | undefined = await pullStatement?.(
      { from, to, cursor },
      AbortSignal.timeout(10_000),
    );
    if (page?.kind !== 'page') return expect.fail(`no page: ${page?.reason}`);
    listed.push(...page.movements);
    cursor = page.next;
  } while (cursor !== null);
  return listed;
}
