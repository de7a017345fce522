import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUSE } from '../../../../src/payments/cases/cases-store.ts';
import type { ProposedResolution } from '../../../../src/payments/cases/cases-store.ts';
import type { CaseKind } from '../../../../src/payments/cases/kinds.ts';
import type { PlannedTransfer } from '../../../../src/payments/corrections/charges.ts';
import { planResolution } from '../../../../src/payments/corrections/resolutions.ts';
import type { Situation } from '../../../../src/payments/corrections/resolutions.ts';

// Whatever amount a person proposes: at most that of the case is posted.

const MUCH = 77_777_777_777n;

function caseOf(kind: CaseKind, facts: Situation['row']['facts']): Situation {
  return {
    row: { kind, vendorId: HOUSE, operatorCode: 'kplc', facts },
    payment: null,
    lost: null,
    floatCents: 0n,
    collectedCents: 0n,
    exposureCents: 0n,
    keptCents: 0n,
    borneCents: MUCH,
    receivableCents: MUCH,
  };
}

/** @param cents null: none is entered. */
function proposal(resolution: string, cents: bigint | null = null): ProposedResolution {
  return {
    ...{ resolution, amount_cents: cents?.toString() ?? null },
    ...{ operator_reference: null, message: null, details: null },
  };
}

function posted(situation: Situation, proposed: ProposedResolution): readonly PlannedTransfer[] {
  const plan = planResolution(situation, proposed);
  return plan.kind === 'correct' ? plan.transfers : [];
}

/** Cases with an amount of 130.00. */
const CASES: readonly (readonly [CaseKind, Situation['row']['facts']])[] = [
  ['theirs_only', { movement: 'payment', paid_cents: 13_000 }],
  ['duplicate', { movement: 'payment', paid_cents: 13_000 }],
  ['unmatched_callback', { paid_cents: 13_000 }],
  ['float_difference', { closing_cents: 50_000, opening_cents: 37_000 }],
  ['statement_change', { movement: 'charge', listed_before_cents: 5_000, paid_cents: 18_000 }],
  ['statement_change', { movement: 'payment', listed_before_cents: 5_000, paid_cents: 18_000 }],
  ['statement_change', { movement: 'top_up', listed_before_cents: 18_000, paid_cents: 5_000 }],
];

