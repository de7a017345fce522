import type { MasterKeys } from '../src/platform/base/sealing.ts';
import { MSISDN } from '../src/payments/billers/account-format.ts';
import { KENYAN_PREFIXES } from '../src/payments/billers/kenyan-prefixes.ts';
import { putBiller, putOperator, putPrefix, listPrefixes } from '../src/payments/billers/store.ts';
import { collect } from '../src/payments/collections/collect.ts';
import { PlainError } from '../src/platform/base/plain-error.ts';
import type { Pool } from '../src/platform/db/pool.ts';
import { findPurpose } from '../src/platform/db/purpose-store.ts';
import { databaseTransaction } from '../src/platform/db/pool.ts';
import { markChanged } from '../src/platform/db/settings-watch.ts';
import { DEMO_KEYS, DEMO_OPERATOR_KEY, DEMO_PASSWORD } from '../src/parties/http/demo-signers.ts';
import { addKey } from '../src/parties/keys.ts';
import { openLedgerMac } from '../src/parties/ledger-key.ts';
import { addPerson } from '../src/parties/people/administer.ts';
import type { NewPerson } from '../src/parties/people/administer.ts';
import { hashPassword } from '../src/parties/people/password.ts';
import { signPerson } from '../src/parties/people/authenticity.ts';
import { addToken, DEMO_STAFF_TOKEN } from '../src/parties/people/tokens.ts';
import { findTokenNamed } from '../src/parties/people/read-tokens.ts';
import { systemClock } from '../src/platform/base/clock.ts';
import { setCredentials } from '../src/parties/people/people-store.ts';
import { findPerson } from '../src/parties/people/read-people.ts';
import { insertCollector, insertVendor, updateVendor } from '../src/parties/store.ts';
import { listKeys } from '../src/parties/read-keys.ts';
import { FIRST_ACCOUNTS } from '../src/payments/ledger/account.ts';
import { ensureAccounts } from '../src/payments/ledger/store.ts';

export { DEMO_PASSWORD };

/** The sandbox's people. Their keys are public. */
export const DEMO_VENDORS = [
  { vid: 'demo', name: 'Demo Vendor', key: DEMO_KEYS.demo },
  { vid: 'demo2', name: 'Second Demo Vendor', key: DEMO_KEYS.demo2 },
] as const;
/** Serves every vendor, so that a vendor that is added to a sandbox can be credited at once. */
export const DEMO_COLLECTOR = {
  collector: 'demo-collector',
  name: 'Demo Collector',
  key: DEMO_KEYS['demo-collector'],
} as const;

/** Signs in to the sandbox's console. One person for each role. */
export const DEMO_PEOPLE = [
  { login: 'admin', name: 'Achieng Administrator', role: 'administrator' },
  { login: 'admin2', name: 'Abdi Administrator', role: 'administrator' },
  { login: 'support', name: 'Selina Support', role: 'support' },
  { login: 'operations', name: 'Otieno Operations', role: 'operations' },
  { login: 'finance', name: 'Fatuma Finance', role: 'finance' },
  { login: 'risk', name: 'Rehema Risk', role: 'risk' },
  { login: 'risk2', name: 'Rashid Risk', role: 'risk' },
  { login: 'demo-admin', name: 'Dalmas Demo', role: 'vendor_administrator', vid: 'demo' },
  { login: 'demo-cashier', name: 'Consolata Demo', role: 'vendor_cashier', vid: 'demo' },
  { login: 'demo-viewer', name: 'Vincent Demo', role: 'vendor_viewer', vid: 'demo' },
  { login: 'demo2-admin', name: 'Zawadi Demo', role: 'vendor_administrator', vid: 'demo2' },
] as const satisfies readonly NewPerson[];

/** Collected income of each demo vendor at the first start. */
const OPENING_INCOME_CENTS = 10_000_000n;

interface SandboxBiller {
  readonly code: string;
  readonly name: string;
  readonly category: string;
  readonly operator: string;
  readonly phone?: true;
  readonly validates?: true;
}

