import { beforeAll, expect, test } from 'vitest';
import type { MarginAnswer } from '../../src/staff/reports.ts';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import type { ProposalList } from '../../src/staff/proposals.ts';
import type { JournalList, JournalView } from '../../src/staff/journals.ts';
import type { PayoutView } from '../../src/staff/payouts.ts';
import type { TopUpList } from '../../src/staff/vendor-top-ups.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { must } from './cli-support.ts';

// The entries that finance makes in the console, and its reports.

const running = useService();
let finance: ConsoleClient;
let other: ConsoleClient;

beforeAll(async () => {
  finance = await signedIn(running.origin, 'finance');
  other = await signedIn(running.origin, 'admin');
});

const isEven = async (): Promise<unknown> => (await finance.get('/ledger')).body['is_even'];
const kinds = async (client: ConsoleClient): Promise<string[]> => {
  const { proposals } = await client.read<ProposalList>('/proposals');
  return proposals.map(({ kind }) => kind);
};

const JOURNAL = {
  lines: [
    { account: 'suspense', side: 'debit', amount: '300.00' },
    { account: 'expense:bank-fees', side: 'credit', amount: '300' },
  ],
  reference: 'J-1',
  evidence: 'mail of 3 March',
  reason: 'the bank told us',
};

test('a journal is proposed by one person and approved by another one', async () => {
  const uneven = { ...JOURNAL, lines: JOURNAL.lines.slice(0, 1) };
  const refused = await finance.send('POST', '/journals', uneven);
  expect(refused).toMatchObject({ status: 400, code: 'invalid_field' });
  const [first, ...others] = JOURNAL.lines;
  const strange = { ...JOURNAL, lines: [{ ...first, account: 'sus\u0000pense' }, ...others] };
  const unstorable = await finance.send('POST', '/journals', strange);
  expect(unstorable).toMatchObject({ status: 400, code: 'invalid_field' });
  const proposed = await finance.send('POST', '/journals', JOURNAL);
  const { journal: id } = proposed.body as unknown as JournalView;
  expect(await kinds(other)).toContain('house_journal');
  const { seen } = await other.read<ProposalView>(`/proposals/${id}`);
  const approve = async (by: ConsoleClient) =>
    await by.send('POST', `/proposals/${id}/approve`, { seen });
  expect((await approve(finance)).code).toBe('invalid_field');
  expect((await approve(other)).status).toBe(200);
  expect((await approve(other)).code).toBe('invalid_field');
  const { journals } = await finance.read<JournalList>('/journals?state=all');
  expect(journals).toMatchObject([{ journal: id, decision: 'approved' }]);
  const { entries } = (await finance.get('/ledger/house/suspense')).body;
  expect(entries).toMatchObject([{ amount: '300.00', source: 'journal', reference: 'J-1' }]);
  expect(await isEven()).toBe(true);
});

test('a payout is proposed by one person and approved by another one', async () => {
  const body = { vid: 'demo', bank_account: 'KCB 1', evidence: 'x', reason: 'x' };
  const tooMuch = await finance.send('POST', '/payouts', { ...body, amount: '100000.01' });
  expect(tooMuch).toMatchObject({ status: 400 });
  const proposed = await finance.send('POST', '/payouts', { ...body, amount: '2000' });
  const { payout: id } = proposed.body as unknown as PayoutView;
  const { proposals } = await other.read<ProposalList>('/proposals');
  expect(proposals).toMatchObject([{ kind: 'payout', proposal: id, amount: '2000.00' }]);
  const shown = await other.read<ProposalView>(`/proposals/${id}`);
  expect(shown).toMatchObject({ is_own: false, vid: 'demo', problem: null });
  const { seen } = shown;
  const approve = `/proposals/${id}/approve`;
  expect((await finance.send('POST', approve, { seen })).code).toBe('invalid_field');
  expect((await other.send('POST', approve, {})).code).toBe('missing_field');
  expect((await other.send('POST', approve, { seen })).status).toBe(200);
  const paid = await finance.send('POST', `/payouts/${id}/paid`, { reference: 'FT1' });
  expect(paid).toMatchObject({ status: 200, body: { state: 'booked', reference: 'FT1' } });
  const { line, entries } = (await finance.get('/ledger/vendors/bank:main?vid=demo')).body;
  expect(line).toMatchObject({ credit: '2000.00' });
  expect(entries).toMatchObject([{ movement: 'paid out', source: 'payout', source_id: id }]);
  expect(await isEven()).toBe(true);
});

test('the margin is that of the command line, and top-ups are listed', async () => {
  const margin = await finance.read<MarginAnswer>('/margin?by=operator');
  const period = ['--from', margin.from, '--to', margin.to];
  const told = await must(
    { DATABASE_URL: running.database.url },
    'report',
    'margin',
    '--json',
    period,
  );
  expect(told.json()).toMatchObject({ total: margin.total });
  expect((await finance.get('/margin.csv')).text).toContain(
    'Biller,Operator,Payments,Amount,Fees,VAT',
  );
  const topUps = await finance.read<TopUpList>('/top-ups');
  expect(topUps).toEqual({ rules: [], top_ups: [] });
});
