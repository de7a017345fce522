import type { Config } from './config.ts';
import { requireKnownMasterKey } from './parties/keys.ts';
import { DEMO_KEYS } from './parties/http/demo-signers.ts';
import { hasPeople } from './parties/people/read-people.ts';
import { findSigners } from './parties/store.ts';
import { hasVendors } from './parties/read-vendors.ts';
import { hasOperators } from './payments/billers/store.ts';
import { PlainError } from './platform/base/plain-error.ts';
import type { MasterKeys } from './platform/base/sealing.ts';
import { databaseTransaction } from './platform/db/pool.ts';
import type { Pool, Queryable } from './platform/db/pool.ts';
import { findPurpose, insertPurpose } from './platform/db/purpose-store.ts';
import type { Purpose } from './platform/db/purpose-store.ts';
import { orNotReady } from './platform/db/version.ts';

/**
 * Decides whether a program may use the database at all. The sandbox adds vendors whose keys are public and
 * gives operators the addresses of its simulators, so it uses only databases that it made itself; production
 * uses none of these.
 */

type Asking = Pick<Config, 'mode' | 'databaseUrl' | 'dataDir'>;

/** The variable that chooses the database. */
function variableOf({ databaseUrl }: Asking): string {
  return databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL';
}

function placeOf(asking: Asking): string {
  return asking.databaseUrl === undefined ? `DATA_DIR (${asking.dataDir})` : 'DATABASE_URL';
}

/**
 * Before anything is written, so also before the database is upgraded: its tables may be of an older version.
 * Throws: `PlainError` if the database is the other program's.
 */
export async function refuseOthersDatabase(db: Queryable, asking: Asking): Promise<void> {
  const found = await orNotReady(findPurpose(db), undefined);
  if (found !== undefined) {
    requirePurpose(found.purpose, asking);
  } else if (asking.mode === 'sandbox' && (await isInUse(db))) {
    throw notOfSandbox(asking);
  }
  if (asking.mode === 'production' && (found?.demoEndedAt ?? null) === null) {
    await refuseDemoData(db, asking);
  }
}

/**
 * Marks a database on which nobody has started yet, before anything else is written to it, and refuses it if
 * another program was faster. Throws: `PlainError`.
 */
export async function claimDatabase(pool: Pool, asking: Asking): Promise<void> {
  const purpose = await databaseTransaction(pool, async (db) => {
    const known = await findPurpose(db);
    if (known !== undefined) return known.purpose;
    // Somebody may have added vendors since the database was looked at first.
    if (asking.mode === 'sandbox' && (await isInUse(db))) throw notOfSandbox(asking);
    await insertPurpose(db, { purpose: asking.mode, markedAt: new Date(), demoEndedAt: null });
    return (await findPurpose(db))?.purpose ?? asking.mode;
  });
  requirePurpose(purpose, asking);
}

/** Only `migrate` or `cluster distribute` has prepared a database in which there is nobody yet. */
async function isInUse(db: Queryable): Promise<boolean> {
  for (const has of [hasVendors, hasOperators, hasPeople]) {
    if (await orNotReady(has(db), false)) return true;
  }
  return false;
}

function requirePurpose(found: Purpose, asking: Asking): void {
  if (found === asking.mode) return;
  if (found === 'production') throw notOfSandbox(asking);
  throw new PlainError(
    `The database of ${placeOf(asking)} was made by the sandbox (npm start), whose keys and passwords are public, so production does not use it. Nothing was changed. Set ${variableOf(asking)} to another database.`,
  );
}

function notOfSandbox(asking: Asking): PlainError {
  return new PlainError(
    `The database of ${placeOf(asking)} was not made by the sandbox. npm start would add vendors to it whose keys are public, and let simulated operators answer. Nothing was changed. For the sandbox, set ${variableOf(asking)} to another database. To serve this one: npm run serve`,
  );
}

/**
 * A sandbox of an earlier version marked nothing, and may have been started on production's database.
 * Throws: `PlainError` if demo vendors or the demo collector are in it, unless `demo-data end` was run.
 */
async function refuseDemoData(db: Queryable, asking: Asking): Promise<void> {
  const found = await orNotReady(findSigners(db, Object.keys(DEMO_KEYS)), []);
  if (found.length === 0) return;
  throw new PlainError(
    `The database of ${placeOf(asking)} has demo data (${found.join(', ')}), whose keys are public. Nothing was changed. Set ${variableOf(asking)} to another database. If npm start was run on your production database by mistake, see what it changed: npm run -s malipo -- demo-data list`,
  );
}

/** Throws: `PlainError` if stored keys are sealed under a master key that is neither of these. */
export async function refuseOtherMasterKey(db: Queryable, masterKeys: MasterKeys): Promise<void> {
  await orNotReady(requireKnownMasterKey(db, masterKeys), undefined);
}
