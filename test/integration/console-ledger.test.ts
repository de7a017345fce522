import { beforeAll, describe, expect, test } from 'vitest';
import type { AccountAnswer, TrialBalanceAnswer } from '../../src/staff/house.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { bookEntry } from '../support/house-decisions.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { must } from './cli-support.ts';

// The books in the console: the figures are those of the command line, down to each transfer.

const running = useService();
let finance: ConsoleClient;
let environment: Record<string, string>;
const references: string[] = [];

beforeAll(async () => {
  environment = { DATABASE_URL: running.database.url };
  finance = await signedIn(running.origin, 'finance');
  for (const vid of ['demo', 'demo2'] as const) {
    const vendor = running.demo(vid);
    await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
    for (let number = 0; number < (vid === 'demo' ? 60 : 1); number += 1) {
      const payment = { biller_name: 'kplc_prepaid', amount: '100', account: `142345678${number}` };
      references.push(
        await vendor.accepted({ ...payment, merchant_reference: `${vid}-${number}` }),
      );
    }
  }
  const { pool } = running.service;
  const deps = {
    pool,
    ledgerMac: await openLedgerMac(pool, running.sealing.masterKeys),
  };
  await bookEntry(deps, {
    operatorCode: 'kplc',
    kind: 'top_up',
    amountCents: 50_000n,
    reference: 'FT1',
    movedAt: new Date(Date.now() - 1_000),
    bank: null,
    note: 'entered by hand',
    by: 'Asha',
  });
});

const read = async <Answer>(path: string): Promise<Answer> => {
  const { status, body } = await finance.get(path);
  expect(status).toBe(200);
  return body as unknown as Answer;
};

/** Page by page: on a busy machine a page ends before it has searched the whole period. */
async function allEntries(path: string): Promise<AccountAnswer['entries']> {
  const separator = path.includes('?') ? '&' : '?';
  const { entries, next } = await read<AccountAnswer>(path);
  const all = [...entries];
  for (let cursor = next; cursor !== null;) {
    const page = await read<AccountAnswer>(`${path}${separator}cursor=${cursor}`);
    all.push(...page.entries);
    cursor = page.next;
  }
  return all;
}

describe('the trial balance', () => {
  test.each(['', '?vid=demo'])('has the figures of the command line %s', async (query) => {
    const shown = await read<TrialBalanceAnswer>(`/ledger${query}`);
    const options = query === '' ? [] : ['--vid', 'demo'];
    const told = await must(environment, 'house', 'trial-balance', '--json', options);
    expect(told.json()).toEqual(shown);
    expect(shown.is_even).toBe(true);
    expect(shown.accounts.find(({ account }) => account === 'reserved')?.credit).toBe(
      query === '' ? '6100.00' : '6000.00',
    );
    const lines = (await finance.get(`/ledger.csv${query}`)).text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(shown.accounts.length + 2);
    expect(lines.at(-1)).toMatch(new RegExp(`^total,,,.*,${shown.total.debits},`));
  });

  test('an earlier period shows no postings of today', async () => {
    const { accounts } = await read<TrialBalanceAnswer>('/ledger?from=2020-01-01&to=2020-12-31');
    expect(new Set(accounts.flatMap(({ debits, credit }) => [debits, credit]))).toEqual(
      new Set(['0.00']),
    );
  });

  test.each([
    ['?from=2026-02-30', 'from'],
    ['?from=2026-02-02&to=2026-02-01', 'to'],
    ['?vid=nobody', 'vid'],
    ['/vendors/reserved?cursor=e30', 'cursor'],
    ['/house/suspense?cursor=e30', 'cursor'],
  ])('refuses %s, naming %s', async (query, field) => {
    const answer = await finance.get(`/ledger${query}`);
    expect([400, 404]).toContain(answer.status);
    expect(answer.field).toBe(field);
  });
});

describe('an account', () => {
  test('has every transfer of its balance, with the payment of each', async () => {
    const first = await read<AccountAnswer>('/ledger/vendors/reserved');
    const entries = await allEntries('/ledger/vendors/reserved');
    expect(entries.map(({ reference }) => reference)).toEqual(references.toReversed());
    expect(new Set(entries.map(({ id }) => id)).size).toBe(61);
    expect(first.line).toMatchObject({ credits: '6100.00', credit: '6100.00' });
    expect(entries[0]).toMatchObject({
      vid: 'demo2',
      movement: 'reserved',
      debit: 'float',
      ...{ source: 'payment', merchant_reference: 'demo2-0', biller: 'kplc_prepaid' },
    });
  });

  test('an account of one vendor has only that vendor’s transfers', async () => {
    const { line } = await read<AccountAnswer>('/ledger/vendors/reserved?vid=demo2');
    const entries = await allEntries('/ledger/vendors/reserved?vid=demo2');
    expect(entries.map(({ vid }) => vid)).toEqual(['demo2']);
    expect(line.credit).toBe('100.00');
  });

  test('transfers of income have collector and reference', async () => {
    const entries = await allEntries('/ledger/vendors/collected?vid=demo');
    expect(entries.map(({ source }) => source)).toEqual(['funding', 'collection']);
    expect(entries[1]).toMatchObject({ collector: 'demo-collector' });
  });

  test('transfers of the house have their entry', async () => {
    const { entries, line } = await read<AccountAnswer>('/ledger/house/suspense');
    expect(line).toMatchObject({ credit: '500.00', class: 'asset' });
    expect(entries).toMatchObject([{ amount: '500.00', source: 'entry', reference: 'FT1' }]);
  });

  test('unknown accounts are not found', async () => {
    expect((await finance.get('/ledger/house/nothing')).status).toBe(404);
  });
});
