import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { ProposedResolution } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import type { PlannedTransfer } from './charges.ts';
import { factCents, givenCents } from './facts.ts';

/** A case of `exposure`, and what is known of the vendor's money. */
interface Owing {
  readonly row: Pick<CaseRow, 'vendorId' | 'facts'>;
  readonly floatCents: bigint;
  /** Zero or less. */
  readonly exposureCents: bigint;
}

/** Returns the debt of this case that the vendor has not paid, in cents. Pure. */
export function owedCents({ row, exposureCents }: Owing): bigint {
  const ofCase = factCents(row, 'owed_cents') ?? -exposureCents;
  return ofCase < -exposureCents ? ofCase : -exposureCents;
}

/**
 * Pays what a vendor owes, or a part of it. Pure.
 * @param debitAccount `float`: the vendor pays; `written_off`: we bear it.
 * Throws: `PlainError` (field `amount`) if the vendor owes less, or its float has less.
 */
export function planExposure(
  owing: Owing,
  debitAccount: 'float' | 'written_off',
  proposal: ProposedResolution,
): { readonly transfer: PlannedTransfer; readonly restCents: bigint } {
  const maxCents = owedCents(owing);
  if (maxCents === 0n) {
    throw new PlainError('The vendor owes nothing of this case any more. Choose keep_books.', {
      field: 'resolution',
    });
  }
  const amountCents = givenCents(proposal) ?? maxCents;
  if (amountCents <= 0n || amountCents > maxCents) {
    throw new PlainError(
      `It must be above zero and at most ${formatMoney(maxCents)}, what the vendor owes of this case.`,
      { field: 'amount' },
    );
  }
  if (debitAccount === 'float' && amountCents > owing.floatCents) {
    throw new PlainError(
      `The float has only ${formatMoney(owing.floatCents)}. Wait until the vendor funds it, or choose a smaller amount; the rest becomes a new case.`,
      { field: 'amount' },
    );
  }
  const { vendorId } = owing.row;
  const transfer = { vendorId, debitAccount, creditAccount: 'exposure' as const, amountCents };
  return { transfer, restCents: maxCents - amountCents };
}

/** Throws: `PlainError` if the vendor would owe the money without a case about collecting it. */
export function requireNothingOwed(owing: Owing): void {
  const cents = owedCents(owing);
  if (cents === 0n) return;
  throw new PlainError(
    `The vendor still owes ${formatMoney(cents)}. Choose collect_exposure or write_off.`,
    { field: 'resolution' },
  );
}
