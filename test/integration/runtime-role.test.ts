import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { SCHEMA } from '../../src/schema.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { prepareDatabase } from '../../src/platform/db/prepare.ts';
import { findRoleProblems, roleOf } from '../../src/platform/db/runtime-role.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../../deploy/roles.sql');

/** Only the owner may change or delete rows of these tables. */
const APPEND_ONLY = `transfers ledger_blocks ledger_heads collections fund_movements payments
  unexecuted_attempts unmatched_callbacks archive_files archived_payments batch_chunks case_events
  corrections operator_statements closed_days day_totals quarantine_events enquiries
  subject_enquiries account_corrections suppression_changes enquiry_retention backups fee_prices
  operator_prices
  schema_migrations schema_functions schema_objects receipt_reports receipt_events audit_log
  audit_results`.split(/\s+/);
/** The service may delete rows of these tables only. */
const DELETABLE =
  `action_answers jobs request_nonces passkeys passkey_challenges request_log sessions sign_in_failures sign_in_sources routes route_breakers operator_float_hours operator_products vendor_float_hours phone_prefixes
  webhooks suppression_rules credit_import_findings database_processes operator_handles`.split(
    /\s+/,
  );
/** Columns that are written once, in rows that otherwise change. */
const FROZEN = `statement_rows.kind statement_rows.amount_cents statement_rows.operator_reference
  statement_rows.payment_id statement_rows.row_id accounts.vendor_id accounts.account dispatch_queue.vendor_id
  dispatch_queue.payment_id dispatch_queue.biller_code accounts.bucket
  dispatch_queue.bucket payments.bucket vendors.vendor_id vendors.vid collectors.collector
  security_keys.holder security_keys.holder_kind security_keys.key_id
  security_keys.valid_until cases.case_id cases.kind receipts.receipt receipts.issuer receipts.amount_cents
  house_entries.amount_cents house_entries.debit_account house_entries.proposed_by
  top_up_rules.maximum_cents top_up_rules.set_by top_ups.rule_id
  receipts.collector receipt_accounts.vendor_id receipt_accounts.account
  cases.payment_id cases.opened_at events.event_id events.amount_cents events.outcome
  events.account events.details batches.content batches.file_sha256
  batches.batch_reference quarantines.entered_at enquiry_chains.vendor_id
  credit_imports.file_hash subjects.crn people.login people.vendor_id sessions.person_id
  person_links.person_id`.split(/\s+/);

let database: TestDatabase;
let runtime: Pool;
const made: string[] = [];
const pools: Pool[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  runtime = createPool({ url: database.url, max: 1, name: 'test' });
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map(async (pool) => await pool.end()));
});
afterAll(async () => {
  await runtime.end();
  await database.drop();
  await inCluster(async (client) => {
    for (const name of made.filter((text) => text.startsWith('db_'))) {
      await client.query(`drop database if exists ${name} with (force)`);
    }
    for (const name of made.filter((text) => !text.startsWith('db_'))) {
      await client.query(`drop role if exists ${name}`);
    }
  });
});

