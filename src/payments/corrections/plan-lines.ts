import { formatMoney } from '../../platform/base/money.ts';
import { HOUSE } from '../cases/cases-store.ts';
import type { Plan, PlannedTransfer } from './resolutions.ts';

/** A plan for people, one line each. */
export function planLines(plan: Plan): string[] {
  switch (plan.kind) {
    case 'nothing':
      return ['nothing is posted'];
    case 'settle':
      return [
        plan.outcome === 'success' && plan.paidCents !== null
          ? `settled as paid, ${formatMoney(plan.paidCents)}`
          : 'settled as failed; the reservation returns to the float',
      ];
    case 'correct':
      return [
        ...plan.transfers.map(
          ({ vendorId, debitAccount, creditAccount, amountCents }) =>
            `${formatMoney(amountCents)} from ${debitAccount} to ${creditAccount}${vendorId === HOUSE ? ' (our own accounts)' : ''}`,
        ),
        ...(plan.outcomeAfter === null
          ? []
          : [`the vendor sees ${plan.outcomeAfter === 'success' ? 'SUCCESS' : 'FAILED'}`]),
      ];
  }
}

/**
 * The same without what changes with every payment of the vendor: whether its float covers what it
 * pays, or it owes a part. What is left must be the same when a proposal is approved.
 */
export function effectOf(plan: Plan): string[] {
  if (plan.kind !== 'correct') return planLines(plan);
  const merged = new Map<string, PlannedTransfer>();
  for (const transfer of plan.transfers) {
    const { debitAccount, creditAccount } = transfer;
    const isOwed = debitAccount === 'exposure' && transfer.vendorId !== HOUSE;
    const debit = isOwed ? 'float' : debitAccount;
    const key = `${debit} ${creditAccount}`;
    const amountCents = (merged.get(key)?.amountCents ?? 0n) + transfer.amountCents;
    merged.set(key, { ...transfer, debitAccount: debit, amountCents });
  }
  return planLines({ ...plan, transfers: [...merged.values()] });
}
