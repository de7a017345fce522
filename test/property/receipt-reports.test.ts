import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideReport } from '../../src/payments/receipts/judge-report.ts';
import type { Decision, KnownReceipt } from '../../src/payments/receipts/judge-report.ts';
import type { ReceiptReport } from '../../src/payments/receipts/receipt.ts';

// Random reports of one receipt, in any order and from any channel, compared with what a person would
// decide. The receipt may be reversed in between.

const DAY_MS = 86_400_000;
const PAID_MS = Date.UTC(2026, 0, 5);
const NOW = new Date(PAID_MS + 500 * DAY_MS);
/** ACME and BETA are accounts of vendors; nobody has TYPO. */
const VENDORS: Readonly<Record<string, number>> = { ACME: 1, BETA: 2 };

type Reported = Pick<ReceiptReport, 'channel' | 'amountCents' | 'paidAt' | 'account'>;
type Step = Reported | 'reversed';

const reportArbitrary: fc.Arbitrary<Reported> = fc.record({
  channel: fc.constantFrom('confirmation', 'pull', 'stk', 'statement'),
  amountCents: fc.constantFrom(100n, 900n),
  paidAt: fc.constantFrom(0, 30, 32, 400).map((days) => new Date(PAID_MS + days * DAY_MS)),
  account: fc.constantFrom('ACME', 'BETA', 'TYPO', null),
});
const stepsArbitrary = fc.tuple(
  reportArbitrary,
  fc.array(fc.oneof({ weight: 9, arbitrary: reportArbitrary }, fc.constant('reversed' as const)), {
    maxLength: 8,
  }),
);
const confirmFromArbitrary = fc.constantFrom(null, 100n, 500n);

function vendorOf(account: string | null): number | undefined {
  return account === null ? undefined : VENDORS[account];
}

/** Carries out the decisions as the database does. */
function carryOut(steps: readonly Step[], confirmFromCents: bigint | null) {
  let known: KnownReceipt | undefined;
  const decisions: (Decision | 'reversed')[] = [];
  for (const step of steps) {
    if (step === 'reversed') {
      if (known !== undefined) known = { ...known, reversedAt: new Date() };
      decisions.push('reversed');
      continue;
    }
    const vendorId = vendorOf(known?.account ?? step.account);
    const decision = decideReport(step, { known, vendorId, confirmFromCents, now: NOW });
    decisions.push(decision);
    if (decision.kind === 'new') {
      known = {
        ...step,
        state: decision.state,
        vendorId: decision.vendorId,
        reversedAt: null,
        doubt: null,
      };
    } else if (decision.kind === 'claim' && known !== undefined) {
      const { vendorId: claimedFor, account } = decision;
      known = { ...known, state: 'claimed', vendorId: claimedFor, account };
    }
  }
  if (known === undefined) throw new Error('nothing was reported');
  return { known, decisions };
}

/** The vendor that has the money at the end, computed independently of the code. */
function creditedTo(steps: readonly Step[], confirmFromCents: bigint | null): number | null {
  const [first] = steps as [Reported];
  let [account, isUnconfirmed] = [first.account, false];
  for (const [index, step] of steps.entries()) {
    if (step === 'reversed') return null;
    const isSame =
      step.amountCents === first.amountCents &&
      Math.abs(step.paidAt.getTime() - first.paidAt.getTime()) <= 31 * DAY_MS &&
      (step.account === null || account === null || step.account === account);
    if (!isSame) continue;
    const needsOther =
      step.channel === 'confirmation' &&
      confirmFromCents !== null &&
      step.amountCents >= confirmFromCents;
    const vendor = vendorOf(account ?? step.account) ?? null;
    if (index === 0) {
      if (vendor !== null && !needsOther) return vendor;
      isUnconfirmed = vendor !== null;
    } else if (isUnconfirmed) {
      if (step.channel !== 'confirmation') return vendor;
    } else if (account === null && vendor !== null && !needsOther) {
      account = step.account;
      return vendor;
    }
  }
  return null;
}

test('the vendor of the account that was reported first is credited, and nobody else', () => {
  fc.assert(
    fc.property(stepsArbitrary, confirmFromArbitrary, ([first, rest], confirmFromCents) => {
      const steps = [first, ...rest];
      const { known } = carryOut(steps, confirmFromCents);
      expect(known.vendorId).toBe(creditedTo(steps, confirmFromCents));
    }),
    { numRuns: 3_000 },
  );
});

test('a receipt is credited to a vendor at most once', () => {
  fc.assert(
    fc.property(stepsArbitrary, confirmFromArbitrary, ([first, rest], confirmFromCents) => {
      const { decisions } = carryOut([first, ...rest], confirmFromCents);
      const claims = decisions.filter(
        (decision) =>
          decision !== 'reversed' &&
          (decision.kind === 'claim' || (decision.kind === 'new' && decision.vendorId !== null)),
      );
      expect(claims.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1_000 },
  );
});

test('confirmations alone never credit an amount that has to be confirmed', () => {
  const forged = reportArbitrary.map((report) => ({ ...report, channel: 'confirmation' as const }));
  fc.assert(
    fc.property(fc.array(forged, { minLength: 1, maxLength: 8 }), (steps) => {
      expect(carryOut(steps, 100n).known.vendorId).toBeNull();
    }),
    { numRuns: 1_000 },
  );
});

test('a receipt with a future time is credited to nobody, whatever is reported later', () => {
  fc.assert(
    fc.property(stepsArbitrary, confirmFromArbitrary, ([first, rest], confirmFromCents) => {
      const early = { ...first, paidAt: new Date(NOW.getTime() + DAY_MS + 1) };
      const { known, decisions } = carryOut([early, ...rest], confirmFromCents);
      expect(decisions[0]).toMatchObject({ kind: 'new', state: 'misdated' });
      expect(known.vendorId).toBeNull();
      const near = { ...first, paidAt: new Date(NOW.getTime() + DAY_MS) };
      expect(carryOut([near], confirmFromCents).known.state).not.toBe('misdated');
    }),
    { numRuns: 1_000 },
  );
});

test('another amount, or a time more than a month away, is always a contradiction', () => {
  fc.assert(
    fc.property(stepsArbitrary, confirmFromArbitrary, ([first, rest], confirmFromCents) => {
      const steps = [first, ...rest];
      const { decisions } = carryOut(steps, confirmFromCents);
      for (const [index, step] of steps.entries()) {
        if (step === 'reversed') continue;
        const isOther =
          step.amountCents !== first.amountCents ||
          Math.abs(step.paidAt.getTime() - first.paidAt.getTime()) > 31 * DAY_MS;
        if (isOther) expect(decisions[index]).toMatchObject({ kind: 'conflict' });
      }
    }),
    { numRuns: 1_000 },
  );
});
