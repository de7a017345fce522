import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { completeChain } from '../../src/payments/ledger/chain.ts';
import { decisionDeps, groundsOf } from '../support/credit-decisions.ts';
import { DECISIONS_AUTHENTIC } from '../../src/proposals/authenticity.ts';
import { proposeRule } from '../../src/credit/decisions/propose.ts';
import type { SuppressionRule } from '../../src/credit/registry/suppression.ts';
import { systemClock } from '../../src/platform/base/clock.ts';
import { checkLedger, checkRows } from '../../src/payments/audit/check.ts';
import type { Violation } from '../../src/payments/audit/violation.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { archivePayments } from '../../src/payments/archive/archive.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import {
  COLLECTOR,
  createInstructed,
  failedReport,
  openBooks,
  paidReport,
} from '../support/money-fixture.ts';
import { prepared } from '../support/books-check.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

// An attacker alters the database by SQL, as the role that owns it or, if rows are only added, as the
// runtime role. `ledger check` finds each change, or docs/operating/security.md says that it does not.

const SECURITY_PAGE = path.resolve(import.meta.dirname, '../../docs/operating/security.md');

const RULE: SuppressionRule = {
  ...{ rule: 'relief', reason: 'A notice', balanceUpToCents: 500_000n, originalUpToCents: null },
  ...{ products: null, sectors: null, riskClasses: null, statesFrom: null, statesUntil: null },
};

let books: Books;
let folder: string;
let vendorId: number;
let payments: Record<'queued' | 'paid' | 'failed' | 'corrected' | 'archived', NewPayment>;
/** The head when everything was chained. */
let keptHead: string;

beforeAll(async () => {
  books = await openBooks();
  folder = await mkdtemp(path.join(tmpdir(), 'malipo-tampering-'));
  vendorId = await books.addVendor();
  await books.addFloat(vendorId, 1_000_000n);
  const made = (name: string): NewPayment =>
    newPayment({ vendorId, feeCents: 10n, phone: '254722000000', merchantReference: name });
  payments = {
    queued: made('queued'),
    paid: made('paid'),
    failed: made('failed'),
    corrected: made('corrected'),
    archived: made('archived'),
  };
  const { queued, paid, failed, corrected, archived } = payments;
  await createInstructed(books.pool, [archived]);
  await settlePayments(books.pool, [
    paidReport(archived, { details: { token: '12345678901234567890' } }),
  ]);
  await extend();
  await archivePayments(books.owner, {
    vendorIds: [vendorId],
    before: new Date(Date.now() + 60_000),
    folder,
  });
  await createInstructed(books.pool, [paid, failed, corrected]);
  await createPayments(books.pool, [queued]);
  await settlePayments(books.pool, [
    paidReport(paid, { details: { token: '98765432109876543210', units: '12.3' } }),
    failedReport(failed),
    failedReport(corrected),
  ]);
  await extend();
  // The operator first reports it as paid, then as not paid.
  await settlePayments(books.pool, [paidReport(corrected)]);
  await decide('charge_vendor');
  await extend();
  await settlePayments(books.pool, [failedReport(corrected)]);
  await decide('return_to_vendor');
  await extend();
  const deps = decisionDeps({ ...books, clock: systemClock });
  await proposeRule(deps, RULE, groundsOf('A notice', 'Circular 7'));
  const report = await checkLedger(books.pool, { mac: books.ledgerMac });
  expect(report.violations).toEqual([]);
  keptHead = report.head?.hash ?? '';
});
afterAll(async () => {
  await books.close();
  await rm(folder, { recursive: true });
});

async function extend(): Promise<void> {
  await completeChain(books.pool, books.ledgerMac);
}

async function decide(resolution: string): Promise<void> {
  const open = await books.pool.query<{ case_id: string }>(
    `select case_id from cases where resolved_at is null and kind = 'contradiction'`,
  );
  const caseId = open.rows[0]?.case_id ?? '';
  const terms = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution, note: 'as the operator says', ...terms };
  await proposeResolution(books, { caseId, by: 'Asha', proposal });
  await approveCurrent(books, { caseId, by: 'Baraka' });
}

