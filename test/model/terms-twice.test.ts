import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CaseKind } from '../../src/payments/cases/kinds.ts';
import type { PlannedTransfer } from '../../src/payments/corrections/charges.ts';
import type { PricedPayment } from '../../src/payments/corrections/other-terms.ts';
import { resolutionsOf } from '../../src/payments/corrections/fitting.ts';
import type { Resolution } from '../../src/payments/corrections/resolution-names.ts';
import { isOwnTermsAccount } from '../../src/payments/ledger/account.ts';
import { takenCents } from '../../src/payments/prices/price.ts';
import {
  differenceCents,
  isListedNet,
  isOurs,
  settledCents,
} from '../../src/payments/reconciliation/match.ts';
import { Ledger, listed, NO_TERMS, NOTHING, planOf, settled, situationOf } from './terms-ledger.ts';

// Two pieces of evidence about one payment: a callback, the answer to a query, or a statement, in any order, each
// with the cases that it opens. People decide all of them, in part or in full, by any resolution that is not
// refused. The ledger never has more than the operator took, and what one case has posted, no other one posts.

type Source = 'callback' | 'query' | 'statement';
type Facts = Readonly<Record<string, string | number | null>>;
interface Opened {
  readonly kind: CaseKind;
  readonly facts: Facts;
}

const TAKES: ReadonlySet<Resolution> = new Set(['charge_vendor', 'house_bears', 'receivable']);
const HOUSE_TAKES: ReadonlySet<Resolution> = new Set(['house_bears', 'receivable']);

/** A payment and its books while people decide. */
class Decided {
  readonly ledger: Ledger;
  payment: PricedPayment;

  constructor(start: { readonly ledger: Ledger; readonly payment: PricedPayment }) {
    this.ledger = start.ledger;
    this.payment = start.payment;
  }

  /** The posted amount; undefined: the proposal is refused. @param share in per cent of the whole amount. */
  decide({ kind, facts }: Opened, resolution: Resolution, share = 100n): bigint | undefined {
    const { payment } = this;
    const { listedCents, listedPayments, isListed } = payment;
    const situation = situationOf(payment, { kind, facts });
    const now = {
      ...situation,
      payment: { ...payment, listedCents, listedPayments, isListed },
      borneCents: this.ledger.of('house operator:kplc'),
      receivableCents: this.ledger.of('house receivable:kplc'),
    };
    const whole = planOf(now, resolution);
    if (whole?.kind !== 'correct') return whole === undefined ? undefined : 0n;
    const given = (mainCents(whole.transfers, resolution) * share) / 100n;
    const plan = share === 100n || given === 0n ? whole : planOf(now, resolution, given);
    if (plan?.kind !== 'correct') throw new Error('a part of an amount is refused');
    this.ledger.post(plan.transfers);
    this.#remember(plan.transfers, resolution, plan.outcomeAfter);
    return plan.transfers.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  }

  #remember(
    transfers: readonly PlannedTransfer[],
    resolution: Resolution,
    outcome: PricedPayment['outcome'],
  ): void {
    const { ledger, payment } = this;
    const changeOf = (account: string, of = transfers): bigint =>
      of.reduce((sum, { debitAccount, creditAccount, amountCents }) => {
        const sign = BigInt(Number(creditAccount === account) - Number(debitAccount === account));
        return sum + sign * amountCents;
      }, 0n);
    const own = transfers.filter(
      ({ vendorId, debitAccount, creditAccount }) =>
        vendorId !== 0 && !isOwnTermsAccount(debitAccount) && !isOwnTermsAccount(creditAccount),
    );
    const { costCents, commissionCents } = payment.otherTerms;
    const differs = resolution === 'terms_differ';
    this.payment = {
      ...payment,
      outcome: outcome ?? payment.outcome,
      postedCents: payment.postedCents + changeOf('operator:kplc', own),
      netPostedCents: ledger.of('operator:kplc'),
      hasOtherTerms: payment.hasOtherTerms || differs,
      houseCents: ledger.of('house operator:kplc') + ledger.of('house receivable:kplc'),
      otherTerms: {
        costCents: costCents - (differs ? changeOf('cost:kplc') : 0n),
        commissionCents: commissionCents + (differs ? changeOf('commission:kplc') : 0n),
      },
    };
  }

  list(cents: bigint): void {
    const listedPayments = this.payment.listedPayments + 1;
    const listedCents = this.payment.listedCents + cents;
    this.payment = { ...this.payment, listedCents, listedPayments, isListed: true };
  }
}

