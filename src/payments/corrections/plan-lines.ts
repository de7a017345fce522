import { formatMoney } from '../../platform/base/money.ts';
import { HOUSE } from '../cases/cases-store.ts';
import { isVendorsMoney } from '../ledger/account.ts';
import type { Plan } from './resolutions.ts';

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
        ...(plan.restCents
          ? [`the vendor still owes ${formatMoney(plan.restCents)}, which becomes a new case`]
          : []),
      ];
  }
}

/**
 * The lines of a plan without the split of what the vendor pays between its collected income and its
 * float, because every payment changes that. The rest must be the same when a proposal is approved.
 */
export function effectOf(plan: Plan): string[] {
  if (plan.kind !== 'correct') return planLines(plan);
  const moved = new Map<string, bigint>();
  for (const { vendorId, debitAccount, creditAccount, amountCents } of plan.transfers) {
    const isPaidByVendor = isVendorsMoney(debitAccount) || debitAccount === 'exposure';
    const isVendors = vendorId !== HOUSE && isPaidByVendor;
    const between = `from ${isVendors ? 'the vendor’s money' : debitAccount} to ${creditAccount}`;
    moved.set(between, (moved.get(between) ?? 0n) + amountCents);
  }
  const others = planLines({ ...plan, transfers: [] });
  return [...[...moved].map(([between, cents]) => `${formatMoney(cents)} ${between}`), ...others];
}
