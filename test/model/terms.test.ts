import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import type { Proposal } from '../../src/payments/cases/cases-store.ts';
import type { PlannedTransfer } from '../../src/payments/corrections/charges.ts';
import type { PricedPayment } from '../../src/payments/corrections/other-terms.ts';
import { planResolution, resolutionsOf } from '../../src/payments/corrections/resolutions.ts';
import type { Situation } from '../../src/payments/corrections/resolutions.ts';
import { takenCents, termsOf } from '../../src/payments/prices/price.ts';
import type { OperatorTerms } from '../../src/payments/prices/price.ts';
import { isListedNet } from '../../src/payments/reconciliation/match.ts';

// An operator takes another amount for a payment than our terms say, or executes another amount, and lists it
// with its terms or without. Whatever people decide, the ledger then has what the statement lists, and a
// decision that the difference is ours leaves the vendor's money alone.

const none = { flatCents: 0n, bps: 0 };
const NO_TERMS: OperatorTerms = { cost: none, commission: none, commissionNetted: true };

const rate = fc.record({
  flatCents: fc.constantFrom(0n, 30n, 100n),
  bps: fc.constantFrom(0, 190, 220, 1_000),
});
const terms = fc.record({ cost: rate, commission: rate, commissionNetted: fc.boolean() });

const listed = fc.record({
  ours: terms,
  theirs: terms,
  amountCents: fc.bigInt(1_000n, 1_000_000n),
  /** Of the amount, what the operator executed, in per cent. */
  executedPercent: fc.constantFrom(100n, 100n, 100n, 97n, 50n, 110n),
  isNet: fc.boolean(),
  feeCents: fc.constantFrom(0n, 2_900n),
});

class Ledger {
  readonly #balances = new Map<string, bigint>();

  post(transfers: readonly PlannedTransfer[]): void {
    for (const { debitAccount, creditAccount, amountCents, vendorId } of transfers) {
      expect(amountCents > 0n).toBe(true);
      const owner = vendorId === 0 ? 'house ' : '';
      this.#add(`${owner}${debitAccount}`, -amountCents);
      this.#add(`${owner}${creditAccount}`, amountCents);
    }
  }

  #add(account: string, cents: bigint): void {
    this.#balances.set(account, this.of(account) + cents);
  }

  of(account: string): bigint {
    return this.#balances.get(account) ?? 0n;
  }

  /** What the ledger says that the operator has of our money. */
  get taken(): bigint {
    return (
      this.of('operator:kplc') + this.of('house operator:kplc') + this.of('house receivable:kplc')
    );
  }
}

const NOTHING = { costCents: 0n, commissionCents: 0n };

/** The books of a payment that was settled by our terms. */
function settled(
  ours: OperatorTerms,
  { amountCents, feeCents }: { readonly amountCents: bigint; readonly feeCents: bigint },
): { readonly ledger: Ledger; readonly payment: PricedPayment } {
  const { costCents, commissionCents } = termsOf(ours, amountCents);
  const from = ours.commissionNetted ? 'operator:kplc' : 'commission_due:kplc';
  const vatCents = feeCents / 10n;
  const legs = [
    ['float', 'operator:kplc', amountCents],
    ['float', 'fees', feeCents - vatCents],
    ['float', 'vat', vatCents],
    ['cost:kplc', 'operator:kplc', costCents],
    [from, 'commission:kplc', commissionCents],
  ] as const;
  const ledger = new Ledger();
  ledger.post(
    legs
      .filter(([, , cents]) => cents > 0n)
      .map(([debitAccount, creditAccount, cents]) => {
        return { vendorId: 7, debitAccount, creditAccount, amountCents: cents };
      }),
  );
  const netCents = takenCents(ours, amountCents);
  const payment: PricedPayment = {
    ...{ vendorId: 7, paymentId: 'p', reference: 'R', billerCode: 'kplc', account: '1' },
    ...{ amountCents, outcome: 'success', billerReference: 'B' },
    ...{ firstSentAt: new Date(0), lastSentAt: new Date(0), settledAt: new Date(1) },
    ...{ underWay: false, paidElsewhere: false, postedCents: amountCents },
    ...{ netCents, netPostedCents: netCents, houseCents: 0n },
    ...{ listedCents: 0n, listedPayments: 0, isListed: false, isRevised: false },
    ...{ feeCents, vatCents, terms: ours, otherTerms: NOTHING },
  };
  return { ledger, payment };
}

function situationOf(
  payment: PricedPayment,
  row: Pick<Situation['row'], 'kind' | 'facts'>,
): Situation {
  const listedCents = BigInt(Number(row.facts['paid_cents'] ?? 0));
  return {
    row: { vendorId: 7, operatorCode: 'kplc', ...row },
    payment: { ...payment, listedCents, listedPayments: 1, isListed: true },
    lost: null,
    ...{ floatCents: 10_000_000n, collectedCents: 0n, exposureCents: 0n, keptCents: 0n },
    ...{ borneCents: 0n, receivableCents: 0n },
  };
}

/** Undefined: it is refused. */
function transfersOf(
  situation: Situation,
  resolution: string,
): readonly PlannedTransfer[] | undefined {
  const empty = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal: Proposal = { resolution, note: 'as the facts say', ...empty };
  try {
    const plan = planResolution(situation, proposal);
    return plan.kind === 'correct' ? plan.transfers : [];
  } catch (error) {
    if (error instanceof PlainError) return undefined;
    throw error;
  }
}