async function inCluster(work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: inject('clusterUrl') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function open(url: string): Pool {
  const pool = createPool({ url, max: 1, name: 'test' });
  pools.push(pool);
  return pool;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly kind: string;
}

async function columns(): Promise<Column[]> {
  const read = await runtime.query<{ table: string; column: string; kind: string }>(
    `select c.relname as table, a.attname as column, c.relkind::text as kind
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
     order by 1, a.attnum`,
  );
  return read.rows;
}

/** In the database: one round trip for all. Nothing that is allowed has an effect. */
const TRY_ALL = `do $$
  declare
    tried text;
    allowed text[] := '{}';
  begin
    for tried in select jsonb_array_elements_text(current_setting('tests.statements')::jsonb) loop
      begin
        execute tried;
        allowed := allowed || tried;
        raise sqlstate 'MA001';
      exception when insufficient_privilege or sqlstate 'MA001' then
      end;
    end loop;
    perform set_config('tests.allowed', to_jsonb(allowed)::text, false);
  end $$`;

/** Those that PostgreSQL lets the runtime role run; privileges are checked even though no row is affected. */
async function allowedOf(statements: readonly string[]): Promise<string[]> {
  await runtime.query(`select set_config('tests.statements', $1, false)`, [
    JSON.stringify(statements),
  ]);
  await runtime.query(TRY_ALL);
  const read = await runtime.query<{ allowed: string[] }>(
    `select current_setting('tests.allowed')::jsonb as allowed`,
  );
  return read.rows[0]?.allowed ?? [];
}

const isAllowed = async (statement: string): Promise<boolean> =>
  (await allowedOf([statement])).length === 1;

describe('the runtime role', () => {
  test('has declared rights on every table and view, and on nothing else', async () => {
    const relations = new Set((await columns()).map(({ table }) => table));
    expect(Object.keys(SCHEMA.grants).toSorted()).toEqual([...relations].toSorted());
    const known = new Set((await columns()).map(({ table, column }) => `${table}.${column}`));
    const named = Object.entries(SCHEMA.grants).flatMap(([table, grants]) =>
      [...(grants.update ?? []), ...(grants.updateAllBut ?? [])].map((name) => `${table}.${name}`),
    );
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(await findRoleProblems(runtime, SCHEMA)).toEqual([]);
  });

  test('may read everything, but update and delete only what is declared', async () => {
    const all = (await columns()).filter(({ kind }) => kind !== 'v');
    const tried: string[] = [];
    const declared: string[] = [];
    for (const { table, column } of all) {
      const { update, updateAllBut } = SCHEMA.grants[table] ?? {};
      const statement = `update ${table} set ${column} = ${column} where false`;
      tried.push(statement);
      const isDeclared = update?.includes(column) ?? updateAllBut?.includes(column) === false;
      if (isDeclared) declared.push(statement);
    }
    for (const table of new Set(all.map((row) => row.table))) {
      const [read, remove] = [
        `select from ${table} where false`,
        `delete from ${table} where false`,
      ];
      tried.push(read, remove, `truncate ${table}`, `drop table ${table}`);
      tried.push(`alter table ${table} disable trigger all`);
      declared.push(read);
      if (SCHEMA.grants[table]?.delete === true) declared.push(remove);
    }
    expect(await allowedOf(tried)).toEqual(declared);
  });

  test('cannot change append-only or frozen data, whatever is declared', async () => {
    const all = await columns();
    const never = all.filter(
      ({ table, column }) => APPEND_ONLY.includes(table) || FROZEN.includes(`${table}.${column}`),
    );
    expect(new Set(never.map(({ table }) => table)).size).toBeGreaterThan(APPEND_ONLY.length);
    const kept = new Set(all.filter(({ kind }) => kind !== 'v').map(({ table }) => table));
    for (const table of DELETABLE) kept.delete(table);
    const updates = never.map(({ table, column }) => `update ${table} set ${column} = ${column}`);
    const tried = [...updates, ...[...kept].map((table) => `delete from ${table}`)];
    expect(await allowedOf(tried)).toEqual([]);
  });

  test('creates payments and queue rows only through the function that reserves their amount', async () => {
    const payment = `insert into payments (bucket, vendor_id, payment_id, biller_code, account, amount_cents,
        fee_cents, duplicate_key, created_at)
      values (0, 1, gen_random_uuid(), 'b', 'a', 1, 0, 0, now())`;
    const queued = `insert into dispatch_queue (bucket, vendor_id, payment_id, biller_code, due_at)
      values (0, 1, gen_random_uuid(), 'b', now())`;
    for (const statement of [payment, queued]) {
      expect(await isAllowed(statement), statement).toBe(false);
    }
    const create = `select from create_payments(0, '{1}', array[gen_random_uuid()], '{null}', '{b}', '{a}',
      '{null}', '{1}', '{0}', null, null, '{0}', null, false)`;
    expect(await isAllowed(create)).toBe(true);
  });

  test('can neither get more privileges nor create objects', async () => {
    for (const statement of [
      'create table mine (n integer)',
      `create function mine() returns integer language sql as 'select 1'`,
      'create schema mine',
      'alter table transfers add column more integer',
      'create trigger none before insert on transfers execute function suppress_redundant_updates_trigger()',
      'drop function delete_old_events',
      `alter function settle_payments security invoker`,
      'alter role current_user superuser',
      'set session_replication_role = replica',
      `set role ${new URL(database.ownerUrl).username}`,
      `copy transfers to program 'true'`,
    ]) {
      expect(await isAllowed(statement), statement).toBe(false);
    }
  });

  test('no other role may call the owner’s functions', async () => {
    const read = await runtime.query<{ name: string; settings: string[] | null; public: boolean }>(
      `select p.proname as name, p.proconfig as settings,
         exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
           where a.grantee = 0) as public
       from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef order by 1`,
    );
    expect(read.rows.map(({ name }) => name)).toContain('settle_payments');
    for (const row of read.rows) {
      expect(row.settings, row.name).toContain('search_path=public, pg_temp');
      expect(row.public, row.name).toBe(false);
    }
  });
});

/** An empty database of its own, and names for two roles. */
async function emptyDatabase(): Promise<{ url: URL; owner: string; runtimeRole: string }> {
  const tag = randomBytes(5).toString('hex');
  const [name, owner, runtimeRole] = [`db_${tag}`, `owner_${tag}`, `runtime_${tag}`];
  made.push(name, owner, runtimeRole);
  const url = new URL(inject('clusterUrl'));
  await inCluster(async (client) => void (await client.query(`create database ${name}`)));
  url.pathname = `/${name}`;
  return { url, owner, runtimeRole };
}

function as(url: URL, username: string, password: string): string {
  const changed = new URL(url);
  changed.username = username;
  changed.password = password;
  return changed.href;
}

test('an added function of the owner is found, and revoked from the runtime role at the next start', async () => {
  const fresh = await createTestDatabase();
  try {
    await fresh.asOwner(
      `create function spy() returns void language sql security definer as 'select'`,
    );
    const [byOwner, byRuntime] = [open(fresh.ownerUrl), open(fresh.url)];
    expect(await findRoleProblems(byRuntime, SCHEMA)).toEqual(['it may EXECUTE spy()']);
    expect(await prepareDatabase(byOwner, byRuntime, SCHEMA)).toMatchObject({ roleProblems: [] });
  } finally {
    await Promise.all(pools.splice(0).map(async (pool) => await pool.end()));
    await fresh.drop();
  }
});

describe('the script', () => {
  test('creates both roles, run once or twice, and neither is a superuser', async () => {
    const { url, owner, runtimeRole } = await emptyDatabase();
    const settings = `set malipo.owner = '${owner}'; set malipo.runtime = '${runtimeRole}';
      set malipo.owner_password = 'o''1'; set malipo.runtime_password = 'r1';`;
    const script = await readFile(SCRIPT, 'utf8');
    const admin = open(url.href);
    await admin.query(settings + script);
    await admin.query(settings + script);
    const [byOwner, byRuntime] = [open(as(url, owner, "o'1")), open(as(url, runtimeRole, 'r1'))];
    const prepared = await prepareDatabase(byOwner, byRuntime, SCHEMA);
    const names = [...SCHEMA.migrations, ...SCHEMA.functions].map(({ name }) => name);
    expect(prepared).toEqual({ applied: names, asOwner: true, oneRole: false, roleProblems: [] });
    // The next start corrects manual grants and revocations.
    await byOwner.query(`grant delete, truncate on transfers to ${runtimeRole}`);
    await byOwner.query(`revoke insert on transfers from ${runtimeRole}`);
    expect(await findRoleProblems(byRuntime, SCHEMA)).toEqual([
      'it may DELETE transfers',
      'it may TRUNCATE transfers',
      'it may not INSERT transfers',
    ]);
    expect(await prepareDatabase(byOwner, byRuntime, SCHEMA)).toMatchObject({ roleProblems: [] });
    // A process without the owner's URL finds everything in place.
    expect(await prepareDatabase(byRuntime, byRuntime, SCHEMA)).toEqual({
      applied: [],
      asOwner: false,
      oneRole: false,
      roleProblems: [],
    });
  });

  test('a process that knows only the runtime role requires the script', async () => {
    const { url, owner, runtimeRole } = await emptyDatabase();
    const script = await readFile(SCRIPT, 'utf8');
    await open(url.href).query(
      `set malipo.owner = '${owner}'; set malipo.runtime = '${runtimeRole}';
       set malipo.runtime_password = 'r1'; ${script}`,
    );
    const byRuntime = open(as(url, runtimeRole, 'r1'));
    await expect(prepareDatabase(byRuntime, byRuntime, SCHEMA)).rejects.toMatchObject({
      plain: true,
      message: expect.stringContaining('DATABASE_OWNER_URL') as string,
    });
  });
});

test('a role that owns its database and may not create roles works alone, and is recognised', async () => {
  const { url, owner } = await emptyDatabase();
  const admin = open(url.href);
  await admin.query(
    `create role ${owner} login password 'o1'; alter database ${url.pathname.slice(1)} owner to ${owner}`,
  );
  const [first, second] = [open(as(url, owner, 'o1')), open(as(url, owner, 'o1'))];
  const prepared = await prepareDatabase(first, second, SCHEMA);
  expect(prepared).toMatchObject({ asOwner: true, oneRole: true });
  expect(prepared.roleProblems).toContain('it owns the database');
  expect(await roleOf(second)).toBe(owner);
});

test.each([
  ['superuser', 'it is a superuser'],
  ['createrole', 'it may create roles'],
  ['bypassrls', 'it bypasses row security'],
  ['replication', 'it may replicate'],
])('a runtime role with %s is found unfit', async (attribute, problem) => {
  const { url, runtimeRole } = await emptyDatabase();
  const owner = open(url.href);
  await owner.query(`create role ${runtimeRole} login password 'r1' ${attribute}`);
  const { roleProblems } = await prepareDatabase(owner, open(as(url, runtimeRole, 'r1')), SCHEMA);
  expect(roleProblems).toContain(problem);
});
