import { Client } from 'pg';
import type { FieldDef } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { ColumnKind, Extracted, RowType, Statement } from '../architecture/statement.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { extractStatements } from '../support/extract-statements.ts';

/** Statements whose text is known only at run time, by file and expression, and why that is acceptable. */
const DYNAMIC: Readonly<Record<string, string>> = {
  "src/parties/buckets-store.ts `create or replace function bucket_of(p_vendor_id integer) returns integer language sql immutable parallel safe as 'select p_vendor_id % ${count}'`":
    'cluster.test.ts runs it',
  'src/payments/audit/check.ts sql': 'ledger-check.test.ts runs every invariant',
  'src/payments/ledger/in-bucket.ts inBucket(sql, bucket, onCluster)':
    'ledger-check.test.ts and ledger-chain.test.ts run each of them',
  'src/platform/cluster/distribute.ts `analyze ${pg.escapeIdentifier(name)}`':
    'cluster.test.ts runs it for every table',
  "src/platform/cluster/distribute.ts `lock table ${read.rows[0]?.names ?? ''} in access exclusive mode`":
    'the names are quoted by the database',
  "src/platform/cluster/distribute.ts `select count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as digest from ${quoted.rows[0]?.name ?? ''} t`":
    'the name is quoted by the database',
  'src/platform/cluster/rebucket.ts `update ${name} set bucket = bucket_of(vendor_id) where bucket <> bucket_of(vendor_id)`':
    'for every table with the column',
  'src/platform/db/migrate.ts migration.sql': 'the test database is made of the migrations',
  'src/platform/db/migrate.ts sql': 'the test database has the SQL functions',
  "src/platform/db/pool.ts result === undefined ? 'rollback' : 'commit'": 'neither can be misspelt',
  'src/platform/db/session-settings.ts { text, values, query_timeout: SET_TIMEOUT_MS } as QueryConfig':
    'every connection runs both',
  'src/platform/db/runtime-role.ts statement':
    'runtime-role.test.ts runs what the database returns',
  "src/platform/db/runtime-role.ts made.rows[0]?.statement ?? ''":
    'runtime-role.test.ts runs what the database returns',
};

/** Objects that the database of this test may lack, by the folder that uses them. */
const OF_OTHERS: Readonly<Record<string, RegExp>> = {
  'src/platform/cluster/':
    /\b(citus_\w+|pg_dist_\w+|run_command_on_\w+|\w*distribut\w+|create_reference_table)\b/,
  // Used on the embedded PostgreSQL; the one of this test may be older.
  'src/platform/backup/': /\bpg_split_walfile_name\b/,
  // Since PostgreSQL 18.
  'src/platform/db/planner-statistics.ts': /\bpg_restore_\w+_stats\b/,
};

/** Columns that accept null, by file and name: why these statements return none. */
const NOT_NULL: Readonly<Record<string, string>> = {
  'src/payments/cases/kept-receipts-store.ts receiptId': 'a case about a receipt names it',
  'src/payments/quarantine/read-lost.ts paymentId': 'selected by payment_id is not null',
  'src/payments/audit/disbursements-check.ts vendorId':
    'payouts to phones and refunds are about a vendor',
  'src/payments/audit/openings-check.ts statedCents': 'selected by opening_cents is not null',
  'src/batches/store.ts sealed': 'selected by sealed_content is not null',
  'src/credit/bureaus/rotate-store.ts sealedAnswer': 'selected by sealed_answer is not null',
  'src/credit/bureaus/upstream-store.ts sealedAnswer': 'selected by sealed_answer is not null',
  'src/payments/billers/products-store.ts currency': 'selected by currency = …',
  'src/payments/billers/products-store.ts maximumCents': 'set like minimum_cents',
  'src/payments/billers/products-store.ts minimumCents': 'selected by minimum_cents is not null',
  'src/payments/dispatch/float-guard-store.ts polledAt': 'selected by polled_at > …',
  'src/payments/dispatch/queue-totals-store.ts operatorVersion':
    'only instructions whose version is known',
  'src/payments/dispatch/queue-totals-store.ts operatorCode':
    'selected by operator_code is not null',
  'src/payments/reconciliation/bridge-store.ts closingCents':
    'selected by closing_cents is not null',
  'src/payments/reconciliation/store.ts paymentId': 'selected by payment_id',
  'src/payments/timeline/store.ts paymentId': 'selected by payment_id',
};