const BILLERS: readonly SandboxBiller[] = [
  { code: 'safaricom', name: 'Safaricom Airtime', category: 'airtime', operator: 'safaricom' },
  { code: 'airtel', name: 'Airtel Airtime', category: 'airtime', operator: 'airtel' },
  { code: 'telkom', name: 'Telkom Airtime', category: 'airtime', operator: 'telkom' },
  { code: 'jtl', name: 'Faiba Airtime', category: 'airtime', operator: 'jtl' },
  {
    code: 'kplc_prepaid',
    name: 'Kenya Power Prepaid',
    category: 'electricity',
    operator: 'kplc',
    validates: true,
  },
  {
    code: 'kplc_postpaid',
    name: 'Kenya Power Postpaid',
    category: 'electricity',
    operator: 'kplc',
    validates: true,
  },
  {
    code: 'nairobi_water',
    name: 'Nairobi City Water',
    category: 'water',
    operator: 'nairobi_water',
    phone: true,
    validates: true,
  },
  {
    code: 'gotv',
    name: 'GOtv',
    category: 'tv',
    operator: 'multichoice',
    phone: true,
    validates: true,
  },
  {
    code: 'dstv',
    name: 'DStv',
    category: 'tv',
    operator: 'multichoice',
    phone: true,
    validates: true,
  },
  { code: 'zuku', name: 'Zuku', category: 'tv', operator: 'zuku' },
  { code: 'startimes', name: 'StarTimes', category: 'tv', operator: 'startimes' },
];

const ACCOUNT_LABELS: Readonly<Record<string, string>> = {
  safaricom: 'Phone number',
  airtel: 'Phone number',
  telkom: 'Phone number',
  jtl: 'Phone number',
  kplc_prepaid: 'Meter number',
  gotv: 'IUC number',
  dstv: 'Smart card number',
  startimes: 'Smart card number',
};

const OPERATOR_NAMES: Readonly<Record<string, string>> = {
  safaricom: 'Safaricom',
  airtel: 'Airtel',
  telkom: 'Telkom',
  jtl: 'Jamii Telecommunications',
  kplc: 'Kenya Power',
  nairobi_water: 'Nairobi City Water and Sewerage',
  multichoice: 'MultiChoice',
  zuku: 'Wananchi',
  startimes: 'StarTimes',
};

/** Short, so that each suffix of the simulated operators reaches its end within 20 s. */
const OPERATOR_SETTINGS = {
  pay_timeout_ms: 3_000,
  status_timeout_ms: 2_000,
  connect_timeout_ms: 1_000,
  acceptance_window_ms: 1_000,
};

/**
 * Creates the sandbox's data. Changes that people made since the first start (a biller's status, a key,
 * a prefix) stay; the operators' addresses follow this start's port.
 */
export async function prepareSandbox(
  pool: Pool,
  options: { readonly masterKeys: MasterKeys; readonly operatorOrigin: string },
): Promise<void> {
  // `npm start` has checked this before. Tests and benches come here without it.
  if ((await findPurpose(pool))?.purpose === 'production') {
    throw new PlainError('This database is production’s: it gets no demo data.');
  }
  await databaseTransaction(pool, async (client) => {
    for (const [code, name] of Object.entries(OPERATOR_NAMES)) {
      await putOperator(client, {
        operatorCode: code,
        name,
        connector: 'http-json',
        baseUrl: `${options.operatorOrigin}/operators/${code}`,
        settings: OPERATOR_SETTINGS,
        maxConcurrency: 64,
        maxPerSecond: null,
      });
      await keepKey(client, { holderKind: 'operator', holder: code }, DEMO_OPERATOR_KEY, options);
    }
    // Billers and prefixes are added once, because people may edit them afterwards.
    if ((await listPrefixes(client)).length === 0) {
      for (const [position, biller] of BILLERS.entries()) {
        await putBiller(client, {
          billerCode: biller.code,
          name: biller.name,
          category: biller.category,
          operatorCode: biller.operator,
          minimumCents: biller.category === 'airtime' ? 500n : 5_000n,
          maximumCents: null,
          secondaryAccount: biller.phone ?? false,
          validatesAccounts: biller.validates ?? false,
          accountFormat: biller.category === 'airtime' ? MSISDN : '^[0-9]{5,14}$',
          accountLabel: ACCOUNT_LABELS[biller.code] ?? 'Account number',
          amounts: 'any',
          status: 'ONLINE',
          listPosition: position,
        });
      }
      for (const { prefix, billerCode } of KENYAN_PREFIXES) {
        await putPrefix(client, prefix, billerCode);
      }
    }
    await markChanged(client, 'billers');
  });
  await prepareSigners(pool, options);
  await preparePeople(pool, options.masterKeys);
  await prepareToken(pool, options.masterKeys);
}

