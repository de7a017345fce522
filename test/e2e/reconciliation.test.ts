import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { formatMoney, parseMoney } from '../../src/platform/base/money.ts';
import { approvalOf, importByTwo, malipo, must, shownIn } from '../integration/cli-support.ts';
import type { Ran } from '../integration/cli-support.ts';
import { demoVendor, fresh } from '../support/demo-vendors.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import type { VendorClient } from '../support/vendor-client.ts';

// A day of reconciliation with a running service and the operators' own statement, using only the command
// line.

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let vendor: VendorClient;
let folder: string;
/** No day ends while this runs. */
const TIME_ZONE = zoneAtNoon();
/** The statements begin here. */
let from: Date;
beforeAll(async () => {
  sandbox = await fixture.start({ env: { TIME_ZONE } });
  folder = await fixture.folder();
  vendor = demoVendor(sandbox);
  await vendor.fund();
  from = new Date(Date.now() - 60_000);
});
afterAll(async () => await fixture.cleanUp());

const environment = () => ({ ...sandbox.environment, TIME_ZONE });

async function run(...args: string[]): Promise<Ran> {
  return await malipo({ ...sandbox.environment, TIME_ZONE }, ...args);
}

/** Runs a command in this process, which must succeed. */
async function json<Document>(...args: string[]): Promise<Document> {
  return (await must({ ...sandbox.environment, TIME_ZONE }, args, '--json')).json<Document>();
}

async function pay(account: string, biller = 'kplc_prepaid'): Promise<string> {
  const given = { biller_name: biller, amount: '100.00', merchant_reference: fresh('order') };
  return await vendor.accepted({ ...given, account });
}

async function statusOf(reference: string): Promise<string> {
  return (await vendor.payment(reference)).transaction_status;
}

async function download(operator: string, to: Date): Promise<string[]> {
  const period = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
  const answer = await fetch(
    `${sandbox.operatorOrigin}/operators/${operator}/statement?${period.toString()}`,
  );
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/csv; charset=utf-8',
  ]);
  return (await answer.text()).trimEnd().split('\r\n');
}

/** Changes the opening balance so that the closing balance is correct again. */
function balanced(lines: readonly string[]): string {
  const rows = lines.slice(2, -1);
  const paidCents = rows.reduce((sum, row) => sum + parseMoney(row.split(',')[6] ?? ''), 0n);
  const closing = lines.at(-1)?.split(',') ?? [];
  const closingCents = parseMoney(lines[1]?.split(',')[6] ?? '') - paidCents;
  const last = closing.map((value, column) => (column === 6 ? formatMoney(closingCents) : value));
  return [...lines.slice(0, -1), last.join(',')].join('\r\n');
}

async function readTruth(): Promise<unknown> {
  return await (await fetch(`${sandbox.operatorOrigin}/truth`)).json();
}

async function importText(operator: string, text: string, to: Date): Promise<string[]> {
  const file = path.join(folder, `${newId()}.csv`);
  await writeFile(file, text);
  const period = ['--from', from.toISOString(), '--to', to.toISOString(), '--tolerance', '0'];
  return ['statement', 'import', file, '--operator', operator, ...period];
}

interface CaseJson {
  readonly case: string;
  readonly kind: string;
  readonly reference: string | null;
}

interface ProposedJson {
  readonly proposal: string;
  readonly seen: string;
}

async function resolve(row: CaseJson, resolution: string, ...more: string[]): Promise<void> {
  const why = ['--by', 'Asha', '--note', 'checked with the operator'];
  const propose = ['case', 'propose', row.case, '--resolution', resolution, ...why, ...more];
  const { proposal, seen } = await json<ProposedJson>(...propose);
  await json('proposal', 'approve', proposal, '--seen', seen, '--by', 'Baraka');
}

