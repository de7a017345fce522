import { formatMoney } from '../../platform/base/money.ts';
import { HOUSE } from '../cases/cases-store.ts';
import { isVendorsMoney } from '../ledger/account.ts';
import type { Line } from '../../proposals/kind.ts';
import type { Posting } from '../settle/store.ts';
import type { Plan } from './resolutions.ts';

/** A plan for people. */
export function planLines(plan: Plan): Line[] {
  switch (plan.kind) {
    case 'nothing':
      return [{ label: 'Posted', text: 'nothing' }];
    case 'settle':
      return plan.outcome === 'success' && plan.paidCents !== null
        ? [{ label: 'Settled as paid', cents: String(plan.paidCents) }]
        : [{ label: 'Settled as failed', text: 'the reservation returns to the float' }];
    case 'correct':
      return [
        ...plan.transfers.map((transfer) =>
          postedLine(transfer, transfer.vendorId === HOUSE ? ' (our own accounts)' : ''),
        ),
        ...otherLines(plan),
      ];
  }
}

export function postedLine(
  { debitAccount, creditAccount, amountCents }: Posting,
  where = '',
): Line {
  const text = `from ${debitAccount} to ${creditAccount}${where}`;
  return { label: 'Posted', text, cents: String(amountCents) };
}

function otherLines({ outcomeAfter, restCents }: Extract<Plan, { kind: 'correct' }>): Line[] {
  const lines: Line[] = [];
  if (outcomeAfter !== null) {
    lines.push({
      label: 'The vendor sees',
      text: outcomeAfter === 'success' ? 'SUCCESS' : 'FAILED',
    });
  }
  if (restCents) {
    lines.push({ label: 'The vendor still owes, as a new case', cents: String(restCents) });
  }
  return lines;
}

/**
 * The lines of a plan as text, without the split of what the vendor pays between its collected income and
 * its float, because every payment changes that. The rest must be the same when a proposal is approved.
 */
export function effectOf(plan: Plan): string[] {
  if (plan.kind !== 'correct') return planLines(plan).map(textOf);
  const moved = new Map<string, bigint>();
  for (const { vendorId, debitAccount, creditAccount, amountCents } of plan.transfers) {
    const isPaidByVendor = isVendorsMoney(debitAccount) || debitAccount === 'exposure';
    const isVendors = vendorId !== HOUSE && isPaidByVendor;
    const between = `from ${isVendors ? 'the vendor’s money' : debitAccount} to ${creditAccount}`;
    moved.set(between, (moved.get(between) ?? 0n) + amountCents);
  }
  return [
    ...[...moved].map(([between, cents]) => `${formatMoney(cents)} ${between}`),
    ...otherLines(plan).map(textOf),
  ];
}

function textOf({ label, text, cents }: Line): string {
  const amount = cents === undefined ? [] : [formatMoney(BigInt(cents))];
  return [label, ...amount, ...(text === undefined ? [] : [text])].join(' ');
}