/** The first amount, which a person may make smaller. */
function mainCents(transfers: readonly PlannedTransfer[], resolution: Resolution): bigint {
  if (resolution === 'terms_differ') {
    return transfers.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  }
  const found = transfers.find(({ debitAccount, creditAccount }) => {
    if (isOwnTermsAccount(debitAccount) || isOwnTermsAccount(creditAccount)) return false;
    return resolution !== 'return_to_vendor' || debitAccount === 'operator:kplc';
  });
  return found?.amountCents ?? 0n;
}

/** The cases that evidence of a paid amount opens. */
function casesOf(
  payment: PricedPayment,
  source: Source,
  paid: { readonly executedCents: bigint; readonly listedCents: bigint },
): Opened[] {
  const { amountCents, outcome, postedCents, netPostedCents, houseCents } = payment;
  const says = { source, operator_says: 'success', books_say: outcome };
  if (source !== 'statement') {
    const isWhole = paid.executedCents === amountCents;
    const facts = { ...says, paid_cents: isWhole ? null : Number(paid.executedCents) };
    return outcome === 'failed' ? [{ kind: 'contradiction', facts }] : [];
  }
  const cents = paid.listedCents;
  const facts = { ...says, movement: 'payment', paid_cents: Number(cents) };
  if ([postedCents, netPostedCents].some((one) => one + houseCents === cents)) return [];
  if (isNetOfOurs(payment) && cents === amountCents) return [];
  if (outcome === 'success' || isOurs(payment)) return [{ kind: 'amount_difference', facts }];
  const settledBy = { ...says, paid_cents: Number(settledCents(payment, { amountCents: cents })) };
  const isOther = isListedNet(payment, cents) && differenceCents(payment, cents) !== 0n;
  const cases: Opened[] = [{ kind: 'contradiction', facts: settledBy }];
  return isOther ? [...cases, { kind: 'amount_difference', facts }] : cases;
}

/** Whether our own accounts have the whole payment by our terms. */
function isNetOfOurs({ netCents, netPostedCents, houseCents }: PricedPayment): boolean {
  return houseCents > 0n && netPostedCents + houseCents === netCents;
}

const deciding = fc.record({
  given: listed,
  /** Null: nothing was known before the first evidence. */
  fate: fc.constantFrom('failed', 'failed', 'success', null),
  sources: fc.uniqueArray(fc.constantFrom<Source>('callback', 'query', 'statement'), {
    minLength: 1,
    maxLength: 2,
  }),
  picks: fc.array(fc.nat(11), { minLength: 8, maxLength: 8 }),
  share: fc.constantFrom(100n, 100n, 50n),
});

