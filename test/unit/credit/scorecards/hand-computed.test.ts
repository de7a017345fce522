import { expect, test } from 'vitest';
import type { AccountState, CreditAccount, CreditFile } from '../../../../src/credit/facts.ts';
import { applyRetention } from '../../../../src/credit/registry/retention.ts';
import { applySuppression } from '../../../../src/credit/registry/suppression.ts';
import { characteristic, scoredFile } from '../../../../src/credit/scorecards/characteristics.ts';
import type { CharacteristicName } from '../../../../src/credit/scorecards/characteristics.ts';
import { listAccounts } from '../../../../src/credit/summary/summary.ts';

// Files whose figures were computed by hand, from docs/reference/scorecards.md and credit-fields.md.

const day = (text: string): Date => new Date(`${text}T00:00:00Z`);
const AS_OF = day('2026-10-31');
/** 1,826 days before. */
const KEPT_FROM = day('2021-10-31');
const SMALL_AMOUNTS = {
  ...{ rule: 'small_amount', reason: '', balanceUpToCents: 100_000n, originalUpToCents: null },
  ...{ products: null, sectors: null, riskClasses: null, statesFrom: null, statesUntil: null },
};

/** KES 5,000 of a bank's loan of KES 10,000 are still to be paid, on time. */
const ON_TIME: AccountState = {
  ...{ asOf: AS_OF, statusOn: day('2025-01-01'), status: 'F', riskClass: 'A' },
  ...{ balanceCents: 500_000n, overdueCents: 0n, daysInArrears: 0, instalmentsInArrears: 0 },
};

let made = 0;
function loan(
  current: Partial<AccountState> = {},
  change: Partial<CreditAccount> = {},
  ...history: Partial<AccountState>[]
): CreditAccount {
  made += 1;
  return {
    ...{ key: `L ${made}`, lender: 'L', sector: 'bank', product: 'H', disputed: false },
    ...{ openedOn: day('2025-01-01'), originalCents: 1_000_000n, instalmentCents: null },
    ...{ repaymentMonths: null, lastPaymentOn: null, lastPaymentCents: null },
    ...change,
    current: { ...ON_TIME, ...current },
    history: history.map((state) => ({ ...ON_TIME, ...state })),
  };
}

function late(
  daysInArrears: number,
  overdueCents: bigint,
  riskClass: AccountState['riskClass'],
  instalmentsInArrears: number,
): Partial<AccountState> {
  return { daysInArrears, overdueCents, riskClass, instalmentsInArrears };
}

const repaid = (on: string): Partial<AccountState> => ({
  ...{ status: 'A', balanceCents: 0n, statusOn: day(on) },
});
const DEFAULT = late(100, 200_000n, 'C', 4);
const on = (asOf: string, state: Partial<AccountState> = {}): Partial<AccountState> => ({
  ...state,
  asOf: day(asOf),
});

/** Accounts in default, worst days of 24 months, instalments late, months kept well, repaid, open. */
type Figures = readonly [number, number, number, number, number, number];
const MEASURED = [
  'nonPerformingAccounts',
  'worstArrearsDays24',
  'instalmentsInArrears',
  'monthsOfGoodHistory',
  'accountsRepaid',
  'openAccounts',
] as const satisfies readonly CharacteristicName[];

const GOOD: Figures = [0, 0, 0, 21, 0, 1];
const NOTHING: Figures = [0, 0, 0, 0, 0, 0];