describe('our own accounts', () => {
  test.each(CASES)('%s posts the amount of the case, or a smaller one', (kind, facts) => {
    const situation = caseOf(kind, facts);
    for (const resolution of ['house_bears', 'receivable']) {
      expect(posted(situation, proposal(resolution))).toMatchObject([{ amountCents: 13_000n }]);
      fc.assert(
        fc.property(fc.bigInt(-13_000n, 26_000n), (cents) => {
          const proposed = proposal(resolution, cents);
          if (cents > 0n && cents <= 13_000n) {
            expect(posted(situation, proposed)).toMatchObject([{ amountCents: cents }]);
          } else {
            expect(() => posted(situation, proposed)).toThrow('at most 130.00');
          }
        }),
      );
    }
  });

  /** Cases about 130.00 that the operator returned. */
  const RETURNED: typeof CASES = [
    ['theirs_only', { movement: 'reversal', paid_cents: 13_000 }],
    ['float_difference', { closing_cents: 37_000, opening_cents: 50_000 }],
    ['statement_change', { movement: 'charge', listed_before_cents: 18_000, paid_cents: 5_000 }],
    ['statement_change', { movement: 'reversal', listed_before_cents: 5_000, paid_cents: 18_000 }],
  ];

  test.each(RETURNED)('%s: what the operator returned is not posted as taken', (kind, facts) => {
    const situation = caseOf(kind, facts);
    for (const resolution of ['house_bears', 'receivable']) {
      for (const cents of [null, 1n]) {
        expect(() => posted(situation, proposal(resolution, cents))).toThrow(
          'The operator returned 130.00 and took nothing. Choose receivable_returned',
        );
      }
    }
    const amountCents = 13_000n;
    expect(posted(situation, proposal('receivable_returned'))).toEqual([
      {
        vendorId: HOUSE,
        debitAccount: 'receivable:kplc',
        creditAccount: 'claims:kplc',
        amountCents,
      },
    ]);
    expect(posted(situation, proposal('house_recovers'))).toEqual([
      { vendorId: HOUSE, debitAccount: 'operator:kplc', creditAccount: 'losses:kplc', amountCents },
    ]);
    expect(() => posted(situation, proposal('house_recovers', 13_001n))).toThrow('at most 130.00');
  });

  test.each(CASES.filter(([kind]) => kind !== 'duplicate' && kind !== 'unmatched_callback'))(
    '%s: what the operator took is not posted as returned',
    (kind, facts) => {
      for (const resolution of ['house_recovers', 'receivable_returned']) {
        expect(() => posted(caseOf(kind, facts), proposal(resolution))).toThrow(
          'The operator took 130.00 and returned nothing. Choose house_bears, receivable',
        );
      }
    },
  );

  test('no more is returned than we bear, or the operator owes', () => {
    const facts = { movement: 'reversal', paid_cents: 13_000 };
    const little = { ...caseOf('theirs_only', facts), borneCents: 5_000n, receivableCents: 6_000n };
    expect(() => posted(little, proposal('house_recovers'))).toThrow(
      'We bear 50.00 of this operator’s payments, not 130.00. For money that the operator gave us for another reason, choose keep_books, and enter it with house entry propose.',
    );
    expect(() => posted(little, proposal('receivable_returned'))).toThrow(
      'The operator owes 60.00, not 130.00.',
    );
    expect(posted(little, proposal('house_recovers', 5_000n))).toHaveLength(1);
  });

  test('nothing is posted if a changed movement has the same amount, or the earlier one is not known', () => {
    for (const facts of [{ listed_before_cents: 13_000 }, {}]) {
      const changed = caseOf('statement_change', {
        movement: 'charge',
        paid_cents: 13_000,
        ...facts,
      });
      expect(() => posted(changed, proposal('house_bears', 1n))).toThrow('did not change');
    }
  });

  test('nothing is posted if the case has no amount', () => {
    for (const [kind, facts] of [
      ['unmatched_callback', { paid_cents: null }],
      ['float_difference', { closing_cents: 5, opening_cents: 5 }],
      ['float_difference', {}],
    ] as const) {
      for (const cents of [null, 1n]) {
        expect(() => posted(caseOf(kind, facts), proposal('house_bears', cents))).toThrow(
          'does not have an amount',
        );
      }
    }
  });
});

describe('what a vendor owes', () => {
  const owing = (exposureCents: bigint, owed_cents: number): Situation => ({
    ...caseOf('exposure', { owed_cents }),
    floatCents: MUCH,
    exposureCents,
  });

  test('a debt is collected or written off up to what is left of the case; the rest is a new case', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 9_000n),
        fc.integer({ min: 1, max: 9_000 }),
        fc.bigInt(-1n, 9_001n),
        fc.constantFrom('collect_exposure', 'write_off'),
        (exposureCents, owed, cents, resolution) => {
          const situation = owing(-exposureCents, owed);
          const leftCents = exposureCents < BigInt(owed) ? exposureCents : BigInt(owed);
          const plan = () => planResolution(situation, proposal(resolution, cents));
          if (cents <= 0n || cents > leftCents) {
            expect(plan).toThrow(/at most|owes nothing of this case any more/);
            return;
          }
          expect(plan()).toMatchObject({
            transfers: [{ creditAccount: 'exposure', amountCents: cents }],
            restCents: leftCents - cents,
          });
        },
      ),
    );
  });

  test('the books are kept only when nothing is left of the debt', () => {
    expect(() => posted(owing(-1n, 5), proposal('keep_books'))).toThrow('still owes 0.01');
    expect(posted(owing(0n, 5), proposal('keep_books'))).toEqual([]);
  });
});
