import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { releaseQuarantine } from '../../src/payments/quarantine/release.ts';
import { findOpenQuarantine } from '../../src/payments/quarantine/read-quarantine.ts';
import { releaseByTwo } from '../support/quarantines.ts';
import { until } from '../support/until.ts';
import { SEALING } from './fleet.ts';
import { startFailoverSetup } from './failover-setup.ts';
import type { FailoverSetup } from './failover-setup.ts';

// The primary is lost, and a standby takes over that it had not waited for.

let setup: FailoverSetup;
beforeAll(async () => {
  setup = await startFailoverSetup();
}, 240_000);
afterAll(async () => {
  await setup.stop();
});

test('the promotion of a standby that lacks commits: quarantine, until two people end it', async () => {
  const { pair, pool, vendor } = setup;
  const create = async (reference: string): Promise<number> => {
    const params = { account: '0123', biller_name: 'tokens', merchant_reference: reference };
    return (await vendor.create(params)).status;
  };
  expect(await create('before')).toBe(200);
  await pair.leaveStandbyBehind();
  expect(await create('lost')).toBe(200);
  await pair.killPrimary();
  await pair.promote();

  const quarantine = await until('the quarantine is entered', async () => {
    return await findOpenQuarantine(pool).catch(() => undefined);
  });
  expect(quarantine).toMatchObject({ seemsComplete: false });
  let creates = 0;
  await until('creates are refused', async () => (await create(`during-${creates++}`)) === 503);
  const by = 'Amina';
  const deps = { pool, ledgerMac: await openLedgerMac(pool, SEALING.masterKeys) };
  await expect(releaseQuarantine(deps, { by, nothingLost: 'promoted' })).rejects.toThrow(
    'cannot be confirmed',
  );
  await releaseByTwo(deps);
  await until('creates are accepted', async () => (await create('after')) === 200);
}, 120_000);
