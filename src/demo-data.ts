import type { Mac } from './platform/base/mac.ts';
import type { MasterKeys } from './platform/base/sealing.ts';
import { formatMoney } from './platform/base/money.ts';
import { PlainError } from './platform/base/plain-error.ts';
import type { Pool, Queryable } from './platform/db/pool.ts';
import { databaseTransaction } from './platform/db/pool.ts';
import { findPurpose, insertPurpose } from './platform/db/purpose-store.ts';
import { markChanged } from './platform/db/settings-watch.ts';
import { DEMO_KEYS, DEMO_OPERATOR_KEY, DEMO_PASSWORD } from './parties/http/demo-signers.ts';
import { openKeys } from './parties/keys.ts';
import type { OpenedKey } from './parties/keys.ts';
import { changePerson } from './parties/people/administer.ts';
import { isPassword } from './parties/people/password.ts';
import { listPeople } from './parties/people/read-people.ts';
import { readCollected } from './payments/collections/store.ts';
import type { CollectedFor } from './payments/collections/store.ts';
import { listRouteRows } from './payments/billers/routes-store.ts';
import { findBiller, listOperators, setBillerStatus } from './payments/billers/store.ts';
import { listSources } from './payments/receipts/sources-store.ts';
import { endKeyNow, findSigners, updateCollector, updateVendor } from './parties/store.ts';
import { readVids } from './parties/read-vendors.ts';

/**
 * The way out for a production database on which the sandbox of an earlier version was started: what the
 * sandbox put into it, and the end of everything in it that strangers could use.
 */

const COLLECTOR = 'demo-collector';
const HOLDERS = Object.keys(DEMO_KEYS);
const PUBLIC_KEYS = new Set<string>([...Object.values(DEMO_KEYS), DEMO_OPERATOR_KEY]);

/** Where simulated operators and emulated providers of a sandbox are. */
const SIMULATED = /^http:\/\/127\.0\.0\.1:\d+\/(?:operators|providers)\//;

export interface DemoData {
  /** Vendors and collectors that the sandbox added. */
  readonly signers: readonly string[];
  /** Holders of a valid key that is public, such as `operator kplc`. */
  readonly publicKeys: readonly string[];
  /** Logins of people whose password is public. */
  readonly people: readonly string[];
  /** Operators at the address of a simulator. Those that existed before have lost their own. */
  readonly operators: readonly string[];
  /** Billers that have a route through such an operator. */
  readonly billers: readonly string[];
  /** Sources of receipts that are an emulated provider. */
  readonly sources: readonly string[];
  /** Money that nobody has received: the demo collector reported it for other vendors. */
  readonly credited: readonly (CollectedFor & { readonly vid: string })[];
  /** When what strangers could use was ended; null: not yet. */
  readonly endedAt: Date | null;
}

/** Everything that the sandbox put into the database, and what is left of it. */
export async function readDemoData(db: Queryable, masterKeys: MasterKeys): Promise<DemoData> {
  const people: string[] = [];
  for (const { login, status, passwordHash } of await listPeople(db)) {
    if (status !== 'active' || passwordHash === null) continue;
    if (await isPassword(DEMO_PASSWORD, passwordHash)) people.push(login);
  }
  const operators = (await listOperators(db))
    .filter(({ baseUrl }) => SIMULATED.test(baseUrl))
    .map(({ operatorCode }) => operatorCode);
  const billers = (await listRouteRows(db))
    .filter(({ operatorCode }) => operators.includes(operatorCode))
    .map(({ billerCode }) => billerCode);
  const sources = (await listSources(db))
    .filter(({ settings }) => SIMULATED.test(`${String(settings['base_url'])}/`))
    .map(({ sourceCode }) => sourceCode);
  const vids = await readVids(db);
  const credited = (await readCollected(db, COLLECTOR)).map((row) => {
    return { ...row, vid: vids.get(row.vendorId) ?? '' };
  });
  const publicKeys = await findPublicKeys(db, masterKeys);
  return {
    signers: (await findSigners(db, HOLDERS)).toSorted(),
    publicKeys: publicKeys.map(({ holderKind, holder }) => `${holderKind} ${holder}`),
    ...{ people, operators, sources },
    billers: [...new Set(billers)].toSorted(),
    credited: credited.filter(({ vid }) => !HOLDERS.includes(vid)),
    endedAt: (await findPurpose(db))?.demoEndedAt ?? null,
  };
}

