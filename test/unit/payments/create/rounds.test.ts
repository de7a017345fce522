import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roundsOf } from '../../../../src/payments/create/rounds.ts';
import type { NewPayment } from '../../../../src/payments/create/payment.ts';
import { createOracle } from '../../../support/create-oracle.ts';
import { newPayment } from '../../../support/new-transaction.ts';

describe('the rounds of a batch', () => {
  const R = { merchantReference: 'R' };
  const check = { duplicateSeconds: 30 };
  test.each<[string, number[] | null, readonly Partial<NewPayment>[]]>([
    ['one alone', null, [check]],
    ['equal, and nobody asks', null, [{}, {}]],
    ['equal, and the later one asks', [1, 2], [{}, check]],
    ['equal, and the earlier one asks', [1, 2], [check, {}]],
    ['equal, and only the third asks', [1, 1, 2], [{}, {}, check]],
    ['equal, and those around it ask', [1, 2, 3], [check, {}, check]],
    [
      'unequal, and all ask',
      null,
      [
        check,
        { ...check, account: '2' },
        { ...check, amountCents: 1n },
        { ...check, billerCode: 'other' },
        { ...check, vendorId: 8 },
      ],
    ],
    ['of one reference', [1, 2, 1, 3], [R, R, {}, R]],
    ['of one reference, of two vendors', null, [R, { ...R, vendorId: 8 }]],
    [
      'of one reference and then of one content',
      [1, 2, 3],
      [R, { ...R, account: '2' }, { ...check, account: '2' }],
    ],
    ['without references', null, [{ merchantReference: null }, { merchantReference: null }]],
  ])('splits a batch into rounds (%s): %j', (_, expected, rows) => {
    expect(roundsOf(rows.map((row) => newPayment({ vendorId: 7, ...row })))).toEqual(expected);
  });

  test('decide alike when each round is taken in any order', () => {
    const row = fc.record({
      vendorId: fc.constantFrom(7, 8),
      account: fc.constantFrom('1', '2', '3'),
      amountCents: fc.constantFrom(1n, 2n),
      merchantReference: fc.constantFrom(null, 'R1', 'R2', 'R3'),
      duplicateSeconds: fc.constantFrom(0, 30),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
        const batch = rows.map((content) => newPayment(content));
        const rounds = roundsOf(batch) ?? batch.map(() => 1);
        const roundOf = new Map(batch.map((one, index) => [one, rounds[index] ?? 0]));
        const decide = (ordered: readonly NewPayment[]): Map<string, unknown> => {
          const oracle = createOracle();
          for (const vendorId of [7, 8]) oracle.addFloat(vendorId, 1_000n);
          return new Map(
            ordered.map((one) => {
              const { kind, names } = oracle.decide(one);
              return [one.paymentId, { kind, names: names.toSorted() }];
            }),
          );
        };
        const byRound = batch
          .toReversed()
          .toSorted((one, other) => (roundOf.get(one) ?? 0) - (roundOf.get(other) ?? 0));
        expect(decide(byRound)).toEqual(decide(batch));
      }),
      { numRuns: 1_000 },
    );
  });
});