async function prepareSigners(
  pool: Pool,
  options: { readonly masterKeys: MasterKeys },
): Promise<void> {
  await databaseTransaction(pool, async (client) => {
    const createdAt = new Date();
    const { collector, name, key } = DEMO_COLLECTOR;
    await insertCollector(client, { collector, name, scope: 'all', createdAt });
    await keepKey(client, { holderKind: 'collector', holder: collector }, key, options);
    for (const vendor of DEMO_VENDORS) {
      const added = await insertVendor(client, { ...vendor, sector: 'bank', createdAt });
      // As in the specification; later changes by people stay.
      if (added !== undefined) {
        await ensureAccounts(client, added, FIRST_ACCOUNTS);
        await updateVendor(client, vendor.vid, { enquiryPolicy: 'open' });
      }
      await keepKey(client, { holderKind: 'vendor', holder: vendor.vid }, vendor.key, options);
    }
    await markChanged(client, 'vendors');
  });
  // The collection's reference makes the opening income unique, even after a kill in between.
  const known = await pool.query<{ vendor_id: number }>(
    'select vendor_id from vendors where vid = any($1) order by vendor_id',
    [DEMO_VENDORS.map((vendor) => vendor.vid)],
  );
  const ledgerMac = await openLedgerMac(pool, options.masterKeys);
  for (const { vendor_id: vendorId } of known.rows) {
    await collect(
      { pool, ledgerMac },
      {
        collector: DEMO_COLLECTOR.collector,
        reference: `opening-${vendorId}`,
        vendorId,
        amountCents: OPENING_INCOME_CENTS,
        paidAt: new Date('2026-01-01T06:00:00Z'),
      },
    );
  }
}

/**
 * Adds the people who are missing, and gives a password to those who never had one: an earlier start may
 * have been killed in between. What people changed since then stays.
 */
async function preparePeople(pool: Pool, masterKeys: MasterKeys): Promise<void> {
  const ledgerMac = await openLedgerMac(pool, masterKeys);
  let passwordHash: string | undefined;
  for (const person of DEMO_PEOPLE) {
    const known = await findPerson(pool, person.login);
    if (known !== undefined && known.credentialsAt !== null) continue;
    const personId = known?.personId ?? (await addPerson({ pool, ledgerMac }, person, new Date()));
    passwordHash ??= await hashPassword(DEMO_PASSWORD);
    const credentials = { passwordHash, codes: null, codeStep: null, waitsFor: null };
    await databaseTransaction(pool, async (client) => {
      await setCredentials(client, personId, { ...credentials, at: new Date() });
      await signPerson(client, personId, ledgerMac);
    });
  }
}

/** The public token of a program, with the rights of the administrator. One that was revoked stays revoked. */
async function prepareToken(pool: Pool, masterKeys: MasterKeys): Promise<void> {
  if ((await findTokenNamed(pool, DEMO_STAFF_TOKEN)) !== undefined) return;
  const owner = await findPerson(pool, 'admin');
  if (owner === undefined) return;
  const { personId } = owner;
  const expiresAt = new Date('9999-12-31T00:00:00Z');
  const made = { personId, name: DEMO_STAFF_TOKEN, role: 'administrator', expiresAt } as const;
  const deps = { pool, masterKeys, clock: systemClock };
  await addToken(deps, { ...made, scopes: null, addresses: null }, DEMO_STAFF_TOKEN);
}

/** Adds the key unless its holder has one. */
export async function keepKey(
  client: Parameters<typeof addKey>[0],
  holder: Parameters<typeof addKey>[1],
  secret: string,
  options: { readonly masterKeys: MasterKeys },
): Promise<void> {
  const keys = await listKeys(client, [holder.holderKind]);
  if (keys.some((key) => key.holder === holder.holder)) return;
  await addKey(client, holder, { secret, overlapSeconds: 0, masterKeys: options.masterKeys });
}
