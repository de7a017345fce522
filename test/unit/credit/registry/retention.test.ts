import { expect, test } from 'vitest';
import { generateSubjects } from '../../../../sandbox/population/population.ts';
import type { AccountState, CreditAccount, CreditFile } from '../../../../src/credit/facts.ts';
import { applyRetention } from '../../../../src/credit/registry/retention.ts';
import { scoreFile } from '../../../../src/credit/scorecards/score.ts';
import { isInDefault } from '../../../../src/credit/scorecards/standing.ts';

const FIVE_YEARS_MS = 1_826 * 86_400_000;
const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

const STATE: AccountState = {
  ...{ asOf: day('2018-03-31'), statusOn: day('2018-03-10'), status: 'F', riskClass: 'A' },
  ...{ balanceCents: 500_000n, overdueCents: 0n, daysInArrears: 0, instalmentsInArrears: 0 },
};
const WRITTEN_OFF = { status: 'C', riskClass: 'E', overdueCents: 500_000n } as const;

function fileOf(asOf: string, ...states: Partial<AccountState>[]): CreditFile {
  const all = states.map((state) => ({ ...STATE, ...state }));
  const account: CreditAccount = {
    ...{ key: 'L 1', lender: 'L', sector: 'bank', product: 'H', disputed: false },
    ...{ openedOn: day('2016-01-01'), originalCents: 1_000_000n, instalmentCents: null },
    ...{ repaymentMonths: null, lastPaymentOn: null, lastPaymentCents: null },
    ...{ current: all.at(-1)!, history: all.slice(0, -1) },
  };
  return { asOf: day(asOf), accounts: [account], enquiries: [] };
}

const kept = (file: CreditFile): CreditAccount | undefined =>
  applyRetention(file, new Date(file.asOf.getTime() - FIVE_YEARS_MS)).accounts[0];

test('a write-off is kept for five years, however often it is submitted and dated anew', () => {
  const first = { ...WRITTEN_OFF };
  const now = { ...WRITTEN_OFF, asOf: day('2023-03-31') };
  expect(kept(fileOf('2023-03-09', first, { ...now, asOf: day('2023-02-28') }))).toBeDefined();
  expect(kept(fileOf('2023-03-31', first, now))).toBeUndefined();
  const dated = { ...now, statusOn: day('2023-03-31') };
  expect(kept(fileOf('2023-03-31', first, dated))).toBeUndefined();
  // In legal action in between, it is still the same debt.
  const legal = { ...WRITTEN_OFF, status: 'D', asOf: day('2020-01-31') } as const;
  expect(kept(fileOf('2023-03-31', first, legal, dated))).toBeUndefined();
  // It may be the newest state as well, and so may any other that is no new beginning.
  for (const status of ['D', 'E', 'J', 'K', 'L', 'P', 'F'] as const) {
    const pursued = { ...dated, status };
    expect(kept(fileOf('2023-03-09', first, pursued)), status).toBeDefined();
    expect(kept(fileOf('2023-03-31', first, pursued)), status).toBeUndefined();
    const between = { ...pursued, asOf: day('2020-01-31'), statusOn: day('2020-01-31') };
    expect(kept(fileOf('2023-03-31', first, between, dated)), status).toBeUndefined();
  }
  // It was taken up again, and then written off for good.
  const active = { asOf: day('2020-01-31') };
  expect(kept(fileOf('2023-03-31', first, active, dated))).toBeDefined();
});

test('a settled account is kept from its settlement, and fades in the last two years', () => {
  const settled = { status: 'A', balanceCents: 0n } as const;
  expect(kept(fileOf('2021-03-09', settled))?.retainedPermille).toBeUndefined();
  expect(kept(fileOf('2022-03-10', settled))?.retainedPermille).toBe(499);
  expect(kept(fileOf('2023-03-09', settled))?.retainedPermille).toBeLessThan(5);
  expect(kept(fileOf('2023-03-12', settled))).toBeUndefined();
});

test('an account that is used again after its settlement is kept from its new default', () => {
  const settled = { status: 'A', balanceCents: 0n } as const;
  const again = { ...WRITTEN_OFF, status: 'F', asOf: day('2022-01-31') } as const;
  const writtenOff = { ...WRITTEN_OFF, asOf: day('2022-06-30'), statusOn: day('2022-06-30') };
  expect(kept(fileOf('2027-06-29', settled, again, writtenOff))).toBeDefined();
  expect(kept(fileOf('2027-07-01', settled, again, writtenOff))).toBeUndefined();
  expect(kept(fileOf('2027-01-30', settled, again))).toBeDefined();
});

test('an open account whose lender falls silent is kept after its newest state', () => {
  const open = { asOf: day('2020-01-31'), statusOn: day('2016-01-01') };
  expect(kept(fileOf('2022-12-31', open))?.retainedPermille).toBeUndefined();
  expect(kept(fileOf('2025-01-29', open))).toBeDefined();
  expect(kept(fileOf('2025-02-01', open))).toBeUndefined();
});

test('an old default of an account that is still kept is forgotten after five years', () => {
  const late = { ...WRITTEN_OFF, status: 'E' } as const;
  const file = fileOf('2023-03-31', late, { asOf: day('2023-02-28') });
  expect(kept({ ...file, asOf: day('2023-04-02') })?.history).toEqual([]);
  expect(kept({ ...file, asOf: day('2023-03-30') })?.history).toHaveLength(1);
});

test('in two silent years no score of a person without defaults gets more than 60 points lower in a month', () => {
  const worst: number[] = [];
  for (const { file } of generateSubjects({ seed: 5, subjects: 250 })) {
    if (file.accounts.some((account) => isInDefault(account))) continue;
    let before = Number.NaN;
    for (let month = 0; month <= 24; month += 1) {
      const asOf = new Date(Date.UTC(2026, 10 + month, 1));
      const seen = applyRetention({ ...file, asOf }, new Date(asOf.getTime() - FIVE_YEARS_MS));
      const score = Number(scoreFile(seen, 'generic').score || Number.NaN);
      if (!Number.isNaN(before) && !Number.isNaN(score)) worst.push(before - score);
      before = score;
    }
  }
  expect(worst.length).toBeGreaterThan(1_000);
  expect(Math.max(...worst)).toBeLessThanOrEqual(60);
});