describe('the operators’ own statement', () => {
  test('agrees with what the service did', async () => {
    const references = [
      await pay('37100000001'),
      await pay('37100009903'),
      await pay('37100009902'),
    ];
    await until('all are settled', async () => {
      const statuses = await Promise.all(references.map(statusOf));
      return statuses.every((status) => status === 'SUCCESS' || status === 'FAILED');
    });
    const to = new Date();
    const text = (await download('kplc', to)).join('\r\n');
    const command = await importText('kplc', text, to);
    const imported = await importByTwo(environment(), command);
    expect(shownIn(imported, 'Movements')).toBe('matched 2');
    expect(shownIn(imported, 'Payments that it does not list')).toBe('0');
    expect(shownIn(imported, 'Cases that are opened')).toBe('0');
    expect(shownIn(imported, 'Not in our books')).toBe('0.00');
    expect(await json(...command, '--by', 'Asha')).toMatchObject({
      ...{ proposal: null, statement: expect.any(String), problems: [] },
    });
  });

  test('a statement that one person made up ends no payment and moves no money', async () => {
    const reference = await pay('37100029909');
    await until('it is sent', async () => (await statusOf(reference)) === 'PENDING');
    const [balance, truth] = [await vendor.balance(), await readTruth()];
    const to = new Date();
    const lines = await download('kplc', to);
    const forged = `payment,${new Date(Number(to) - 1).toISOString()},${newId()},${reference},,,100.00,KES`;
    const file = balanced([...lines.slice(0, -1), forged, ...lines.slice(-1)]);
    const approval = await approvalOf(environment(), await importText('kplc', file, to));
    const [id = ''] = approval.slice(2);
    const alone = await run(...approval.map((word) => (word === 'Baraka' ? 'ASHA' : word)));
    expect(alone.stderr).toContain('another person has to approve it');
    await json('proposal', 'reject', id, '--by', 'Baraka', '--note', 'kplc does not list it');
    expect(await statusOf(reference)).toBe('PENDING');
    expect(await vendor.balance()).toBe(balance);
    expect(await readTruth()).toEqual(truth);
    expect(await json('ledger', 'check')).toMatchObject({ violations: 0 });
  });

  test('two people decide about every planted difference, and the books hold', async () => {
    const operator = 'nairobi_water';
    const water = async (account: string): Promise<string> => {
      const given = { biller_name: 'nairobi_water', amount: '100.00', phone: '0712000001' };
      return await vendor.accepted({ ...given, account, merchant_reference: fresh('order') });
    };
    const [good, lost, twice, late, silent] = [
      await water('5500001'),
      await water('5500002'),
      await water('5500003'),
      await water('55009902'),
      await water('55009909'),
    ];
    await until('all but the silent one are settled', async () => {
      const statuses = await Promise.all([good, lost, twice, late].map(statusOf));
      const ended = statuses.join(' ') === 'SUCCESS SUCCESS SUCCESS FAILED';
      return ended && (await statusOf(silent)) === 'PENDING';
    });
    const balance = await vendor.balance();
    const to = new Date();
    const lines = await download(operator, to);
    const line = (reference: string): string =>
      `payment,${new Date(Number(to) - 1).toISOString()},${newId()},${reference},,,100.00,KES`;
    const planted = [
      ...lines.slice(0, -1).filter((row) => !row.includes(lost)),
      line(twice),
      line(late),
      line(silent),
      line(encodeReference(1, newId())),
      ...lines.slice(-1),
    ];
    const wrong = await importText(operator, planted.join('\n'), to);
    expect((await run(...wrong, '--by', 'Asha')).stdout).toContain('Nothing was imported. Fix');
    const refused = await run(...wrong, '--by', 'Asha', '--json');
    expect(refused.exitCode).toBe(1);
    expect(refused.json()).toMatchObject({ proposal: null, problems: [{ rule: 'balance' }] });

    const command = await importText(operator, balanced(planted), to);
    const approval = await approvalOf(environment(), command);
    // One person’s file changes nothing.
    expect(await statusOf(silent)).toBe('PENDING');
    const imported = await must(environment(), ...approval, '--json');
    expect(shownIn(imported, 'Movements')).toMatch(/duplicate 1, .*settled 1, theirs only 2/);
    expect(shownIn(imported, 'Payments that become paid')).toBe(`1: ${silent}`);
    expect(shownIn(imported, 'Payments that it does not list')).toBe('1');
    expect(shownIn(imported, 'Not in our books')).toBe('300.00');
    expect(await statusOf(silent)).toBe('SUCCESS');

    const metrics = await send(sandbox.origin, { method: 'GET', path: '/metrics' });
    expect(metrics.text).toMatch(/^malipo_recon_unmatched\{side="ours"\} 1$/m);
    expect(metrics.text).toMatch(/^malipo_recon_unmatched\{side="theirs"\} 1$/m);
    expect(metrics.text).toMatch(/^malipo_open_cases\{kind="duplicate"\} 1$/m);
    expect(metrics.text).toMatch(/^malipo_cases 4$/m);

    const { cases } = await json<{ cases: CaseJson[] }>('case', 'list');
    const of = (kind: string): CaseJson => {
      const found = cases.find((row) => row.kind === kind);
      if (found === undefined) throw new Error(`no case of ${kind}`);
      return found;
    };
    expect(of('ours_only').reference).toBe(lost);
    expect(of('contradiction').reference).toBe(late);
    const { case: lateCase } = of('contradiction');
    const propose = ['case', 'propose', lateCase, '--resolution', 'charge_vendor', '--by', 'Asha'];
    const proposed = await run(...propose, '--note', 'told by phone');
    expect(proposed.stdout).toContain('100.00 from float to operator:nairobi_water');
    const shownCase = await json<{ proposal: ProposedJson }>('case', 'show', lateCase);
    const { proposal, seen } = shownCase.proposal;
    const approve = ['proposal', 'approve', proposal, '--seen', seen];
    const alone = await run(...approve, '--by', 'asha');
    expect(alone).toMatchObject({ exitCode: 1, stdout: '' });
    expect(alone.stderr).toContain('another person has to approve it');
    await json(...approve, '--by', 'Baraka');
    await resolve(of('ours_only'), 'return_to_vendor');
    await resolve(of('duplicate'), 'receivable');
    await resolve(of('theirs_only'), 'house_bears');

    // For vendors, the money and the status agree.
    expect(await Promise.all([late, lost, twice].map(statusOf))).toEqual([
      'SUCCESS',
      'FAILED',
      'SUCCESS',
    ]);
    expect(await vendor.balance()).toBe(balance);
    const shown = await run('case', 'show', lateCase);
    expect(shown.stdout).toMatch(/charge_vendor, approved by Baraka/);
    expect((await json<{ cases: CaseJson[] }>('case', 'list')).cases).toEqual([]);
    expect(await json('ledger', 'check')).toMatchObject({ violations: 0 });
  });
});