/** What people still have to do about it, in order. */
export function stepsLeft(found: DemoData): string[] {
  const { publicKeys, people, operators, billers, sources, credited, endedAt } = found;
  const isOpen = endedAt === null || publicKeys.length > 0 || people.length > 0;
  const steps = [
    ...(isOpen ? ['Stop the sandbox. Then: malipo demo-data end --by NAME --reason TEXT'] : []),
    ...operators.map(
      (operator) =>
        `${operator}: if it is yours, give it its address and key again (operator set ${operator} --base-url …, operator set-key ${operator}), then set its billers ONLINE. Payments that ended while the simulator answered were not paid: compare them with its statement (statement import).`,
    ),
    ...(operators.length > 0
      ? [`Leave billers OFFLINE that are not yours: ${billers.join(', ')}`]
      : []),
    ...sources.map((source) => `${source}: receipts source set ${source} --status suspended`),
    ...credited.map(
      ({ vid, cents }) =>
        `${vid}: nobody has received the ${formatMoney(cents)}. Take it back from the collected income with a payout whose evidence says so (vendor payout), before the vendor funds it. If it is in the float or spent, suspend the vendor, and agree with it how it pays the amount.`,
    ),
  ];
  return steps.length === 0 ? ['Nothing is left to do.'] : steps;
}

async function findPublicKeys(db: Queryable, masterKeys: MasterKeys): Promise<OpenedKey[]> {
  const keys = await openKeys(db, ['vendor', 'collector', 'operator'], masterKeys);
  return keys.filter(({ secret }) => PUBLIC_KEYS.has(secret));
}

/**
 * Ends the public keys, suspends the demo vendors and the demo collector, disables people with the public
 * password, and takes billers OFFLINE that simulators would answer for. Then production may be served. What
 * was credited stays until people correct it. May be repeated. Throws: `PlainError` for a sandbox.
 */
export async function endDemoData(
  deps: { readonly pool: Pool; readonly ledgerMac: Mac; readonly masterKeys: MasterKeys },
  now: Date,
): Promise<DemoData> {
  const { pool, masterKeys } = deps;
  await requireProduction(pool);
  const { people } = await readDemoData(pool, masterKeys);
  for (const login of people) await changePerson(deps, login, { status: 'disabled' });
  await databaseTransaction(pool, async (db) => {
    await markChanged(db, 'vendors');
    await markChanged(db, 'billers');
    const { signers, billers } = await readDemoData(db, masterKeys);
    for (const signer of signers) {
      await updateVendor(db, signer, { status: 'suspended' });
      await updateCollector(db, signer, { status: 'suspended' });
    }
    for (const key of await findPublicKeys(db, masterKeys)) await endKeyNow(db, key);
    for (const billerCode of billers) {
      if ((await findBiller(db, billerCode))?.status !== 'ONLINE') continue;
      await setBillerStatus(db, billerCode, 'OFFLINE', { reason: 'A sandbox answered for it' });
    }
    await insertPurpose(db, { purpose: 'production', markedAt: now, demoEndedAt: now });
  });
  return await readDemoData(pool, masterKeys);
}

async function requireProduction(pool: Pool): Promise<void> {
  const purpose = await findPurpose(pool);
  if (purpose?.purpose !== 'sandbox') return;
  throw new PlainError('This database was made by the sandbox: it was never production’s.');
}