const FILES: readonly (readonly [
  title: string,
  statuses: string,
  figures: Figures,
  ...accounts: CreditAccount[],
])[] = [
  ['on time', 'ACTIVE', GOOD, loan()],
  ['repaid', 'CLOSED', [0, 0, 0, 21, 1, 0], loan(repaid('2026-06-30'))],
  [
    'settled for less',
    'CLOSED',
    [0, 0, 0, 21, 0, 0],
    loan({ status: 'H', balanceCents: 200_000n }),
  ],
  ['dormant', 'ACTIVE', GOOD, loan({ status: 'B' })],
  ['suspended', 'ACTIVE', GOOD, loan({ status: 'K' })],
  [
    'suspended and late',
    ...(['DEFAULT', [1, 95, 4, 0, 0, 1]] as const),
    loan({ ...late(95, 200_000n, 'C', 4), status: 'K' }),
  ],
  ['deferred', 'ACTIVE', GOOD, loan({ status: 'M' })],
  ['30 days late', 'ACTIVE', [0, 30, 1, 21, 0, 1], loan(late(30, 100_000n, 'A', 1))],
  ['31 days late at a bank', 'ACTIVE', [0, 31, 2, 0, 0, 1], loan(late(31, 100_000n, 'B', 2))],
  [
    '31 days late with a mobile loan',
    ...(['DEFAULT', [1, 31, 2, 0, 0, 1]] as const),
    loan(late(31, 100_000n, 'B', 2), { product: 'I' }),
  ],
  ['90 days late', 'ACTIVE', [0, 90, 3, 0, 0, 1], loan(late(90, 100_000n, 'B', 3))],
  ['91 days late', 'DEFAULT', [1, 91, 4, 0, 0, 1], loan(late(91, 100_000n, 'C', 4))],
  ['KES 999.99 late', 'ACTIVE', [0, 0, 0, 0, 0, 1], loan(late(91, 99_999n, 'C', 4))],
  ['KES 1 late', 'ACTIVE', GOOD, loan(late(91, 100n, 'C', 4))],
  ['a twentieth late', 'ACTIVE', GOOD, loan(late(91, 50_000n, 'C', 4))],
  ['a cent more late', 'ACTIVE', [0, 0, 0, 0, 0, 1], loan(late(91, 50_001n, 'C', 4))],
  [
    'written off',
    ...(['DEFAULT', [1, 200, 7, 0, 0, 1]] as const),
    loan({ ...late(200, 500_000n, 'E', 7), status: 'C', statusOn: day('2026-05-01') }),
  ],
  ['written off, then paid', 'ACTIVE', [0, 0, 0, 0, 0, 1], loan({ status: 'C', balanceCents: 0n })],
  [
    'in legal action',
    ...(['DEFAULT', [1, 120, 4, 0, 0, 1]] as const),
    loan({ ...late(120, 500_000n, 'D', 4), status: 'D' }),
  ],
  ['in collection, arrears paid', 'DEFAULT', [1, 0, 0, 0, 0, 1], loan({ status: 'E' })],
  [
    'called up',
    ...(['DEFAULT', [1, 60, 2, 0, 0, 1]] as const),
    loan({ ...late(60, 500_000n, 'B', 2), status: 'J' }),
  ],
  [
    'a small balance written off',
    ...(['ACTIVE', [0, 0, 0, 0, 0, 1]] as const),
    loan({ ...late(200, 80_000n, 'E', 7), status: 'C', balanceCents: 80_000n }),
  ],
  ['default paid up', 'ACTIVE', [0, 100, 0, 0, 0, 1], loan({}, {}, on('2026-01-31', DEFAULT))],
  [
    'default paid up 25 months ago',
    ...(['ACTIVE', [0, 0, 0, 0, 0, 1]] as const),
    loan({}, { openedOn: day('2023-01-01') }, on('2024-09-30', DEFAULT)),
  ],
  [
    'rescheduled after a default',
    ...(['DEFAULT', [1, 100, 0, 0, 0, 1]] as const),
    loan({ status: 'G' }, {}, on('2026-08-31', DEFAULT), on('2026-09-30', { status: 'G' })),
  ],
  [
    'rescheduled after a default, and active',
    ...(['DEFAULT', [1, 100, 0, 0, 0, 1]] as const),
    loan({}, {}, on('2026-08-31', DEFAULT), on('2026-09-30', { status: 'G' })),
  ],
  [
    'rescheduled with its old arrears, and active',
    ...(['DEFAULT', [1, 100, 0, 0, 0, 1]] as const),
    loan({}, {}, on('2026-08-31', DEFAULT), on('2026-09-30', { ...DEFAULT, status: 'G' })),
  ],
  [
    'rescheduled seven months ago',
    ...(['ACTIVE', [0, 100, 0, 0, 0, 1]] as const),
    loan({ status: 'G' }, {}, on('2026-02-28', DEFAULT), on('2026-03-31', { status: 'G' })),
  ],
  [
    'deferred after a default',
    ...(['DEFAULT', [1, 100, 0, 0, 0, 1]] as const),
    loan({ status: 'M' }, {}, on('2026-08-31', DEFAULT)),
  ],
  ['rescheduled in time', 'ACTIVE', GOOD, loan({ status: 'G' })],
  [
    'rescheduled after a default, and repaid',
    ...(['CLOSED', [0, 100, 0, 0, 0, 0]] as const),
    loan(repaid('2026-10-15'), {}, on('2026-08-31', DEFAULT), on('2026-09-30', { status: 'G' })),
  ],
  ['without a limit', 'ACTIVE', GOOD, loan({}, { originalCents: 0n })],
  ['fifty times the limit', 'ACTIVE', GOOD, loan({}, { originalCents: 10_000n })],
  ['paid too much', 'ACTIVE', GOOD, loan({ balanceCents: -50_000n })],
  [
    'paid too much and closed',
    ...(['CLOSED', [0, 0, 0, 21, 1, 0]] as const),
    loan({ ...repaid('2026-06-30'), balanceCents: -50n }),
  ],
  ['disputed default', 'ACTIVE', NOTHING, loan(DEFAULT, { disputed: true })],
  ['disputed with the lender', 'ACTIVE', NOTHING, loan({ ...DEFAULT, status: 'P' })],
  ['of a person who has died', 'ACTIVE', NOTHING, loan({ status: 'L' })],
  ['with a joint holder', 'ACTIVE', GOOD, loan({}, { jointHolders: 1 })],
  [
    'repaid after 27 days',
    ...(['CLOSED', [0, 0, 0, 9, 0, 0]] as const),
    loan(repaid('2026-01-28'), { openedOn: day('2026-01-01') }),
  ],
  [
    'repaid after 28 days',
    ...(['CLOSED', [0, 0, 0, 9, 1, 0]] as const),
    loan(repaid('2026-01-29'), { openedOn: day('2026-01-01') }),
  ],
  [
    'less than KES 1,000 repaid',
    ...(['CLOSED', [0, 0, 0, 21, 0, 0]] as const),
    loan(repaid('2026-06-30'), { originalCents: 99_999n }),
  ],
  [
    'repaid, taken 179 days ago',
    ...(['CLOSED', NOTHING] as const),
    loan(repaid('2026-06-30'), { openedOn: day('2026-05-05') }),
  ],
  [
    'two repaid in one month',
    ...(['CLOSED CLOSED', [0, 0, 0, 21, 1, 0]] as const),
    ...[loan(repaid('2026-06-01')), loan(repaid('2026-06-30'), { lender: 'M' })],
  ],
  [
    'two repaid in two months',
    ...(['CLOSED CLOSED', [0, 0, 0, 21, 2, 0]] as const),
    ...[loan(repaid('2026-06-30')), loan(repaid('2026-07-01'))],
  ],
  [
    'written off in 2018, still submitted',
    ...(['', NOTHING] as const),
    loan(
      { ...late(999, 500_000n, 'E', 30), status: 'C', statusOn: day('2018-03-10') },
      { openedOn: day('2016-01-01') },
    ),
  ],
  [
    'settled five years ago',
    ...(['', NOTHING] as const),
    loan(on('2021-10-31', repaid('2021-10-30')), { openedOn: day('2019-01-01') }),
  ],
  [
    'settled four years ago: 499 thousandths of 93 months',
    ...(['CLOSED', [0, 0, 0, 47, 1, 0]] as const),
    loan(on('2022-10-31', repaid('2022-10-31')), { openedOn: day('2019-01-01') }),
  ],
  [
    'not submitted for more than five years',
    ...(['', NOTHING] as const),
    loan(on('2021-01-31'), { openedOn: day('2019-01-01') }),
  ],
];

for (const [title, statuses, figures, ...accounts] of FILES) {
  test(title, () => {
    const submitted: CreditFile = { asOf: AS_OF, accounts, enquiries: [] };
    const file = applySuppression(applyRetention(submitted, KEPT_FROM), [SMALL_AMOUNTS]);
    const listed = listAccounts(file, { mySector: 'bank', reportSector: 2 });
    expect(listed.map(({ status }) => status).join(' ')).toBe(statuses);
    const scored = scoredFile(file);
    expect(MEASURED.map((name) => characteristic(name).measure(scored))).toEqual(figures);
  });
}

test('there are more than forty of them', () => {
  expect(FILES.length).toBeGreaterThan(40);
});
