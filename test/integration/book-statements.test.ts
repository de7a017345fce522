import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountStatement, AccountStatementLine } from '../../src/staff/account-statements.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import { readTrialBalance } from '../../src/payments/house/trial-balance.ts';
import {
  firstCursor,
  readStatementHead,
  readStatementPage,
} from '../../src/payments/reports/statement.ts';
import type { StatementLine } from '../../src/payments/reports/statement.ts';
import type { StatementOf } from '../../src/payments/reports/statement-accounts.ts';
import { requireFitsSheet } from '../../src/platform/export/xlsx.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { readCsvLine } from '../../src/platform/base/csv.ts';
import { bookEntry } from '../support/house-decisions.ts';
import { signInAll, signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { payOut } from '../support/payouts.ts';
import { readXlsx } from '../support/read-xlsx.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { inProcess, must } from './cli-support.ts';
import { approveCase } from '../support/approve-proposal.ts';

// Statements of a vendor and of our float with an operator: the same lines on the screen, in both files
// and on the command line, from the opening to the closing balance.

const running = useService();
let finance: ConsoleClient;
let environment: Record<string, string>;
let folder: string;
let vendorId = 0;
/** A payment that the operator's statement contradicts, and its case. */
let corrected = '';

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  environment = { DATABASE_URL: running.database.url };
  finance = await signedIn(running.origin, 'finance');
  const { pool } = running.service;
  vendorId = (await findVendor(pool, 'demo'))?.vendorId ?? 0;
  const vendor = running.demo();
  await bookPayout('BANK-77', 5_000n);
  await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
  for (let number = 0; number < 12; number += 1) {
    const reference = await vendor.accepted({
      biller_name: 'kplc_prepaid',
      amount: '100',
      account: `1423456${number + 100}`,
      merchant_reference: number === 3 ? '=cmd|"/c calc"!A1' : `order-${number}`,
    });
    if (number < 10) await settle(reference, number === 9 ? 'failed' : 'success');
    if (number === 0) corrected = reference;
  }
  await bookTopUp('FT1', 90_000n);
  await correct();
  await bookTopUp('FT2', 10_000n);
});
afterAll(async () => {
  await removeFolder(folder);
});

async function settle(reference: string, outcome: 'success' | 'failed'): Promise<void> {
  const { pool } = running.service;
  const id = decodeReference(reference);
  if (id === undefined) throw new Error('no reference');
  await running.database.asOwner(
    `update dispatch_queue set stage = 'verify', sent_at = now(), attempt_number = 1,
       operator_code = 'kplc' where payment_id = '${id.paymentId}'`,
  );
  const report = {
    ...id,
    billerCode: 'kplc_prepaid',
    outcome,
    paidCents: outcome === 'success' ? 10_000n : null,
    billerReference: outcome === 'success' ? `OP-${reference.slice(-4)}` : null,
    message: '',
    details: null,
    failureCode: outcome === 'failed' ? ('declined' as const) : null,
    source: 'answer' as const,
    operatorCode: 'kplc',
  };
  await settlePayments(pool, [report]);
}

async function bookTopUp(reference: string, amountCents: bigint): Promise<void> {
  const { pool } = running.service;
  const deps = {
    pool,
    ledgerMac: await openLedgerMac(pool, running.sealing.masterKeys),
  };
  await bookEntry(deps, {
    ...{
      operatorCode: 'kplc',
      kind: 'top_up',
      amountCents,
      reference,
      note: 'entered by hand',
      bank: null,
    },
    movedAt: new Date(Date.now() - 1_000),
    by: 'Asha',
  });
}

async function bookPayout(reference: string, amountCents: bigint): Promise<void> {
  const { pool } = running.service;
  const deps = { pool, ledgerMac: await openLedgerMac(pool, running.sealing.masterKeys) };
  await payOut(deps, { vendorId, amountCents }, reference);
}

/** Two people return a paid payment to the vendor. */
async function correct(): Promise<void> {
  const as = await signInAll(running.origin, ['support', 'admin']);
  const [support, admin] = [as('support'), as('admin')];
  const opened = await support.send('POST', '/cases', {
    reference: corrected,
    reason: 'returned',
  });
  const caseId = String(opened.body['case']);
  const proposed = await support.send('POST', `/cases/${caseId}/propose`, {
    resolution: 'return_to_vendor',
    reason: 'the operator gave it back',
  });
  expect(proposed.status).toBeLessThan(300);
  const approved = await approveCase(admin, caseId);
  expect(approved.status).toBeLessThan(300);
}

const shop = (): StatementOf => ({ kind: 'vendor', vendorId, withOwnTerms: false });
const KPLC: StatementOf = { kind: 'operator', operatorCode: 'kplc' };
const everything = () => ({ from: new Date('1990-01-01T00:00:00Z'), to: new Date() });

