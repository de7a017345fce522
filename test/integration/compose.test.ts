import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { compose } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { until } from '../support/until.ts';

test('a service that cannot be built says why, and leaves nothing running', async () => {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, max: 1, name: 'test' });
  const masterKeys = { current: randomBytes(32), previous: undefined };
  await addVendor(
    pool,
    { vid: 'shop', name: 'Shop', sector: 'retail' },
    { masterKeys, certain: true },
  );
  const building = compose({
    config: readConfig('sandbox', { PORT: '0' }),
    databaseUrl: database.url,
    masterKeys: { current: randomBytes(32), previous: undefined },
    log: pino({ level: 'silent' }),
  });
  await expect(building).rejects.toMatchObject({
    plain: true,
    message: expect.stringContaining('neither MASTER_KEY nor MASTER_KEY_PREVIOUS') as string,
  });
  await until('all its connections are closed', async () => {
    const left = await pool.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and application_name like 'malipo%'`,
    );
    return left.rowCount === 0;
  });
  await pool.end();
  await database.drop();
});
