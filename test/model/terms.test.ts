import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolutionsOf } from '../../src/payments/corrections/fitting.ts';
import { takenCents } from '../../src/payments/prices/price.ts';
import type { OperatorTerms } from '../../src/payments/prices/price.ts';
import { isListedNet } from '../../src/payments/reconciliation/match.ts';
import { listed, NO_TERMS, settled, situationOf, transfersOf } from './terms-ledger.ts';
import type { Ledger } from './terms-ledger.ts';

// An operator takes another amount for a payment than our terms say, or executes another amount, and lists it
// with its terms or without. Whatever people decide, the ledger then has what the statement lists, and a
// decision that the difference is ours leaves the vendor's money alone.

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
    { numRuns: 3_000 },
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
          hasOtherTerms: true,
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
    { numRuns: 3_000 },
  );
});