async function check(heads: readonly string[] = []): Promise<readonly Violation[]> {
  const also = [DECISIONS_AUTHENTIC];
  return (await checkLedger(books.pool, { mac: books.ledgerMac, heads, also })).violations;
}

/** Every table that is tampered with, and that is restored afterwards. */
const TABLES = [
  'accounts',
  'transfers',
  'ledger_blocks',
  'ledger_heads',
  'ledger_chain',
  'collections',
  'fund_movements',
  'payments',
  'archived_payments',
  'dispatch_queue',
  'unexecuted_attempts',
  'cases',
  'corrections',
  'security_keys',
  'proposal_decisions',
] as const;

/** Changes the books, runs the check, and restores them. */
async function afterwards<Result>(
  tamper: () => Promise<unknown>,
  look: () => Promise<Result>,
): Promise<Result> {
  for (const table of TABLES) {
    await books.owner.query(`create table saved_${table} as select * from ${table}`);
  }
  try {
    await tamper();
    return await look();
  } finally {
    await books.owner.query(
      `drop function if exists mine cascade;
       do $$ begin
         if to_regclass('definition') is not null then
           execute (select sql from definition);
           drop table definition;
         end if;
       end $$`,
    );
    for (const table of TABLES) {
      await books.owner.query(
        `delete from ${table}; insert into ${table} select * from saved_${table};
         drop table saved_${table}`,
      );
    }
  }
}

/** As the owner of the database, unless another role's pool is given. */
async function run(
  sql: string,
  values: readonly unknown[] = [],
  pool: Pool = books.owner,
): Promise<void> {
  const done = await pool.query(sql, [...values]);
  if (done.rowCount === 0) throw new Error(`nothing was changed by: ${sql}`);
}

/** Another value of the same type, as SQL. */
const OTHER_VALUES: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column} || 'x', 'x')`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  smallint: (column) => `coalesce(${column}, 0) + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 microsecond'`,
  uuid: () => 'gen_random_uuid()',
  jsonb: () => `'{"token": "other"}'`,
  bytea: (column) => `coalesce(sha256(${column}), sha256('x'))`,
};
const OTHER_VALUE_OF: Readonly<Record<string, string>> = {
  'payments.outcome': `case outcome when 'failed' then 'success' else 'failed' end`,
  'payments.failure_code': `case failure_code when 'other' then 'declined' else 'other' end`,
  'payments.attempt_outcome': `case attempt_outcome when 'paid' then 'declined' else 'paid' end`,
  'archived_payments.outcome': `case outcome when 'failed' then 'success' else 'failed' end`,
  'corrections.outcome_before': `case outcome_before when 'failed' then 'success' else 'failed' end`,
  'corrections.outcome_after': `case outcome_after when 'failed' then 'success' else 'failed' end`,
};

/** Columns whose change is not found, each listed on the security page. */
const NOT_COVERED = [
  'payments.duplicate_key',
  'archived_payments.archive_id',
  'archived_payments.attempt_number',
  'archived_payments.detail_marks',
  'dispatch_queue.due_at',
  'dispatch_queue.claim_number',
  'dispatch_queue.verify_count',
  'dispatch_queue.operator_handle',
  'dispatch_queue.note',
  'dispatch_queue.sent_at',
  'dispatch_queue.stage',
  'dispatch_queue.attempt_number',
  'dispatch_queue.operator_code',
  'dispatch_queue.route_reason',
  'dispatch_queue.operator_price',
  'dispatch_queue.operator_version',
];

interface Target {
  readonly table: string;
  /** A description of the rows. */
  readonly rows: string;
  readonly where: () => string;
}

const one = (which: keyof typeof payments) => (): string =>
  `payment_id = '${payments[which].paymentId}'`;

