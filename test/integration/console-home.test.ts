import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OverviewAnswer } from '../../src/staff/overview.ts';
import { signedIn } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { inProcess } from './cli-support.ts';

let running: InProcessService;
let databaseUrl = '';
/** Of the service and of the command line. */
const zone = { TIME_ZONE: zoneAtNoon() };

beforeAll(async () => {
  databaseUrl = (await createServiceDatabase()).url;
  running = await startInProcess(databaseUrl, { environment: zone });
  for (const [vid, count] of [
    ['demo', 3],
    ['demo2', 2],
  ] as const) {
    const vendor = running.demo(vid);
    await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
    for (let number = 0; number < count; number += 1) {
      await vendor.call('create', {
        biller_name: 'kplc_prepaid',
        amount: '100',
        account: `1423456000${number}`,
      });
    }
  }
});
afterAll(async () => {
  await running.stop();
});

async function homeOf(login: string): Promise<OverviewAnswer> {
  return await (await signedIn(running.origin, login)).read<OverviewAnswer>('/home');
}

test('staff see the figures of the command line', async () => {
  const home = await homeOf('support');
  const ran = await inProcess({ DATABASE_URL: databaseUrl, ...zone }, 'overview', '--json');
  const cli = ran.json();
  expect(home.today).toMatchObject({ created: 5, open: 5, success_rate: null });
  expect(cli).toMatchObject({
    ...{ today_since: home.today_since, today: home.today, floats: home.floats },
    last_hour: { created: home.last_hour.created },
    queued: { count: home.queued.count },
    unknown: { count: home.unknown.count },
    open_cases: { count: home.open_cases?.count },
    billers: home.billers.map(({ biller, status }) => ({ biller, status })),
  });
  expect(home.billers.length).toBeGreaterThan(5);
  const shown = await inProcess({ DATABASE_URL: databaseUrl, ...zone }, 'overview');
  expect(shown.stdout).toMatch(/^payments today +5 \(- paid, median -, 95th percentile -\)$/m);
  expect(shown.stdout).toMatch(/^kplc_prepaid +ONLINE/m);
  expect(home.queued.count).toBe(5);
  expect(home.float).toBeNull();
});

test('people of a vendor see their vendor’s figures, and nothing of the house', async () => {
  const home = await homeOf('demo2-admin');
  expect(home.today.created).toBe(2);
  expect(home.queued.count).toBe(2);
  expect(home).toMatchObject({ open_cases: null, floats: [], billers: [] });
  expect(home.float).toBe('99800.00');
});