describe('a payment whose result nobody reports', () => {
  test('ends when two people enter the result', async () => {
    const reference = await pay('254722009909', 'safaricom');
    await until('it is sent', async () => (await statusOf(reference)) === 'PENDING');
    const by = ['--by', 'Asha', '--note', 'silent since yesterday'];
    const opened = await json<CaseJson>(
      'case',
      'open',
      '--vid',
      'demo',
      '--reference',
      reference,
      ...by,
    );
    await resolve(opened, 'failed', '--message', 'Never executed');
    expect(await vendor.payment(reference)).toMatchObject({
      transaction_status: 'FAILED',
      transaction_message: 'Never executed',
    });
  });
});

describe('the close of a day', () => {
  const day = (offset: number): string =>
    createWireTime(TIME_ZONE)
      .format(new Date(Date.now() + offset * DAY_MS))
      .slice(0, 10);

  test('the close of a day is reported before, refused while it runs, and final afterwards', async () => {
    const report = await run('day', 'totals', day(0));
    expect(report.exitCode).toBe(0);
    expect(report.stdout).toContain('open; the totals so far');
    expect(report.stdout).toMatch(/^demo +0\.00 +100000\.00 /m);
    expect(report.stdout).toMatch(/^house /m);
    const refused = await run('day', 'close', day(0), '--by', 'Asha');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('is not over');
    expect((await run('day', 'close', 'today', '--by', 'Asha')).exitCode).toBe(2);
    // Nothing happened yesterday: nothing is missing.
    const closed = await json('day', 'close', day(-1), '--by', 'Asha');
    expect(closed).toMatchObject({ closed_by: 'Asha', total: null });
    expect(await json('ledger', 'check')).toMatchObject({ violations: 0 });
  });
});
