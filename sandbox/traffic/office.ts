import { openRegistryVault } from '../../src/credit/registry/read-vault.ts';
import type { CreditKeys } from '../../src/credit/registry/vault.ts';
import type { Config } from '../../src/config.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { createWireTime, systemClock } from '../../src/platform/base/clock.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import { EXAMPLES } from '../credit.ts';
import { sandboxPopulation } from '../registry.ts';
import { doCreditWork } from './credit-work.ts';
import {
  bookJournalsAndPayouts,
  claimDeclined,
  openFloatBooks,
  topUpItself,
} from './finance-work.ts';
import { earnOnce } from './shops.ts';
import type { Vendors } from './shops.ts';

const PEOPLE = 320;

export interface OfficeOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  /** Undefined: without the credit registry. */
  readonly creditKeys: CreditKeys | undefined;
  readonly config: Pick<Config, 'timeZone' | 'creditRetentionDays'>;
}

/**
 * What the staff of the sandbox did, so that their pages have something to show: once, however often
 * it is called. Returns false while it has to be called again.
 */
export async function workInOffice(
  { pool, masterKeys, creditKeys, config }: OfficeOptions,
  { shops: [shop], school }: Vendors,
): Promise<boolean> {
  const deps = { pool, ledgerMac: await openLedgerMac(pool, masterKeys) };
  const wireTime = createWireTime(config.timeZone);
  await openFloatBooks({ ...deps, wireTime });
  if (shop !== undefined) await topUpItself(deps, shop.vendorId);
  if (school !== undefined) {
    await earnOnce(deps, school, 'school-fees');
    await bookJournalsAndPayouts(deps, school);
  }
  if (creditKeys !== undefined) {
    const vault = await openRegistryVault(pool, creditKeys);
    const { timeZone, creditRetentionDays: retentionDays } = config;
    const people = [...sandboxPopulation(PEOPLE)].slice(EXAMPLES);
    const about = { vault, clock: systemClock, timeZone, retentionDays };
    const proposals = createProposals({ ...deps, wireTime });
    await doCreditWork({ ...about, pool, proposals }, people);
  }
  return shop === undefined || (await claimDeclined(deps, shop.vendorId));
}