async function readAll(of: StatementOf, limit: number) {
  const { pool } = running.service;
  const head = await readStatementHead(pool, of, everything());
  const lines: StatementLine[] = [];
  for (let after = firstCursor(head); ;) {
    const page = await readStatementPage(pool, of, { after, to: head.to, limit });
    lines.push(...page.lines);
    expect(page.lines.length > 0 || page.next === null).toBe(true);
    if (page.next === null) return { head, lines };
    after = page.next;
  }
}

describe.each([
  ['a vendor', shop, 27],
  ['an operator', () => KPLC, 12],
])('the statement of %s', (_, of, count) => {
  test('has opening, movements and closing that add up, however long its pages are', async () => {
    const { head, lines } = await readAll(of(), 1000);
    expect(lines).toHaveLength(count);
    expect(head.count).toBe(count);
    const changed = lines.reduce((sum, { changeCents }) => sum + changeCents, 0n);
    expect(head.openingCents + changed).toBe(head.closingCents);
    expect(head.movements.reduce((sum, { changeCents }) => sum + changeCents, 0n)).toBe(changed);
    expect(lines.at(-1)).toMatchObject({
      balanceCents: head.closingCents,
      floatCents: head.closingFloatCents,
    });
    for (const limit of [1, 2, 7]) expect((await readAll(of(), limit)).lines).toEqual(lines);
  });

  test('begins anywhere with what was there', async () => {
    const { head, lines } = await readAll(of(), 1000);
    const { pool } = running.service;
    for (const at of [3, 11]) {
      const line = lines[at];
      if (line === undefined) throw new Error('no line');
      // The first millisecond after the line's.
      const from = new Date(Number(line.at) + 1);
      const rest = lines.filter((other) => other.at >= from);
      const later = await readStatementHead(pool, of(), { from, to: head.to });
      expect(later).toMatchObject({ closingCents: head.closingCents, count: rest.length });
      const before = lines.findLast((other) => other.at < from);
      expect(later.openingCents).toBe(before?.balanceCents);
      expect(later.openingFloatCents).toBe(before?.floatCents);
    }
  });
});

test('our float with an operator is that of the trial balance', async () => {
  const { head } = await readAll(KPLC, 1000);
  const { lines } = await readTrialBalance(running.service.pool, everything());
  const own = lines.filter(({ account }) => /^(operator|operator-float):kplc$/.test(account));
  const debit = own.reduce((sum, line) => sum + line.debitCents - line.creditCents, 0n);
  expect(head.closingCents).toBe(debit);
});

test('a sheet that cannot have all lines is refused', () => {
  expect(() => requireFitsSheet(1_048_574)).toThrow('CSV');
  expect(() => requireFitsSheet(1_048_573)).not.toThrow();
});

const STATEMENTS = [
  '/vendors/demo/account-statement',
  '/operators/kplc/account-statement',
] as const;

/** A line of the screen as the files have it. */
function cellsOf(line: AccountStatementLine): string[] {
  const { id: _id, is_payment: _is, statement: _statement, at: _at, ...cells } = line;
  return Object.values(cells).map((cell) => cell ?? '');
}

