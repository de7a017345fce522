import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeReference } from '../../src/parties/reference.ts';
import { findAbsences } from '../../src/payments/reconciliation/absences.ts';
import { matchStatement, unexplainedCents } from '../../src/payments/reconciliation/match.ts';
import type { OurPayment } from '../../src/payments/reconciliation/match.ts';
import type { StatementMovement } from '../../src/connectors/operator-statements.ts';

// Random real payments, and possible errors on either side. The matcher has to report exactly what was
// planted.

const TOLERANCE_MS = 300_000;
const START_MS = Date.UTC(2026, 2, 1);

/** What is planted about one payment. */
const PLANTS = [
  'none',
  // The operator lists it; in our books it is failed, missing or open.
  'ours_failed',
  'ours_unknown',
  'ours_open',
  // In our books it is paid; the operator does not list it.
  'not_listed',
  'other_amount',
  'listed_twice',
  'listed_and_reversed',
  // Failed, and correctly not listed.
  'rightly_failed',
] as const;
type Plant = (typeof PLANTS)[number];

/** How the operator names the payment in its statement. */
const NAMINGS = ['our_reference', 'operator_reference', 'content'] as const;

interface Truth {
  readonly plant: Plant;
  readonly naming: (typeof NAMINGS)[number];
  readonly amountCents: bigint;
  readonly extraCents: bigint;
  /** Netted commission: the operator's statement lists that much less. */
  readonly nettedCents: bigint;
  readonly atMs: number;
}

const truthArbitrary = fc.array(
  fc.record({
    plant: fc.constantFrom(...PLANTS),
    naming: fc.constantFrom(...NAMINGS),
    amountCents: fc.bigInt(100n, 100_000_00n),
    // Not 0, and not what is netted.
    extraCents: fc.bigInt(-99n, 1_000n).filter((cents) => ![0n, -7n].includes(cents)),
    nettedCents: fc.constantFrom(0n, 0n, 7n),
    atMs: fc.integer({ min: 0, max: 86_000_000 }),
  }),
  { maxLength: 40 },
);

