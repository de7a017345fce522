import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUSE } from '../../../../src/payments/cases/cases-store.ts';
import type { CaseKind, Proposal } from '../../../../src/payments/cases/cases-store.ts';
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
    receivableCents: MUCH,
  };
}

/** @param cents null: none is entered. */
function proposal(resolution: string, cents: bigint | null = null): Proposal {
  return {
    ...{ resolution, note: 'as agreed', amount_cents: cents?.toString() ?? null },
    ...{ operator_reference: null, message: null, details: null },
  };
}

function posted(situation: Situation, proposed: Proposal): readonly PlannedTransfer[] {
  const plan = planResolution(situation, proposed);
  return plan.kind === 'correct' ? plan.transfers : [];
}

/** Cases with an amount of 130.00. */
const CASES: readonly (readonly [CaseKind, Situation['row']['facts']])[] = [
  ['theirs_only', { movement: 'payment', paid_cents: 13_000 }],
  ['duplicate', { movement: 'payment', paid_cents: 13_000 }],
  ['unmatched_callback', { paid_cents: 13_000 }],
  ['float_difference', { closing_cents: 50_000, opening_cents: 37_000 }],
];

describe('our own accounts', () => {
  test.each(CASES)('%s: the amount of the case, or a smaller one', (kind, facts) => {
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

  test('nothing, if the case has no amount', () => {
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
