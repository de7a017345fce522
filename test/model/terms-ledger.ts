import fc from 'fast-check';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import type { ProposedResolution } from '../../src/payments/cases/cases-store.ts';
import type { PlannedTransfer } from '../../src/payments/corrections/charges.ts';
import type { PricedPayment } from '../../src/payments/corrections/other-terms.ts';
import { planResolution } from '../../src/payments/corrections/resolutions.ts';
import type { Plan, Situation } from '../../src/payments/corrections/resolutions.ts';
import { takenCents, termsOf } from '../../src/payments/prices/price.ts';
import type { OperatorTerms } from '../../src/payments/prices/price.ts';

const none = { flatCents: 0n, bps: 0 };
export const NO_TERMS: OperatorTerms = { cost: none, commission: none, commissionNetted: true };

const rate = fc.record({
  flatCents: fc.constantFrom(0n, 30n, 100n),
  bps: fc.constantFrom(0, 190, 220, 1_000),
});
export const terms = fc.record({ cost: rate, commission: rate, commissionNetted: fc.boolean() });

export const listed = fc.record({
  ours: terms,
  theirs: terms,
  amountCents: fc.bigInt(1_000n, 1_000_000n),
  /** The part of the amount that the operator executed, in per cent. */
  executedPercent: fc.constantFrom(100n, 100n, 100n, 97n, 50n, 110n),
  isNet: fc.boolean(),
  feeCents: fc.constantFrom(0n, 2_900n),
});

export class Ledger {
  readonly #balances = new Map<string, bigint>();

  post(transfers: readonly PlannedTransfer[]): void {
    for (const { debitAccount, creditAccount, amountCents, vendorId } of transfers) {
      if (amountCents <= 0n)
        throw new Error(`${amountCents} cents from ${debitAccount} to ${creditAccount}`);
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

  /** Our money with the operator, by the ledger. */
  get taken(): bigint {
    return (
      this.of('operator:kplc') + this.of('house operator:kplc') + this.of('house receivable:kplc')
    );
  }
}

export const NOTHING = { costCents: 0n, commissionCents: 0n };

/** The books of a payment that was settled by our terms. */
export function settled(
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
    ...{
      firstSentAt: new Date(0),
      lastSentAt: new Date(0),
      openVersion: null,
      settledAt: new Date(1),
    },
    ...{ underWay: false, paidElsewhere: false, postedCents: amountCents },
    ...{ netCents, netPostedCents: netCents, hasOtherTerms: false, houseCents: 0n },
    ...{ listedCents: 0n, listedPayments: 0, isListed: false, isRevised: false },
    ...{ feeCents, vatCents, terms: ours, otherTerms: NOTHING },
  };
  return { ledger, payment };
}

export function situationOf(
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
export function planOf(
  situation: Situation,
  resolution: string,
  amountCents?: bigint,
): Plan | undefined {
  const empty = { operator_reference: null, message: null, details: null };
  const amount_cents = amountCents?.toString() ?? null;
  const proposal: ProposedResolution = { resolution, amount_cents, ...empty };
  try {
    return planResolution(situation, proposal);
  } catch (error) {
    if (error instanceof PlainError) return undefined;
    throw error;
  }
}

/** Undefined: it is refused. */
export function transfersOf(
  situation: Situation,
  resolution: string,
): readonly PlannedTransfer[] | undefined {
  const plan = planOf(situation, resolution);
  return plan?.kind === 'correct' ? plan.transfers : plan && [];
}
