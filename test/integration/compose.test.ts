import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { compose } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import { createTestDatabase } from '../support/cluster.ts';
import { startInProcess } from '../support/in-process-service.ts';
import { findFreePort } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';

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

test('an operator that it instructs can call it back at once', async () => {
  const database = await createTestDatabase();
  const port = await findFreePort();
  const seen: number[] = [];
  const operator = createServer((_, response) => {
    const live = { method: 'GET', path: '/health/live' };
    void send(`http://127.0.0.1:${port}`, live)
      .then(
        ({ status }) => seen.push(status),
        () => seen.push(0),
      )
      .finally(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(operator, 'listening');
  const operatorOrigin = `http://127.0.0.1:${(operator.address() as AddressInfo).port}`;
  const before = await startInProcess(database.url, { operatorOrigin });
  await before.demo().call('fund', { time: String(Date.now()), currency: 'KES' });
  const created = await before.demo().create({ account: '254712349901' });
  expect(created.status, created.text).toBe(200);
  await before.stop();

  const environment = { PORT: String(port), ROLES: 'api,dispatcher' };
  const service = await startInProcess(database.url, { operatorOrigin, environment });
  await until('the operator is instructed', () => seen.length > 0);
  await service.stop();
  operator.close();
  expect(seen[0]).toBe(200);
  await database.drop();
});
