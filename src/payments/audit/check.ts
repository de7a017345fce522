import { ID_FORM } from '../../platform/base/ids.ts';
import { encodeReference } from '../../parties/reference.ts';
import { readVids } from '../../parties/read-vendors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { changedFunctions, readAppliedFunctions } from '../../platform/db/functions.ts';
import { findSchemaDifferences } from '../../platform/db/schema-check.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { findCitus } from '../../platform/cluster/tables.ts';
import { queryByBucket } from '../ledger/in-bucket.ts';
import { ACCOUNTS_INVARIANT } from './accounts-check.ts';
import { checkAuthenticity } from './authenticity-check.ts';
import { checkChain } from './chain-check.ts';
import { findConfirmed } from './confirm.ts';
import type { ChainHead, ChainReport, KeptHead } from './chain-check.ts';
import { INVARIANTS } from './invariants.ts';
import type { Invariant } from './invariant.ts';
import { checkOpenings, OPENINGS_INVARIANT } from './openings-check.ts';
import { PHONES_INVARIANT } from './disbursements-check.ts';
import { REFERENCES_INVARIANT } from './references-check.ts';
import { checkPrices, PRICE_INVARIANTS } from './price-check.ts';
import type { Violation } from './violation.ts';
import { checkHours, HOURS_INVARIANT } from './sums-check.ts';

export interface CheckReport {
  readonly invariants: readonly { readonly name: string; readonly says: string }[];
  readonly violations: readonly Violation[];
  /** Numbers of rows that the check read, by what they are. */
  readonly counted: Readonly<Record<string, number>>;
  /** The newest block of the chain. Store it elsewhere. Null before the first block. */
  readonly head: ChainHead | null;
  /** The heads that the caller gave, each with the result of looking for it in the chain. */
  readonly keptHeads: readonly KeptHead[];
  /** False without the key: authentication codes were not checked. */
  readonly authenticated: boolean;
}

/** Rows of another wing, which it checks itself. */
export interface AlsoChecked {
  readonly name: string;
  readonly says: string;
  /** Returns what is wrong, each in a sentence. */
  readonly find: (db: Queryable, mac: Mac) => Promise<readonly string[]>;
}

export interface CheckOptions {
  /** Without it, authentication codes are not checked. */
  readonly mac?: Mac | undefined;
  /** Hashes of earlier heads of the chain that were stored elsewhere, hexadecimal. */
  readonly heads?: readonly string[] | undefined;
  /** Without it, functions are compared with what was applied, not with the files. */
  readonly schema?: Schema | undefined;
  /** Records outside this wing whose authentication codes are made with the same key. */
  readonly also?: readonly AlsoChecked[] | undefined;
  /** Called with the name of each invariant when its check begins. */
  readonly onInvariant?: ((name: string) => void) | undefined;
}

const FURTHER_INVARIANTS = [
  ...PRICE_INVARIANTS,
  HOURS_INVARIANT,
  OPENINGS_INVARIANT,
  {
    name: 'schema_intact',
    says: 'Constraints, indexes, functions, defaults, triggers, rules, views and policies are those that the SQL files of this version, or of a newer one, made; none was added.',
  },
  {
    name: 'chain_intact',
    says: 'Every payment, transfer, collection, fund movement, correction and transfer of the house is as it was when it was chained; none was added or removed since.',
  },
  {
    name: 'chain_continuous',
    says: 'Each block of the chain follows from the one before, and the last ends where the chain does.',
  },
  {
    name: 'chain_built_in_time',
    says: 'No block was built more than a day after the entries it covers while payments continued, unless a stored head confirms it.',
  },
  {
    name: 'chain_authentic',
    says: 'Every block has a valid authentication code, which only the service can create.',
  },
  { name: 'chain_has_kept_heads', says: 'Every head that was stored elsewhere is in the chain.' },
  {
    name: 'collections_authentic',
    says: 'Every collection was recorded by the service: it has a valid authentication code.',
  },
  {
    name: 'receipts_authentic',
    says: 'Every receipt, its vendor and who decided it were recorded by the service: it has a valid authentication code.',
  },
  ACCOUNTS_INVARIANT,
  {
    name: 'corrections_authentic',
    says: 'Every correction was approved through the service: it has a valid authentication code.',
  },
  {
    name: 'payouts_authentic',
    says: 'Every payout was approved through the service: it has a valid authentication code.',
  },
  {
    name: 'openings_authentic',
    says: 'Every balance that a vendor brought was approved through the service: it has a valid authentication code.',
  },
  PHONES_INVARIANT,
  REFERENCES_INVARIANT,
  {
    name: 'house_authentic',
    says: 'Every transfer of the house was posted by the service: it has a valid authentication code.',
  },
];