test('what one decision about a payment has posted, no other one posts, whatever the evidence and the terms', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(deciding, ({ given, fate, sources, picks, share }) => {
      const { ours, theirs, isNet, executedPercent, ...made } = given;
      const executedCents = (made.amountCents * executedPercent) / 100n;
      const listedCents = isNet ? takenCents(theirs, executedCents) : executedCents;
      if (listedCents <= 0n) return;
      const decided = new Decided(begin(fate, sources[0], given, { executedCents, listedCents }));
      const { fresh } = decided.payment.outcome === 'failed' ? { fresh: true } : { fresh: false };
      const open: Opened[] = [];
      let used = 0;
      const next = (below: number): number => (picks[used++ % picks.length] ?? 0) % below;
      let most = decided.ledger.taken;
      const known: bigint[] = [];
      for (const source of sources) {
        if (source === 'statement') decided.list(listedCents);
        const reported = source === 'statement' ? listedCents : takenCents(ours, executedCents);
        known.push(reported);
        const cases = casesOf(decided.payment, source, { executedCents, listedCents });
        // Only one contradiction about a payment is open at once.
        open.push(...cases.filter(({ kind }) => open.every((one) => one.kind !== kind)));
        for (let times = next(3); times > 0; times -= 1) decideOne();
      }
      while (open.length > 0) decideOne();

      function decideOne(): void {
        const index = next(open.length || 1);
        const row = open[index];
        if (row === undefined) return;
        open.splice(index, 1);
        const possible = resolutionsOf(row.kind).filter((one) => !['paid', 'failed'].includes(one));
        const ordered = possible.map((_, at) => possible[(at + next(12)) % possible.length]);
        const resolution = ordered.find((one) => one !== undefined && one !== 'keep_books');
        if (resolution === undefined) return;
        const before = decided.payment;
        // What a statement without the operator's terms lists is compared with the amounts without them.
        const isGross = before.isListed && !isListedNet(before, listedCents);
        const has = ({ ledger, payment }: Decided): bigint =>
          isGross ? payment.postedCents + payment.houseCents : ledger.taken;
        const posted = decided.decide(row, resolution, share);
        const { payment, ledger } = decided;
        const name = `${fate} ${String(row.facts['source'])} ${row.kind} ${resolution}`;
        if (posted !== undefined) seen.set(name, (seen.get(name) ?? 0) + 1);
        if (posted === undefined || posted === 0n || !TAKES.has(resolution)) return;
        const label = `${name} after ${before.postedCents}+${before.houseCents} of ${known.join(' ')}`;
        // In full: the whole amount by our terms, which a vendor pays although the operator took less.
        const whole = isGross ? payment.postedCents : takenCents(ours, payment.postedCents);
        const inFull = resolution === 'charge_vendor' ? whole : 0n;
        const highest = [...known, inFull, most].reduce((one, two) => (one > two ? one : two));
        expect(has(decided) <= highest, `${label}: ${has(decided)} of ${highest}`).toBe(true);
        most = has(decided) > most ? has(decided) : most;
        // The same case opened once more, or any other one about the same evidence.
        if (share === 100n) {
          const again = new Decided({ ledger: new Ledger(), payment });
          for (const other of TAKES) {
            const more = again.decide(row, other);
            // After a vendor paid in full what a statement lists on other terms, our part of it is left.
            const isOurPart = resolution === 'charge_vendor' && HOUSE_TAKES.has(other);
            if (isOurPart && payment.isListed && more === listedCents - has(decided)) break;
            expect(more, `${label}, then ${other}`).toBeUndefined();
          }
        }
        if (HOUSE_TAKES.has(resolution) && share === 100n && fresh && before.postedCents === 0n) {
          const isListed = payment.isListed;
          expect(ledger.taken, label).toBe(
            isListed ? listedCents : takenCents(ours, executedCents),
          );
        }
      }
    }),
    { numRuns: 6_000 },
  );
  for (const source of ['callback', 'query', 'statement']) {
    for (const resolution of TAKES) {
      expect(seen.get(`failed ${source} contradiction ${resolution}`) ?? 0).toBeGreaterThan(20);
    }
  }
});

/** The books before the first evidence, which settles a payment of which nothing was known. */
function begin(
  fate: 'failed' | 'success' | null,
  first: Source | undefined,
  { ours, ...made }: Parameters<typeof settled>[1] & { readonly ours: PricedPayment['terms'] },
  paid: { readonly executedCents: bigint; readonly listedCents: bigint },
): ConstructorParameters<typeof Decided>[0] {
  if (ours === null) throw new Error('terms are required');
  const start = settled(ours, made);
  if (fate === 'success') return start;
  if (fate === 'failed') {
    const nothing = { outcome: 'failed', postedCents: 0n, netPostedCents: 0n } as const;
    return { ledger: new Ledger(), payment: { ...start.payment, ...nothing, otherTerms: NOTHING } };
  }
  const cents =
    first === 'statement'
      ? settledCents({ ...start.payment, postedCents: 0n }, { amountCents: paid.listedCents })
      : paid.executedCents;
  const postedCents = cents < made.amountCents ? cents : made.amountCents;
  const part = settled(ours, { ...made, amountCents: postedCents });
  const { amountCents, netCents } = start.payment;
  return { ledger: part.ledger, payment: { ...part.payment, amountCents, netCents } };
}

