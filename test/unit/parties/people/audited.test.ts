import { expect, test } from 'vitest';
import { audited } from '../../../../src/parties/people/audited.ts';
import { systemClock } from '../../../../src/platform/base/clock.ts';
import { Refusal } from '../../../../src/platform/base/errors.ts';
import { PoolEndedError } from '../../../../src/platform/db/pool.ts';
import type { Pool } from '../../../../src/platform/db/pool.ts';

const NOTED = {
  ...{ personId: null, vendorId: null, login: 'finance', role: null, target: null, reason: null },
  ...{ action: 'biller.offline', address: '192.0.2.1', requestId: 'one' },
  channel: 'console',
} as const;

/** The service stops after the entry was written: what asks for a connection then is cut off. */
function createStopping(): Pool {
  let calls = 0;
  const query = async (): Promise<object> => {
    calls += 1;
    if (calls > 1) throw new PoolEndedError();
    return { rows: [], rowCount: 1 };
  };
  return { query } as unknown as Pool;
}

test('an action that was carried out before a stop is not called refused', async () => {
  const deps = { pool: createStopping(), clock: systemClock };
  const acted = audited(NOTED, deps, async () => ({ answer: 'done' }));
  await expect(acted).rejects.toMatchObject({ code: 'outcome_unknown' });
});

test('an action that was refused before a stop is called refused', async () => {
  const deps = { pool: createStopping(), clock: systemClock };
  const acted = audited(NOTED, deps, async () => {
    throw new Refusal('not_found');
  });
  await expect(acted).rejects.toMatchObject({ code: 'not_found' });
});
