import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { accountRoutes } from '../../../../src/console/routes/account.ts';
import type { RouteContext } from '../../../../src/console/route.ts';
import { createMac } from '../../../../src/platform/base/mac.ts';
import { systemClock } from '../../../../src/platform/base/clock.ts';
import type { Pool } from '../../../../src/platform/db/pool.ts';

const SITE = { id: 'localhost', origin: 'http://localhost' };
const SHOP = { vendorId: 1, vid: 'shop' };

function contextOf(login: string, vendor: typeof SHOP | undefined): RouteContext {
  const person = { personId: login, login, name: login, isConfirmed: true };
  const viewer = { ...person, role: 'vendor_administrator', vendor } as const;
  return { viewer, address: '192.0.2.1', requestId: login, isClosed: () => false };
}

test('the passwords of a vendor’s people are checked in turns as one, however many people it has', async () => {
  const checked: unknown[] = [];
  const query = async (_text: string, [login]: readonly unknown[]): Promise<never> => {
    checked.push(login);
    throw new Error('the check ends here');
  };
  const begin = accountRoutes({
    pool: { query } as unknown as Pool,
    clock: systemClock,
    ledgerMac: createMac(Buffer.alloc(32)),
    masterKeys: { current: Buffer.alloc(32), previous: undefined },
    codesRequired: false,
    party: SITE,
  }).find(({ path }) => path === '/account/passkeys/begin');
  const ask = async (login: string, vendor?: typeof SHOP): Promise<unknown> =>
    await begin?.handle(
      { params: {}, query: {}, body: { password: 'a password' } },
      contextOf(login, vendor),
      { headers: {} } as FastifyRequest,
    );
  await Promise.allSettled([
    ...['asha', 'baraka', 'chege'].map(async (login) => await ask(login, SHOP)),
    ask('staff'),
  ]);
  expect(checked).toEqual(['asha', 'baraka', 'staff', 'chege']);
});
