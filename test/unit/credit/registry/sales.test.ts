import { expect, test } from 'vitest';
import type { AccountState, CreditAccount, CreditFile } from '../../../../src/credit/facts.ts';
import { applyRetention } from '../../../../src/credit/registry/retention.ts';
import { joinSales } from '../../../../src/credit/registry/sales.ts';

const FIVE_YEARS_MS = 1_826 * 86_400_000;
const day = (text: string): Date => new Date(`${text}T00:00:00Z`);
const BAD = { status: 'E', riskClass: 'E', overdueCents: 500_000n, daysInArrears: 400 } as const;

type Submitted = Partial<Omit<AccountState, 'asOf'>> & { readonly asOf: string };

function accountOf(lender: string, ...states: readonly Submitted[]): CreditAccount {
  const all = states.map(({ asOf, ...state }): AccountState => ({
    ...{ statusOn: day('2016-01-01'), status: 'F', riskClass: 'A', balanceCents: 500_000n },
    ...{ overdueCents: 0n, daysInArrears: 0, instalmentsInArrears: 0, ...state, asOf: day(asOf) },
  }));
  return {
    ...{ key: `${lender} 1`, lender, sector: 'bank', product: 'H', disputed: false },
    ...{ openedOn: day('2016-01-01'), originalCents: 1_000_000n, instalmentCents: null },
    ...{ repaymentMonths: null, lastPaymentOn: null, lastPaymentCents: null },
    ...{ current: all.at(-1)!, history: all.slice(0, -1) },
  };
}

function sold(seller: CreditAccount, buyer: CreditAccount, on: string): CreditAccount[] {
  const accounts = new Map([
    [1n, seller],
    [2n, buyer],
  ]);
  return joinSales(accounts, [{ from: 1n, into: 2n, soldOn: day(on) }]);
}
const daysOf = ({ history, current }: CreditAccount): string[] =>
  [...history, current].map(({ asOf }) => asOf.toISOString().slice(0, 10));

test('a sold debt counts once, under its holder, with its first terms and its whole history', () => {
  const seller = accountOf(
    'SELLER',
    { asOf: '2018-01-31' },
    { asOf: '2018-02-28', ...BAD },
    { asOf: '2018-03-31', status: 'A', balanceCents: 0n },
    { asOf: '2018-05-31', ...BAD },
  );
  const buyer = {
    ...accountOf('BUYER', { asOf: '2018-04-30', ...BAD }, { asOf: '2018-06-30', ...BAD }),
    ...{ openedOn: day('2018-03-10'), originalCents: 400_000n },
  };
  const [one, ...others] = sold(seller, buyer, '2018-03-10');
  expect(others).toEqual([]);
  expect(one).toMatchObject({ lender: 'BUYER', originalCents: 1_000_000n });
  expect(one?.openedOn).toEqual(day('2016-01-01'));
  // That the seller closed it is no repayment, and what it submits afterwards is not counted.
  expect(daysOf(one!)).toEqual(['2018-01-31', '2018-02-28', '2018-04-30', '2018-06-30']);
});

test('sales with an early date hide nothing that the seller submitted before the buyer did', () => {
  const seller = accountOf('SELLER', { asOf: '2018-01-31' }, { asOf: '2019-01-31', ...BAD });
  const [one] = sold(seller, accountOf('BUYER', { asOf: '2020-01-31' }), '2016-01-02');
  expect(daysOf(one!)).toEqual(['2018-01-31', '2019-01-31', '2020-01-31']);
  expect(one?.history.at(-1)?.riskClass).toBe('E');
});

test('a debt stays with its seller until its buyer has submitted it', () => {
  const seller = accountOf('SELLER', { asOf: '2018-01-31', ...BAD });
  const early = accountOf('BUYER', { asOf: '2018-02-28' });
  expect(sold(seller, early, '2018-03-01').map(({ lender }) => lender)).toEqual([
    'SELLER',
    'BUYER',
  ]);
  const alone = new Map([[1n, seller]]);
  expect(joinSales(alone, [{ from: 1n, into: 2n, soldOn: day('2018-02-01') }])).toEqual([seller]);
});

test('a debt that is sold twice counts once, under its last holder', () => {
  const accounts = new Map([
    [1n, accountOf('A', { asOf: '2018-01-31', ...BAD })],
    [2n, accountOf('B', { asOf: '2018-03-31', ...BAD })],
    [3n, accountOf('C', { asOf: '2018-05-31', ...BAD })],
  ]);
  const sales = [
    { from: 2n, into: 3n, soldOn: day('2018-04-10') },
    { from: 1n, into: 2n, soldOn: day('2018-02-10') },
  ];
  const [one, ...others] = joinSales(accounts, sales);
  expect(others).toEqual([]);
  expect(one?.lender).toBe('C');
  expect(daysOf(one!)).toEqual(['2018-01-31', '2018-03-31', '2018-05-31']);
  expect(one?.soldOn).toEqual([day('2018-02-10'), day('2018-04-10')]);
});

function isKept(accounts: readonly CreditAccount[], asOf: string): boolean {
  const file: CreditFile = { asOf: day(asOf), accounts, enquiries: [] };
  const { accounts: kept } = applyRetention(file, new Date(day(asOf).getTime() - FIVE_YEARS_MS));
  return kept.length > 0;
}

test('a default that was sold is kept for five years from the sale, however its buyer dates it', () => {
  const seller = accountOf('SELLER', { asOf: '2018-02-28', ...BAD });
  // Submitted as an active loan, with a later status date.
  const later = { ...BAD, status: 'F', statusOn: day('2023-01-01'), asOf: '2023-02-28' } as const;
  const buyer = accountOf('BUYER', { asOf: '2018-03-31', ...BAD }, later);
  expect(isKept(sold(seller, buyer, '2018-03-10'), '2023-03-09')).toBe(true);
  expect(isKept(sold(seller, buyer, '2018-03-10'), '2023-03-31')).toBe(false);
  // A write-off before the sale counts first.
  const written = { ...BAD, status: 'C', statusOn: day('2018-01-10'), asOf: '2018-01-31' } as const;
  const before = accountOf('SELLER', written);
  expect(isKept(sold(before, buyer, '2018-03-10'), '2023-02-28')).toBe(false);
});

test('the sale of a loan that is repaid does not end its retention', () => {
  const seller = accountOf('SELLER', { asOf: '2018-02-28' });
  const repaying = accountOf('BUYER', { asOf: '2018-03-31' }, { asOf: '2024-01-31' });
  expect(isKept(sold(seller, repaying, '2018-03-10'), '2024-02-28')).toBe(true);
  const failing = accountOf('BUYER', { asOf: '2018-03-31' }, { asOf: '2024-01-31', ...BAD });
  expect(isKept(sold(seller, failing, '2018-03-10'), '2024-02-28')).toBe(true);
});