const TARGETS: readonly Target[] = [
  { table: 'payments', rows: 'a queued payment', where: one('queued') },
  { table: 'payments', rows: 'a successful payment', where: one('paid') },
  { table: 'payments', rows: 'a failed payment', where: one('failed') },
  { table: 'payments', rows: 'a corrected payment', where: one('corrected') },
  { table: 'archived_payments', rows: 'an archived payment', where: one('archived') },
  { table: 'dispatch_queue', rows: 'a queued payment', where: one('queued') },
  { table: 'collections', rows: 'a collection', where: () => 'true' },
  { table: 'fund_movements', rows: 'a fund movement', where: () => 'true' },
  { table: 'corrections', rows: 'a correction', where: () => "outcome_before = 'failed'" },
  {
    table: 'transfers',
    rows: 'a reservation',
    where: () => `source_id = '${payments.paid.paymentId}' and leg = 1`,
  },
];

async function columnsOf(table: string): Promise<{ name: string; type: string }[]> {
  const read = await books.pool.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [table],
  );
  return read.rows;
}

const REJECTIONS = new Set(['23514', '23505']);

/**
 * Makes a change, and takes it back. Returns whether the check finds it, or a constraint rejects it; every start checks
 * that the constraints are in place.
 */
async function isNoticed(change: string): Promise<boolean> {
  const client = await books.owner.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(change);
    if (rowCount === 0) throw new Error(`nothing was changed by: ${change}`);
    const also = [DECISIONS_AUTHENTIC];
    const { violations } = await checkRows(prepared(client), { mac: books.ledgerMac, also });
    return violations.length > 0;
  } catch (error) {
    if (!REJECTIONS.has((error as { code?: string }).code ?? '')) throw error;
    return true;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('a change of a single column', () => {
  // Checks the rows once for each column.
  test.each(TARGETS)(
    'every changed column is found, or listed: $rows in $table',
    { timeout: 400_000 },
    async ({ table, where }) => {
      const unnoticed: string[] = [];
      for (const { name, type } of await columnsOf(table)) {
        const column = `${table}.${name}`;
        if (NOT_COVERED.includes(column)) continue;
        const value = OTHER_VALUE_OF[column] ?? OTHER_VALUES[type]?.(name);
        if (value === undefined) throw new Error(`no other value of ${column}, ${type}`);
        const change = `update ${table} set ${name} = ${value} where ${where()}`;
        if (!(await isNoticed(change))) unnoticed.push(column);
      }
      expect(unnoticed).toEqual([]);
    },
  );

  test('every column whose change is not found is listed on the security page', async () => {
    const page = await readFile(SECURITY_PAGE, 'utf8');
    expect(NOT_COVERED.filter((column) => !page.includes(`\`${column}\``))).toEqual([]);
  });

  test('changes are reported with the payment’s reference', async () => {
    const { queued, paid } = payments;
    const found = await afterwards(async () => {
      await run(`update payments set account = 'mine' where payment_id = $1`, [queued.paymentId]);
      await run(`update payments set details = '{}' where payment_id = $1`, [paid.paymentId]);
    }, check);
    const named = (payment: NewPayment, what: string): unknown =>
      expect.stringContaining(`payment ${encodeReference(vendorId, payment.paymentId)}: ${what}`);
    expect(found.map(({ invariant }) => invariant)).toEqual(['chain_intact', 'chain_intact']);
    expect(found.map(({ detail }) => detail).toSorted()).toEqual(
      expect.arrayContaining([named(queued, 'what was accepted'), named(paid, 'its outcome')]),
    );
  });
});

/** Adds complete income by SQL: the collection, its transfer and the balances. */
async function mint(mac: string): Promise<void> {
  await run(
    `with income as (
       insert into collections (collector, reference, vendor_id, collection_id, amount_cents, paid_at,
         created_at, account, mac)
       values ($1, 'minted', $2, $3, 500, now(), now(), 'collector:till', ${mac})
     ), moved as (
       update accounts set balance_cents = balance_cents + case account when 'collector:till' then -500 else 500 end
       where vendor_id = $2 and account in ('collector:till', 'collected')
     )
     insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
     values (bucket_of($2), $2, $3, 1, 'collector:till', 'collected', 500, now())`,
    [COLLECTOR, vendorId, newId()],
    books.pool,
  );
}

/** Posts the transfer of the collection or fund movement again: under another leg, or in another bucket. */
async function repeatMovement(
  debit: string,
  credit: string,
  { leg, bucket }: { readonly leg: number; readonly bucket: number } = { leg: 2, bucket: 0 },
): Promise<void> {
  await run(
    `with moved as (
       update accounts a
       set balance_cents = a.balance_cents + case a.account when $1 then -f.amount_cents else f.amount_cents end
       from transfers f
       where f.debit_account = $1 and f.credit_account = $2 and f.leg = 1
         and a.vendor_id = f.vendor_id and a.account in ($1, $2)
     )
     insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents,
       created_at)
     select $4, vendor_id, source_id, $3, $1, $2, amount_cents, now() from transfers
     where debit_account = $1 and credit_account = $2 and leg = 1`,
    [debit, credit, leg, bucket],
    books.pool,
  );
}

/** Adds a complete payment from the float by SQL. @param at its creation time, as SQL. */
async function forgePayment(at: string): Promise<void> {
  await run(
    `with made as (
       insert into payments (bucket, vendor_id, payment_id, biller_code, account, amount_cents, fee_cents,
         duplicate_key, created_at)
       values (bucket_of($1), $1, $2, 'kplc_prepaid', 'mine', 500, 0, 0, ${at})
     ), queued as (
       insert into dispatch_queue (bucket, vendor_id, payment_id, biller_code, due_at)
       values (bucket_of($1), $1, $2, 'kplc_prepaid', now())
     ), moved as (
       update accounts set balance_cents = balance_cents + case account when 'float' then -500 else 500 end
       where vendor_id = $1 and account in ('float', 'reserved')
     )
     insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
     values (bucket_of($1), $1, $2, 1, 'float', 'reserved', 500, ${at})`,
    [vendorId, newId()],
  );
}

async function removeChain(): Promise<void> {
  await books.owner.query(
    `delete from ledger_heads; delete from ledger_blocks;
     update ledger_chain set ended_at = '-infinity'`,
  );
}

async function redirect(which: 'queued' | 'paid' = 'paid'): Promise<void> {
  await run(`update payments set account = 'mine' where payment_id = $1`, [
    payments[which].paymentId,
  ]);
}

interface Way {
  readonly way: string;
  readonly tamper: () => Promise<unknown>;
  /** The invariant that finds it; null: no invariant does. */
  readonly found: string | null;
  /** Runs as the runtime role, which may insert these rows and change balances. */
  readonly asRuntime?: true;
}

const WAYS: readonly Way[] = [
  {
    way: 'money minted by a collection without a request',
    tamper: async () => await mint('null'),
    found: 'collections_authentic',
    asRuntime: true,
  },
  {
    way: 'the same with the authentication code of another collection',
    tamper: async () => await mint('(select mac from collections limit 1)'),
    found: 'collections_authentic',
    asRuntime: true,
  },
  {
    way: 'the same, chained by the service before anybody looks',
    tamper: async () => {
      await mint('null');
      await extend();
    },
    found: 'collections_authentic',
    asRuntime: true,
  },
  {
    way: 'money minted by a second transfer of a collection that the service took',
    tamper: async () => await repeatMovement('collector:till', 'collected'),
    found: 'movements_equal_transfers',
    asRuntime: true,
  },
  {
    way: 'the same in another bucket',
    tamper: async () => await repeatMovement('collector:till', 'collected', { leg: 1, bucket: 1 }),
    found: 'rows_in_bucket',
    asRuntime: true,
  },
  {
    way: 'collected income moved to the float by a second transfer of a fund movement',
    tamper: async () => {
      await repeatMovement('collector:till', 'collected');
      await repeatMovement('collected', 'float');
    },
    found: 'movements_equal_transfers',
    asRuntime: true,
  },
  {
    way: 'money minted by a correction that nobody approved',
    tamper: async () =>
      await run(
        `with decided as (
           insert into cases (bucket, vendor_id, case_id, kind, facts, opened_at,
             proposed_by, resolution, resolved_by, resolved_at)
           values (bucket_of($1), $1, $2, 'duplicate', '{}', now(), 'Asha', 'return_to_vendor', 'Baraka', now())
         ), correction as (
           insert into corrections (bucket, vendor_id, correction_id, case_id, resolution, amount_cents, posted_at)
           values (bucket_of($1), $1, $3, $2, 'return_to_vendor', 500, now())
         ), moved as (
           update accounts set balance_cents = balance_cents + case account when 'collector:till' then -500 else 500 end
           where vendor_id = $1 and account in ('collector:till', 'float')
         )
         insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
         values (bucket_of($1), $1, $3, 1, 'collector:till', 'float', 500, now())`,
        [vendorId, newId(), newId()],
        books.pool,
      ),
    found: 'corrections_authentic',
    asRuntime: true,
  },
  {
    way: 'an approval of a proposal about the registry, written by SQL',
    tamper: async () =>
      await run(
        `insert into proposal_decisions (proposal_id, decision, decided_by, decided_at, note, is_alone, carried_out, mac)
         select proposal_id, 'approved', 'Baraka', now(), '', false, '[]', '' from proposals where is_open`,
        [],
        books.pool,
      ),
    found: 'decisions_authentic',
    asRuntime: true,
  },
  {
    way: 'a correction carried out a second time, with other particulars',
    tamper: async () =>
      await run(
        `select set_corrected_outcome(bucket, vendor_id, correction_id, 'mine', 'Paid', null)
         from corrections where outcome_before = 'failed'`,
        [],
        books.pool,
      ),
    found: 'outcome_equals_correction',
    asRuntime: true,
  },
  {
    way: 'the particulars of a corrected payment written again by its last correction',
    tamper: async () => {
      const replay = async (before: string): Promise<void> =>
        await run(
          `select set_corrected_outcome(bucket, vendor_id, correction_id, 'mine', 'Declined', null)
           from corrections where outcome_before = $1`,
          [before],
          books.pool,
        );
      await replay('failed');
      await replay('success');
    },
    found: 'chain_intact',
    asRuntime: true,
  },
  {
    way: 'a queued payment sent to another account',
    tamper: async () => await redirect('queued'),
    found: 'chain_intact',
  },
  {
    way: 'two payments whose accounts were exchanged',
    tamper: async () => {
      await redirect();
      await run(`update payments set account = 'other' where payment_id = $1`, [
        payments.failed.paymentId,
      ]);
    },
    found: 'chain_intact',
  },
  {
    way: 'a payment that is gone without a trace in the books',
    tamper: async () => {
      const values = [payments.failed.paymentId];
      await run('delete from payments where payment_id = $1', values);
      await run('delete from transfers where source_id = $1', values);
    },
    found: 'chain_intact',
  },
  {
    way: 'a payment added at a time that is chained',
    tamper: async () =>
      await forgePayment(
        `(select started_at + interval '1 microsecond' from ledger_heads where block_number = 2)`,
      ),
    found: 'chain_intact',
    asRuntime: true,
  },
  {
    way: 'a chain that was computed again, without the key',
    tamper: async () => {
      await redirect();
      const { ledgerMac } = books;
      await removeChain();
      const forger = { ...ledgerMac, sign: () => Buffer.alloc(32) };
      await completeChain(books.pool, forger);
    },
    found: 'chain_authentic',
  },
  {
    way: 'a chain that the service itself built again after its blocks were removed',
    tamper: async () => {
      await redirect();
      await removeChain();
      await extend();
    },
    found: 'chain_has_kept_heads',
  },
  {
    way: 'a chain that the service built again from the middle on',
    tamper: async () => {
      await redirect();
      await books.owner.query(
        `delete from ledger_heads where block_number > 1;
         delete from ledger_blocks where block_number > 1;
         update ledger_chain set ended_at = (select ended_at from ledger_heads)`,
      );
      await extend();
    },
    found: 'chain_has_kept_heads',
  },
  {
    way: 'a chain cut off, with its end moved back',
    tamper: async () => {
      await redirect();
      await books.owner.query(
        `delete from ledger_heads where block_number > 1;
         delete from ledger_blocks where block_number > 1;
         update ledger_chain set ended_at = (select ended_at from ledger_heads)`,
      );
    },
    found: 'chain_has_kept_heads',
  },
  {
    way: 'a trigger that changes payments as they are accepted',
    tamper: async () =>
      await books.owner.query(
        `create function mine() returns trigger language plpgsql as
           $$ begin new.account := 'mine'; return new; end $$;
         create trigger mine before insert on payments for each row execute function mine()`,
      ),
    found: 'written_as_sent',
  },
  {
    way: 'a function of the service that was replaced',
    tamper: async () =>
      await books.owner.query(
        `create table definition as select pg_get_functiondef('set_corrected_outcome'::regproc) as sql;
         create or replace function set_corrected_outcome(p_bucket integer, p_vendor_id integer, p_correction_id uuid,
           p_biller_reference text, p_message text, p_details jsonb) returns boolean
           language sql as 'select true'`,
      ),
    found: 'schema_intact',
  },
  {
    way: 'a constraint that was dropped',
    tamper: async () =>
      await books.owner.query(
        `create table definition as
         select 'alter table accounts add constraint accounts_never_negative ' || pg_get_constraintdef(oid) as sql
           from pg_constraint where conname = 'accounts_never_negative';
         alter table accounts drop constraint accounts_never_negative`,
      ),
    found: 'schema_intact',
  },
  // Changes that only a person or another record can find. The security page lists each in these words.
  {
    way: 'a payment added together with its reservation, its queue row and the balances',
    tamper: async () => {
      await forgePayment('now()');
      await extend();
    },
    found: null,
    asRuntime: true,
  },
  {
    way: 'an added fund movement for income that was really collected',
    // The same rows as by SQL.
    tamper: async () => {
      await collect(books, {
        collector: COLLECTOR,
        reference: newId(),
        vendorId,
        amountCents: 500n,
        paidAt: new Date(),
      });
      await fund(books.pool, { vendorId, requestedAt: new Date() });
    },
    found: null,
    asRuntime: true,
  },
  {
    way: 'a result recorded for an open payment, with the matching transfers',
    // The same rows as by SQL.
    tamper: async () => await settlePayments(books.pool, [failedReport(payments.queued)]),
    found: null,
  },
];

describe('a way of tampering', () => {
  test.each(WAYS)('$way: $found', async ({ tamper, found }) => {
    const violations = await afterwards(tamper, async () => await check([keptHead]));
    const invariants = violations.map(({ invariant }) => invariant);
    expect(violations.every(({ vendorId: of }) => of === vendorId || of === 0)).toBe(true);
    if (found === null) expect(invariants).toEqual([]);
    else expect(invariants).toContain(found);
  });

  test('every way that no check finds is listed on the security page', async () => {
    const page = await readFile(SECURITY_PAGE, 'utf8');
    const hidden = WAYS.filter(({ found }) => found === null).map(({ way }) => way);
    expect(hidden.filter((way) => !page.toLowerCase().includes(way.toLowerCase()))).toEqual([]);
  });

  test('at least ten ways of tampering are found, some of them as the runtime role', () => {
    const found = WAYS.filter((way) => way.found !== null);
    expect(found.length).toBeGreaterThanOrEqual(10);
    expect(found.filter(({ asRuntime }) => asRuntime).length).toBeGreaterThanOrEqual(4);
  });
});