test('what a paid payment returns to its vendor is returned once, also in parts', () => {
  fc.assert(
    fc.property(
      listed,
      fc.constantFrom<Source>('callback', 'query'),
      fc.constantFrom(100n, 50n),
      ({ ours, ...made }, source, share) => {
        const decided = new Decided(settled(ours, made));
        const before = decided.ledger.of('float');
        const facts = { source, operator_says: 'failed', books_say: 'success', paid_cents: null };
        const row = { kind: 'contradiction', facts } as const;
        for (const other of TAKES) expect(decided.decide(row, other)).toBeUndefined();
        expect(decided.decide(row, 'return_to_vendor', share)).toBeGreaterThan(0n);
        const rest = decided.decide(row, 'return_to_vendor');
        if (share === 100n) expect(rest).toBeUndefined();
        expect(decided.payment.outcome === 'failed' || share !== 100n).toBe(true);
        expect(decided.decide(row, 'return_to_vendor')).toBeUndefined();
        expect(decided.ledger.taken).toBe(0n);
        const returned = decided.ledger.of('float') - before;
        const kept = decided.ledger.of('fees') + decided.ledger.of('vat');
        expect(returned + kept).toBe(made.amountCents + made.feeCents);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('what we bear or claim for a payment becomes what its statement lists, by one decision', () => {
  const correcting = { house_bears: 'house_recovers', receivable: 'receivable_returned' } as const;
  let [more, less] = [0, 0];
  fc.assert(
    fc.property(listed, fc.constantFrom('house_bears', 'receivable'), (given, first) => {
      const { ours, theirs, isNet, executedPercent, ...made } = given;
      const executedCents = (made.amountCents * executedPercent) / 100n;
      const listedCents = isNet ? takenCents(theirs, executedCents) : executedCents;
      const paid = { executedCents, listedCents };
      if (listedCents <= 0n || takenCents(ours, executedCents) <= 0n) return;
      const decided = new Decided(begin('failed', 'callback', given, paid));
      for (const row of casesOf(decided.payment, 'callback', paid)) decided.decide(row, first);
      const before = decided.ledger.taken;
      expect(before).toBe(takenCents(ours, executedCents));
      decided.list(listedCents);
      const [row, ...others] = casesOf(decided.payment, 'statement', paid);
      expect(others).toEqual([]);
      if (row === undefined) return;
      expect(row.kind).toBe('amount_difference');
      const isMore = listedCents > before;
      const expected = isMore ? first : correcting[first];
      for (const other of ['house_bears', 'receivable', correcting[first]] as const) {
        const isAllowed = isMore === TAKES.has(other);
        const again = new Decided({ ledger: new Ledger(), payment: decided.payment });
        again.ledger.post([houseEntry(first, before)]);
        const posted = again.decide(row, other);
        if (!isAllowed) expect(posted, other).toBeUndefined();
      }
      const posted = decided.decide(row, expected);
      if (posted === undefined) {
        // By our terms, which a statement without them shows nothing about.
        expect(isMore && !isListedNet(decided.payment, listedCents)).toBe(true);
        return;
      }
      if (isMore) more += 1;
      else less += 1;
      expect(decided.ledger.taken).toBe(listedCents);
      for (const other of resolutionsOf('amount_difference')) {
        expect(decided.decide(row, other) ?? 0n, other).toBe(0n);
      }
      expect(decided.ledger.of('float')).toBe(0n);
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(more, less)).toBeGreaterThan(100);
});

function houseEntry(first: 'house_bears' | 'receivable', amountCents: bigint): PlannedTransfer {
  const own = first === 'house_bears';
  return {
    vendorId: 0,
    debitAccount: own ? 'losses:kplc' : 'claims:kplc',
    creditAccount: own ? 'operator:kplc' : 'receivable:kplc',
    amountCents,
  };
}

test('an open payment of which nothing is known is settled by people once, and posts nothing by another resolution', () => {
  const { payment } = settled(NO_TERMS, { amountCents: 100_000n, feeCents: 0n });
  const unknown = { ...payment, outcome: null, postedCents: 0n, netPostedCents: 0n } as const;
  for (const source of ['person', 'callback', 'statement']) {
    for (const kind of ['no_answer', 'contradiction'] as const) {
      const facts = { source, operator_says: 'success', paid_cents: null };
      const open = situationOf(unknown, { kind, facts });
      expect(planOf(open, 'failed')).toMatchObject({ kind: 'settle', outcome: 'failed' });
      expect(planOf(open, 'keep_books')).toEqual({ kind: 'nothing' });
      for (const other of ['charge_vendor', 'return_to_vendor', 'terms_differ']) {
        expect(planOf(open, other), other).toBeUndefined();
      }
      for (const outcome of ['success', 'failed'] as const) {
        const ended = situationOf({ ...payment, outcome }, { kind, facts });
        for (const late of ['paid', 'failed']) expect(planOf(ended, late), late).toBeUndefined();
      }
    }
  }
});