let database: TestDatabase;
let client: Client;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
  pool = createPool({ url: database.url, max: 1, name: 'test' });
});

afterAll(async () => {
  await client.end();
  await pool.end();
  await database.drop();
});

/** Parses a statement on the server and returns its result columns. Throws the server's error. */
async function columnsOf(text: string): Promise<readonly FieldDef[]> {
  return await new Promise((resolve, reject) => {
    let columns: readonly FieldDef[] = [];
    const ignore = (): void => undefined;
    const query = {
      submit: (connection: {
        parse(query: object): void;
        describe(what: object): void;
        sync(): void;
      }) => {
        connection.parse({ name: '', text, types: [] });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription: (message: { fields: FieldDef[] }) => void (columns = message.fields),
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
      handleCommandComplete: ignore,
      handleEmptyQuery: ignore,
    };
    client.query(query as never);
  });
}

/** A value of each type, by its category in `pg_type`, or by its name where that is more specific. */
const SAMPLES: Readonly<Record<string, string>> = {
  N: '1',
  B: 't',
  S: 'a',
  D: '2026-01-01',
  Z: 'a',
  bytea: '\\x00',
  tid: '(0,1)',
  uuid: '00000000-0000-0000-0000-000000000000',
};

const kinds = new Map<number, ColumnKind>();

/** The kind of value that `pg` returns for the type, found by a query. JSON may be anything. */
async function kindOf(oid: number): Promise<ColumnKind> {
  const known = kinds.get(oid);
  if (known !== undefined) return known;
  const kind = await findKind(oid);
  kinds.set(oid, kind);
  return kind;
}

async function findKind(oid: number): Promise<ColumnKind> {
  const found = await client.query<{ name: string; category: string; label: string | null }>(
    `select format_type(oid, null) as name, typcategory::text as category,
       (select enumlabel::text from pg_enum where enumtypid = t.oid limit 1) as label
     from pg_type t where oid = $1`,
    [oid],
  );
  const [type] = found.rows;
  if (type === undefined) throw new Error(`there is no type ${oid}`);
  if (type.name === 'json' || type.name === 'jsonb') return 'any';
  if (type.name === 'void') return 'string';
  const sample =
    type.category === 'A' ? '{}' : (type.label ?? SAMPLES[type.name] ?? SAMPLES[type.category]);
  if (sample === undefined) throw new Error(`SAMPLES needs a value of ${type.name}`);
  const read = await pool.query<{ value: unknown }>(`select '${sample}'::${type.name} as value`);
  const value = read.rows[0]?.value;
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'Date';
  if (Buffer.isBuffer(value)) return 'Buffer';
  return typeof value as ColumnKind;
}

/** True when the column is one of a table that accepts null there; a computed one is not known. */
async function acceptsNull({ tableID, columnID }: FieldDef): Promise<boolean> {
  if (columnID === 0) return false;
  const found = await client.query<{ accepts: boolean }>(
    `select not a.attnotnull as accepts from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attrelid = $1 and a.attnum = $2 and c.relkind in ('r', 'p')`,
    [tableID, columnID],
  );
  return found.rows[0]?.accepts === true;
}

async function faultsOf({ text, row }: Pick<Statement, 'text' | 'row'>): Promise<string[]> {
  let columns: readonly FieldDef[];
  try {
    columns = await columnsOf(text);
  } catch (error) {
    return [(error as Error).message];
  }
  if (row === null) return [];
  const names = columns.map(({ name }) => name);
  const faults = [
    ...Object.keys(row)
      .filter((name) => !names.includes(name) && row[name]?.includes('undefined') !== true)
      .map((name) => `${name} is not returned`),
    ...names
      .filter((name) => row[name] === undefined)
      .map((name) => `${name} is not in the row type`),
  ];
  faults.push(
    ...Object.keys(row)
      .filter((name) => name.includes('_'))
      .map((name) => `${name} is not in camelCase`),
  );
  for (const column of columns) {
    const declared = row[column.name];
    if (declared !== undefined) faults.push(...(await columnFaults(column, declared)));
  }
  return faults;
}

/** Faults of one column, each beginning with its name. */
async function columnFaults(column: FieldDef, declared: RowType[string]): Promise<string[]> {
  const faults: string[] = [];
  const kind = await kindOf(column.dataTypeID);
  const values = declared.filter((one) => one !== 'null' && one !== 'undefined' && one !== 'any');
  const isOther = (one: ColumnKind): boolean =>
    kind === 'any' ? one === 'bigint' || one === 'Buffer' || one === 'Date' : one !== kind;
  if (values.some(isOther)) {
    faults.push(`${column.name} is ${kind === 'any' ? 'JSON' : kind}, not ${values.join(' | ')}`);
  }
  const mayBeNull = declared.includes('null') || declared.includes('any');
  if (!mayBeNull && (await acceptsNull(column))) faults.push(`${column.name} may be null`);
  return faults;
}

/** `fetch … from <cursor>` returns what the cursor was declared for. */
function withCursors(statements: readonly Statement[]): Statement[] {
  const declared = new Map(
    statements.flatMap(({ text }) => {
      const match = /^declare (\w+) .*?cursor for\s+(.*)$/s.exec(text);
      return match === null ? [] : [[match[1], match[2]] as const];
    }),
  );
  return statements.map((statement) => {
    const cursor = /^fetch .*from (\w+)$/.exec(statement.text)?.[1];
    return { ...statement, text: declared.get(cursor) ?? statement.text };
  });
}

async function allFaults({ statements }: Extracted): Promise<{ file: string; fault: string }[]> {
  const all = [];
  for (const statement of withCursors(statements)) {
    const [file = ''] = statement.at.split(':');
    const [, ofOthers] =
      Object.entries(OF_OTHERS).find(([folder]) => file.startsWith(folder)) ?? [];
    for (const fault of await faultsOf(statement)) {
      // Such statements are parsed as far as possible.
      if (fault.endsWith('does not exist') && ofOthers?.test(fault) === true) continue;
      all.push({ at: statement.at, file, fault });
    }
  }
  return all;
}

describe('the statements of the source', () => {
  let extracted: Extracted;

  beforeAll(() => {
    extracted = extractStatements('src');
  });

  test('the search finds all statements of the source', () => {
    const called = extracted.statements.length + extracted.dynamic.length;
    expect(called).toBeGreaterThan(300);
    const dynamic = extracted.dynamic.map(
      ({ at, expression }) => `${at.split(':')[0]} ${expression.replaceAll(/\s+/g, ' ')}`,
    );
    expect(dynamic.toSorted()).toEqual(Object.keys(DYNAMIC).toSorted());
  });

  test('can be prepared, and return what their row types say', async () => {
    const found = await allFaults(extracted);
    const excuse = ({ file, fault }: { file: string; fault: string }): string =>
      fault.endsWith(' may be null') ? `${file} ${fault.split(' ')[0]}` : '';
    expect(found.filter((one) => NOT_NULL[excuse(one)] === undefined)).toEqual([]);
    const needed = new Set(found.map(excuse));
    expect(Object.keys(NOT_NULL).filter((name) => !needed.has(name))).toEqual([]);
  });
});

/** The check above has to fail when it should. */
test('planted faults are found', async () => {
  const planted = extractStatements('test/architecture/planted-statements.ts');
  expect((await allFaults(planted)).map(({ fault }) => fault)).toEqual([
    'column "vidd" does not exist',
    'phone is not returned',
    'name is not in the row type',
    'vendorId is not returned',
    'vendor_id is not in the row type',
    'vendor_id is not in camelCase',
    'count is bigint, not number',
    'vendorId is number, not bigint',
    'createdAt is Date, not string',
    'validUntil may be null',
    'vids is array, not string',
  ]);
  expect(planted.dynamic).toHaveLength(1);
});