const isNear = (one: bigint, other: bigint, cents = 1n): boolean =>
  one - other <= cents && other - one <= cents;

test('every resolution of another amount makes the ledger have what is listed, and some resolution is possible', () => {
  fc.assert(
    fc.property(listed, ({ ours, theirs, isNet, executedPercent, ...made }) => {
      const executed = (made.amountCents * executedPercent) / 100n;
      const paid = isNet ? takenCents(theirs, executed) : executed;
      const { payment } = settled(ours, made);
      if (paid <= 0n || [payment.postedCents, payment.netPostedCents].includes(paid)) return;
      const facts = { source: 'statement', movement: 'payment', paid_cents: Number(paid) };
      const situation = situationOf(payment, { kind: 'amount_difference', facts });
      const readNet = isListedNet(payment, paid);
      let possible = 0;
      for (const resolution of resolutionsOf('amount_difference')) {
        const { ledger } = settled(ours, made);
        const float = ledger.of('float');
        const transfers = transfersOf(situation, resolution);
        if (transfers === undefined || resolution === 'keep_books') continue;
        possible += 1;
        ledger.post(transfers);
        const toVendor = ledger.of('float') - float;
        const isWhole = toVendor > 0n && ledger.of('fees') === 0n;
        expect(ledger.of('cost:kplc') <= 0n && ledger.of('commission:kplc') >= 0n).toBe(true);
        if (resolution === 'terms_differ') {
          expect(toVendor).toBe(0n);
          expect(ledger.taken).toBe(paid);
        } else if (resolution === 'return_to_vendor' || resolution === 'charge_vendor') {
          if (isWhole && made.feeCents > 0n) continue;
          // By our terms, so that a share is rounded.
          const own = ledger.taken;
          const gross = own + ledger.of('cost:kplc') + netted(ours, ledger);
          expect(isNear(readNet ? own : gross, paid)).toBe(true);
        } else {
          expect(toVendor).toBe(0n);
          const before = readNet ? payment.netPostedCents : payment.postedCents;
          const house = ledger.of('house operator:kplc') + ledger.of('house receivable:kplc');
          expect(before + house).toBe(paid);
        }
      }
      expect(possible).toBeGreaterThan(0);
    }),
    { numRuns: 3_000, seed: 20_261_128 },
  );
});

function netted(ours: OperatorTerms, ledger: Ledger): bigint {
  return ours.commissionNetted ? ledger.of('commission:kplc') : 0n;
}

test('an operator’s new commission is no gift to the vendor', () => {
  const ours = { ...NO_TERMS, commission: { flatCents: 0n, bps: 190 } };
  const { ledger, payment } = settled(ours, { amountCents: 100_000n, feeCents: 0n });
  const facts = { source: 'statement', movement: 'payment', paid_cents: 97_800 };
  const situation = situationOf(payment, { kind: 'amount_difference', facts });
  expect(transfersOf(situation, 'terms_differ')).toEqual([
    {
      vendorId: 7,
      debitAccount: 'operator:kplc',
      creditAccount: 'commission:kplc',
      amountCents: 300n,
    },
  ]);
  const returned = transfersOf(situation, 'return_to_vendor') ?? [];
  ledger.post(returned);
  // 3.00 less from our float are 3.06 of a payment of which we keep 1.9 %: not 22.00.
  expect(returned.find(({ creditAccount }) => creditAccount === 'float')?.amountCents).toBe(306n);
  expect(ledger.taken).toBe(97_800n);
});

test('a payment whose terms differed and that is returned leaves nothing behind', () => {
  fc.assert(
    fc.property(listed, ({ ours, theirs, ...made }) => {
      const paid = takenCents(theirs, made.amountCents);
      const { ledger, payment } = settled(ours, made);
      if (paid <= 0n || paid === payment.netPostedCents) return;
      const facts = { source: 'statement', movement: 'payment', paid_cents: Number(paid) };
      const first = situationOf(payment, { kind: 'amount_difference', facts });
      const differing = transfersOf(first, 'terms_differ') ?? [];
      ledger.post(differing);
      expect(ledger.taken).toBe(paid);
      const changed = (account: string): bigint =>
        differing.reduce((sum, { debitAccount, creditAccount, amountCents }) => {
          const sign = BigInt(Number(creditAccount === account) - Number(debitAccount === account));
          return sum + sign * amountCents;
        }, 0n);
      const then = situationOf(
        {
          ...payment,
          netPostedCents: paid,
          otherTerms: {
            costCents: -changed('cost:kplc'),
            commissionCents: changed('commission:kplc'),
          },
        },
        {
          kind: 'contradiction',
          facts: { source: 'callback', operator_says: 'failed', books_say: 'success' },
        },
      );
      ledger.post(transfersOf(then, 'return_to_vendor') ?? []);
      const left = ['operator', 'cost', 'commission', 'commission_due'].map((account) =>
        ledger.of(`${account}:kplc`),
      );
      expect([...left, ledger.of('fees'), ledger.of('vat'), ledger.of('float')]).toEqual(
        Array.from({ length: 7 }, () => 0n),
      );
    }),
    { numRuns: 3_000, seed: 20_261_128 },
  );
});