/**
 * Verifies every invariant over one snapshot, alongside running payments: nothing is locked. Takes
 * time in proportion to the number of transfers. On a cluster each node has a snapshot of its own,
 * so a finding is reported only if it is found again.
 */
export async function checkLedger(pool: Pool, options: CheckOptions = {}): Promise<CheckReport> {
  const first = await look(pool, options);
  if (first.violations.length === 0 || (await findCitus(pool)) === undefined) return first;
  const violations = await findConfirmed(
    first.violations,
    async () => (await look(pool, options)).violations,
  );
  return { ...first, violations };
}

async function look(pool: Pool, options: CheckOptions): Promise<CheckReport> {
  const { mac, schema, also = [], onInvariant } = options;
  return await snapshot(pool, async (client) => {
    await client.query('set local statement_timeout = 0');
    const { violations, chain } = await checkRows(client, options);
    onInvariant?.('schema_intact');
    for (const detail of await findDifferences(client, schema)) {
      violations.push({ invariant: 'schema_intact', vendorId: 0, detail });
    }
    return {
      invariants: [...INVARIANTS, ...FURTHER_INVARIANTS, ...also].map(({ name, says }) => ({
        name,
        says,
      })),
      violations: violations.map((violation) => ({
        ...violation,
        detail: withReferences(violation),
      })),
      counted: await count(client),
      head: chain.head,
      keptHeads: chain.keptHeads,
      authenticated: mac !== undefined,
    };
  });
}

/** Violations under the names of answers, with the vendors’ own ids. */
export async function withVids(db: Queryable, violations: readonly Violation[]) {
  const vids = await readVids(db);
  return violations.map(({ invariant, vendorId, detail }) => ({
    ...{ invariant, vendor_id: vendorId, vid: vids.get(vendorId) ?? null, detail },
  }));
}

/** Verifies what the rows say, without the schema, in the caller's snapshot. */
export async function checkRows(
  client: Queryable,
  { mac, heads = [], also = [], onInvariant }: CheckOptions = {},
): Promise<{ readonly violations: Violation[]; readonly chain: ChainReport }> {
  const violations: Violation[] = [];
  for (const invariant of INVARIANTS) {
    onInvariant?.(invariant.name);
    violations.push(...(await findViolations(client, invariant)));
  }
  violations.push(...(await checkPrices(client, onInvariant)));
  violations.push(...(await checkHours(client, onInvariant)));
  violations.push(...(await checkOpenings(client, onInvariant)));
  onInvariant?.('chain_intact');
  const chain = await checkChain(client, { mac, heads, onProgress: onInvariant });
  violations.push(...chain.violations);
  if (mac !== undefined) {
    violations.push(...(await checkAuthenticity(client, mac, onInvariant)));
    for (const { name, find } of also) {
      onInvariant?.(name);
      for (const detail of await find(client, mac)) {
        violations.push({ invariant: name, vendorId: 0, detail });
      }
    }
  }
  return { violations, chain };
}

/** Bucket by bucket: on a cluster, rows of several are on several nodes. */
async function findViolations(
  client: Queryable,
  { name, sql, overall }: Invariant,
): Promise<Violation[]> {
  type Found = { vendorId: number; detail: string };
  const found =
    overall === true
      ? (await client.query<Found>(sql)).rows
      : await queryByBucket<Found>(client, sql);
  return found.map(({ vendorId, detail }) => ({ invariant: name, vendorId, detail }));
}

async function findDifferences(client: Queryable, schema: Schema | undefined): Promise<string[]> {
  const differences = await findSchemaDifferences(client, { additions: 'all' });
  if (schema === undefined) return differences;
  const changed = changedFunctions(schema, await readAppliedFunctions(client));
  return [
    ...differences,
    ...changed.map(({ name }) => `${name} is not applied in this version’s text`),
  ];
}

/** Except cases, proposals and quarantines, which have an id. */
const ID = new RegExp(String.raw`(?<!case |proposal |payout |quarantine )\b${ID_FORM}\b`, 'g');

/** Replaces ids by the references that people use. */
function withReferences({ vendorId, detail }: Violation): string {
  return detail.replace(ID, (id) => encodeReference(vendorId, id));
}

async function count(client: Queryable): Promise<Record<string, number>> {
  const counted = await client.query<Record<string, bigint>>(
    `select (select count(*) from vendors) as vendors, (select count(*) from transfers) as transfers,
       (select count(*) from payments) as payments,
       (select count(*) from payments where outcome is null) as open,
       (select count(*) from archived_payments) as archived,
       (select count(*) from cases) as cases,
       (select count(*) from ledger_heads) as blocks`,
  );
  return Object.fromEntries(
    Object.entries(counted.rows[0] ?? {}).map(([name, value]) => [name, Number(value)]),
  );
}