function idOf(index: number): string {
  return `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
}

function ourPayment(truth: Truth, index: number): OurPayment {
  const { plant } = truth;
  const outcome =
    plant === 'ours_open'
      ? null
      : plant === 'ours_failed' || plant === 'rightly_failed' || plant === 'listed_and_reversed'
        ? 'failed'
        : 'success';
  const sentAt = new Date(START_MS + truth.atMs - 1_000);
  return {
    vendorId: 1 + (index % 3),
    paymentId: idOf(index),
    reference: encodeReference(1 + (index % 3), idOf(index)),
    billerCode: 'water',
    account: `account-${index}`,
    amountCents: truth.amountCents,
    outcome,
    billerReference: outcome === 'success' ? `OP${index}` : null,
    firstSentAt: sentAt,
    lastSentAt: sentAt,
    openVersion: 2,
    underWay: outcome === null,
    settledAt: outcome === null ? null : new Date(START_MS + truth.atMs + 1_000),
    postedCents: outcome === 'success' ? truth.amountCents : 0n,
    netCents: truth.amountCents - truth.nettedCents,
    netPostedCents: outcome === 'success' ? truth.amountCents - truth.nettedCents : 0n,
    hasOtherTerms: false,
    paidElsewhere: false,
    houseCents: 0n,
    listedCents: 0n,
    listedPayments: 0,
    isListed: false,
    isRevised: false,
  };
}

/** Planted errors that can be detected with certainty only by a reference. */
const CERTAIN_ONLY: ReadonlySet<Plant> = new Set([
  'ours_failed',
  'ours_open',
  'other_amount',
  'listed_twice',
  'listed_and_reversed',
]);

function movementsOf(truth: Truth, index: number): Omit<StatementMovement, 'line'>[] {
  const { plant, amountCents } = truth;
  if (plant === 'not_listed' || plant === 'rightly_failed') return [];
  const naming = CERTAIN_ONLY.has(plant) ? 'our_reference' : truth.naming;
  const paid = {
    kind: 'payment' as const,
    at: new Date(START_MS + truth.atMs),
    operatorReference: naming === 'content' ? `X${index}` : `OP${index}`,
    reference: naming === 'our_reference' ? encodeReference(1 + (index % 3), idOf(index)) : null,
    billerCode: 'water',
    account: `account-${index}`,
    amountCents:
      plant === 'other_amount' ? amountCents + truth.extraCents : amountCents - truth.nettedCents,
  };
  const later = { ...paid, at: new Date(Number(paid.at) + 1), operatorReference: `AGAIN${index}` };
  if (plant === 'listed_twice') return [paid, later];
  if (plant === 'listed_and_reversed') return [paid, { ...later, kind: 'reversal' as const }];
  return [paid];
}

/** The expected verdicts about the planted movements, in their order. */
const EXPECTED: Readonly<Record<Plant, readonly string[]>> = {
  none: ['matched'],
  ours_failed: ['theirs_only'],
  ours_unknown: ['theirs_only'],
  ours_open: ['settled'],
  not_listed: [],
  other_amount: ['amount_difference'],
  listed_twice: ['matched', 'duplicate'],
  listed_and_reversed: ['reversed', 'reversed'],
  rightly_failed: [],
};

/** What the operator took from our float and the books do not have. */
function plantedCents({ plant, amountCents, nettedCents, extraCents }: Truth): bigint {
  if (plant === 'other_amount') {
    // Net is compared with net, unless the amount itself is nearer or the terms would be far from ours.
    const away = extraCents + nettedCents;
    const isNet = magnitude(away) < magnitude(extraCents) && magnitude(away) * 10n <= amountCents;
    return isNet ? away : extraCents;
  }
  const isMissing = ['ours_failed', 'ours_unknown', 'listed_twice'].includes(plant);
  return isMissing ? amountCents - nettedCents : 0n;
}

function magnitude(cents: bigint): bigint {
  return cents < 0n ? -cents : cents;
}

describe('matching a random statement with random books', () => {
  test('reports exactly the planted differences, in whatever order the lines stand', () => {
    fc.assert(
      fc.property(truthArbitrary, fc.infiniteStream(fc.nat()), (truths, shuffle) => {
        const payments = truths.flatMap((truth, index) =>
          truth.plant === 'ours_unknown' ? [] : [ourPayment(truth, index)],
        );
        const planted = truths.flatMap((truth, index) =>
          movementsOf(truth, index).map((movement, location) => ({ movement, index, location })),
        );
        const keyed = planted.map((item) => ({ ...item, key: shuffle.next().value ?? 0 }));
        const ordered = keyed
          .toSorted((one, other) => one.key - other.key)
          .map((item, line) => ({ ...item, movement: { ...item.movement, line: line + 2 } }));

        const matches = matchStatement(
          ordered.map(({ movement }) => movement),
          payments,
          { toleranceMs: TOLERANCE_MS },
        );

        expect(matches).toHaveLength(ordered.length);
        const byLine = new Map(matches.map((match) => [match.movement.line, match]));
        for (const { movement, index, location } of ordered) {
          const plant = truths[index]?.plant ?? 'none';
          const match = byLine.get(movement.line);
          expect([plant, match?.verdict]).toEqual([plant, EXPECTED[plant][location]]);
          const certain = plant === 'ours_unknown' ? undefined : idOf(index);
          expect(match?.payment?.paymentId).toBe(certain);
          const word = plant === 'ours_failed' || plant === 'ours_open' ? 'success' : null;
          expect(match?.reported).toBe(word);
        }

        const unexplained = matches.reduce((sum, match) => sum + unexplainedCents(match), 0n);
        expect(unexplained).toBe(truths.reduce((sum, truth) => sum + plantedCents(truth), 0n));

        const listed = new Set(matches.map((match) => match.payment));
        const { oursOnly, notPaid } = findAbsences(
          payments.filter((payment) => !listed.has(payment)),
          () => true,
          {
            toleranceMs: TOLERANCE_MS,
            absenceIsProof: true,
            acceptanceWindowMs: 1_000,
            payDeadlineMs: 0,
          },
        );
        const absent = truths.flatMap(({ plant }, index) =>
          plant === 'not_listed' ? [idOf(index)] : [],
        );
        expect(oursOnly.map((payment) => payment.paymentId)).toEqual(absent);
        expect(notPaid).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

function paidMovement(given: Partial<StatementMovement>): StatementMovement {
  return {
    kind: 'payment',
    line: 2,
    at: new Date(START_MS),
    operatorReference: 'OP-NEW',
    reference: null,
    billerCode: 'water',
    account: 'account-0',
    amountCents: 10_000n,
    ...given,
  };
}

const TRUTH: Truth = {
  plant: 'none',
  naming: 'content',
  amountCents: 10_000n,
  extraCents: 1n,
  nettedCents: 0n,
  atMs: 0,
};

describe('without a reference', () => {
  test('a similar open payment is no proof: it is named for a person', () => {
    const open = ourPayment({ ...TRUTH, plant: 'ours_open' }, 0);
    const [match] = matchStatement([paidMovement({})], [open], { toleranceMs: TOLERANCE_MS });
    expect(match).toMatchObject({ verdict: 'theirs_only', payment: null, reported: null });
    expect(match?.candidate).toBe(open);
  });

  test('another time, account, amount or biller is not similar', () => {
    const ours = ourPayment(TRUTH, 0);
    for (const other of [
      { at: new Date(START_MS + TOLERANCE_MS + 1_001) },
      { account: 'account-1' },
      { amountCents: 10_001n },
      { billerCode: 'tv' },
    ]) {
      const [match] = matchStatement([paidMovement(other)], [ours], { toleranceMs: TOLERANCE_MS });
      expect(match).toMatchObject({ verdict: 'theirs_only', payment: null, candidate: null });
    }
  });

  test('two similar movements explain two payments, and no third', () => {
    const ours = [0, 1].map((index) => ({ ...ourPayment(TRUTH, index), account: 'account-0' }));
    const three = [2, 3, 4].map((line) => paidMovement({ line, operatorReference: `NEW${line}` }));
    const verdicts = matchStatement(three, ours, { toleranceMs: TOLERANCE_MS });
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['matched', 'matched', 'theirs_only']);
  });

  test('an operator’s reference that two payments have identifies neither', () => {
    const ours = [0, 1].map((index) => ({ ...ourPayment(TRUTH, index), billerReference: 'SAME' }));
    const [match] = matchStatement(
      [paidMovement({ operatorReference: 'SAME', account: 'nobody' })],
      ours,
      { toleranceMs: TOLERANCE_MS },
    );
    expect(match).toMatchObject({ verdict: 'theirs_only', payment: null });
  });
});

describe('a reversal', () => {
  test('a reversal of a payment that the books have as paid contradicts them', () => {
    const ours = { ...ourPayment(TRUTH, 0), listedCents: 10_000n, listedPayments: 1 };
    const [match] = matchStatement(
      [paidMovement({ kind: 'reversal', reference: ours.reference })],
      [ours],
      { toleranceMs: TOLERANCE_MS },
    );
    expect(match).toMatchObject({ verdict: 'theirs_only', reported: 'failed', payment: ours });
  });

  test('a reversal within the statement of a payment that the books have as paid contradicts them, too', () => {
    const ours = ourPayment(TRUTH, 0);
    const { reference } = ours;
    const matches = matchStatement(
      [
        paidMovement({ reference, line: 2 }),
        paidMovement({ reference, line: 3, kind: 'reversal', operatorReference: 'BACK' }),
      ],
      [ours],
      { toleranceMs: TOLERANCE_MS },
    );
    expect(matches.map(({ verdict, reported }) => [verdict, reported])).toEqual([
      ['reversed', null],
      ['theirs_only', 'failed'],
    ]);
  });

  test('nothing is left to do after a reversal of the second of two payments', () => {
    const ours = { ...ourPayment(TRUTH, 0), listedCents: 20_000n, listedPayments: 2 };
    const [match] = matchStatement(
      [paidMovement({ kind: 'reversal', reference: ours.reference })],
      [ours],
      { toleranceMs: TOLERANCE_MS },
    );
    expect(match).toMatchObject({ verdict: 'reversed', reported: null });
  });
});

describe('what is absent', () => {
  const times = { acceptanceWindowMs: 60_000, payDeadlineMs: 5_000 };
  const rules = { toleranceMs: 1_000, absenceIsProof: true, ...times };
  const open = ourPayment({ ...TRUTH, plant: 'ours_open' }, 0);
  const until = (ms: number) => (_: Date, to: Date) => Number(to) <= START_MS + ms;

  test('absence proves non-payment only past the longest acceptance window that it had, from the latest moment of sending on, and only if the operator says so', () => {
    // Claimed one second before the start of the period, sent up to 3 s and 5 s later, window and tolerance.
    expect(findAbsences([open], until(68_000), rules).notPaid).toEqual([open]);
    expect(findAbsences([open], until(67_999), rules).notPaid).toEqual([]);
    const silent = { ...rules, absenceIsProof: false };
    expect(findAbsences([open], () => true, silent).notPaid).toEqual([]);
    const former = [{ ...times, acceptanceWindowMs: 90_000, version: 2 }];
    const shortened = { ...rules, former };
    expect(findAbsences([open], until(97_999), shortened).notPaid).toEqual([]);
    expect(findAbsences([open], until(98_000), shortened).notPaid).toEqual([open]);
    // It was sent after that window was set.
    const later = { ...open, openVersion: 3 };
    expect(findAbsences([later], until(68_000), shortened).notPaid).toEqual([later]);
    const endless = { ...rules, acceptanceWindowMs: null };
    expect(findAbsences([open], () => true, endless).notPaid).toEqual([]);
    const unsent = { ...open, underWay: false };
    expect(findAbsences([unsent], () => true, rules).notPaid).toEqual([]);
  });

  test('absence is a difference only when the whole time of the payment is covered', () => {
    const paid = ourPayment(TRUTH, 0);
    expect(findAbsences([paid], until(2_000), rules).oursOnly).toEqual([paid]);
    expect(findAbsences([paid], until(1_999), rules).oursOnly).toEqual([]);
  });
});
