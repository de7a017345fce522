import { expect, test } from 'vitest';
import { createSignInAgain } from '../../../src/parties/people/sign-in-again.ts';
import { systemClock } from '../../../src/platform/base/clock.ts';
import { createMac } from '../../../src/platform/base/mac.ts';
import type { Pool } from '../../../src/platform/db/pool.ts';
import type { StaffDeps } from '../../../src/staff/deps.ts';
import { PASSKEYS } from '../../../src/staff/passkeys.ts';
import { perform } from '../../../src/staff/perform.ts';
import { signedIn } from '../../../src/staff/viewer.ts';

const SITE = { id: 'localhost', origin: 'http://localhost' };

function viewerOf(login: string, vid: string | null) {
  const vendorId = vid === null ? null : 1;
  const role = vid === null ? 'support' : 'vendor_administrator';
  const person = { personId: login, login, name: login, role, isConfirmed: true } as const;
  return signedIn({ ...person, vendorId, vid });
}

test('the passwords of a vendor’s people are checked in turns as one, however many people it has', async () => {
  const checked: unknown[] = [];
  const query = async (text: string | { readonly text: string }, values: readonly unknown[]) => {
    const says = typeof text === 'string' ? text : text.text;
    if (!says.includes('code_secret')) return { rows: [], rowCount: 1 };
    checked.push(values[0]);
    throw new Error('the check ends here');
  };
  const pool = { query } as unknown as Pool;
  const ledgerMac = createMac(Buffer.alloc(32));
  const masterKeys = { current: Buffer.alloc(32), previous: undefined };
  const signingIn = { pool, ledgerMac, masterKeys, codesRequired: false, clock: systemClock };
  const again = createSignInAgain(signingIn);
  const deps = { pool, clock: systemClock, signIn: { again, party: SITE } };
  const begin = PASSKEYS.definitions.find(({ name }) => name === 'passkey.begin');
  const ask = async (login: string, vid: string | null): Promise<unknown> =>
    begin &&
    (await perform(
      begin,
      { password: 'a password' },
      {
        ...{ viewer: viewerOf(login, vid), channel: 'console', address: '192.0.2.1' },
        deps: { ...deps, ledgerMac: async () => ledgerMac } as unknown as StaffDeps,
        requestId: login,
      },
    ));
  await Promise.allSettled([
    ...['asha', 'baraka', 'chege'].map(async (login) => await ask(login, 'shop')),
    ask('staff', null),
  ]);
  expect(checked).toEqual(['asha', 'baraka', 'staff', 'chege']);
});