test.each(STATEMENTS)(
  '%s is the same on the screen, as CSV, for Excel and on the command line',
  async (path) => {
    const { head, opening, closing, lines } = await finance.read<AccountStatement>(path);
    const shown = [...lines].map(cellsOf);
    const csv = (await finance.get(`${path}.csv?to=${head?.to}`)).text.trimEnd().split('\r\n');
    const written = csv.map((line) => readCsvLine(line).values);
    const sheet = await readXlsx((await finance.get(`${path}.xlsx?to=${head?.to}`)).bytes);
    const plain = (rows: readonly (readonly string[])[]) =>
      rows.map((row) => row.map((cell) => cell.replace(/^'(?==)/, '')));
    expect(plain(written)).toEqual(sheet);
    expect(written.flat().some((cell) => cell.startsWith("'=cmd"))).toBe(true);
    const inOrder = sheet.slice(2, -1).map((row) => row.slice(1).toSorted());
    expect(inOrder).toEqual(shown.map((row) => row.toSorted()));
    const balance = sheet[0]?.indexOf('Balance after') ?? 0;
    expect([sheet[1]?.[balance], sheet.at(-1)?.[balance]]).toEqual([
      ...[opening?.balance, closing?.balance],
    ]);
    const [, kinds = '', name = ''] = path.split('/');
    const kind = kinds === 'vendors' ? 'vendor' : 'operator';
    const period = ['--from', head?.from ?? '', '--to', head?.to ?? ''];
    const file = join(folder, `${name}.xlsx`);
    const command = ['account-statement', kind, name, ...period];
    await must(environment, ...command, '--out', file);
    expect(await readXlsx(await readFile(file))).toEqual(sheet);
    const again = await inProcess(environment, ...command, '--out', file);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toContain('--out');
    const told = (await must(environment, ...command, '--json')).json<AccountStatement>();
    expect(told).toMatchObject({ opening, lines, head });
  },
);

test('a statement of our float has a note about the signs, a vendor’s needs none', async () => {
  const note = 'credits less debits, so what is in our float is negative.';
  const ofFloat = await must(environment, 'account-statement', 'operator', 'kplc');
  expect(ofFloat.stdout).toMatch(/^operator-float:kplc +\S+ +-/m);
  expect(ofFloat.stdout).toContain(note);
  const ofVendor = await must(environment, 'account-statement', 'vendor', 'demo');
  expect(ofVendor.stdout).not.toContain('credits less debits');
});

test('each line names its references, a correction its payment and its case', async () => {
  const { lines } = await finance.read<AccountStatement>('/vendors/demo/account-statement');
  const named = (movement: string) => [...lines].filter((line) => line.movement === movement);
  expect(named('collected')).toMatchObject([
    { collector: 'demo-collector', collector_reference: expect.stringMatching(/./) as string },
  ]);
  const payout = [...lines].filter((line) => line.credit_account === 'bank:main');
  expect(payout).toMatchObject([{ bank_reference: 'BANK-77', change: '-50.00' }]);
  const paid = named('paid').find((line) => line.merchant_reference === 'order-1');
  expect(paid).toMatchObject({
    operator: 'kplc',
    operator_reference: `OP-${paid?.reference?.slice(-4)}`,
    is_payment: true,
  });
  expect(named('correction')).toMatchObject([
    { reference: corrected, case: expect.stringMatching(/^[0-9a-f-]{36}$/) as string },
  ]);
  const operators = await finance.read<AccountStatement>('/operators/kplc/account-statement');
  expect([...operators.lines].filter((line) => 'vid' in line && line.vid === null)).toMatchObject([
    { movement: 'entry', reference: 'FT1', change: '900.00' },
    { movement: 'entry', reference: 'FT2', change: '100.00' },
  ]);
});

test.each([
  ['/vendors/demo/account-statement?from=2020-01-01', 'from'],
  ['/vendors/demo/account-statement.xlsx?from=2020-01-01', 'from'],
  ['/vendors/demo/account-statement?cursor=e30', 'cursor'],
  ['/operators/kplc/account-statement?cursor=e30', 'cursor'],
  ['/operators/kplc/account-statement.csv?to=2026-02-30', 'to'],
])('%s is refused, naming %s', async (path, field) => {
  expect(await finance.get(path)).toMatchObject({ status: 400, field });
});

test('an operator that does not exist is not found', async () => {
  expect((await finance.get('/operators/nobody/account-statement')).status).toBe(404);
});

test('a statement ends before what an open database transaction may still add', async () => {
  const { pool } = running.service;
  const of = { kind: 'vendor', vendorId, withOwnTerms: false } as const;
  const period = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) };
  const client = await pool.connect();
  let cut: AccountStatement['head'];
  try {
    await client.query('begin');
    const began = await client.query<{ at: Date }>('select now() as at');
    const reference = await running.demo().accepted({
      biller_name: 'kplc_prepaid',
      amount: '77',
      account: '14234560077',
      merchant_reference: 'after-the-open-one',
    });
    const answer = await finance.get('/vendors/demo/account-statement');
    cut = (answer.body as unknown as AccountStatement).head;
    expect(cut?.ends_early).toBe(true);
    expect(Date.parse(cut?.to ?? '')).toBeLessThanOrEqual(Number(began.rows[0]?.at));
    expect(answer.text).not.toContain(reference);
    // It adds a movement with the time when it began.
    await client.query(
      `insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
         amount_cents, created_at)
       values (bucket_of($1), $1, gen_random_uuid(), 1, 'float', 'reserved', 5, now())`,
      [vendorId],
    );
    await client.query(
      `update accounts set balance_cents = balance_cents + case account when 'float' then -5 else 5 end
       where vendor_id = $1 and account in ('float', 'reserved')`,
      [vendorId],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
  const head = await readStatementHead(pool, of, period);
  const lines: StatementLine[] = [];
  for (let after: ReturnType<typeof firstCursor> | null = firstCursor(head); after !== null;) {
    const page = await readStatementPage(pool, of, { after, to: head.to, limit: 3 });
    lines.push(...page.lines);
    after = page.next;
  }
  expect(lines.at(-1)?.balanceCents).toBe(head.closingCents);
  const late = lines.filter(({ at }) => Number(at) >= Date.parse(cut?.to ?? ''));
  expect(new Set(late.map(({ amountCents }) => amountCents))).toEqual(new Set([5n, 7_700n]));
});
