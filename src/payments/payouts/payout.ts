import { centsAboveZero, codeField, filledText, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind, Line } from '../../proposals/kind.ts';
import { readTakenBackCents } from '../cases/kept-receipts-store.ts';

import { listUnknownBanks } from '../house/store.ts';
import { holdMoney, releaseHeld } from '../ledger/holds.ts';
import { findHold } from '../ledger/holds-store.ts';
import { readRestores, requireNotLost } from '../ledger/read-restores.ts';
import type { Restores } from '../ledger/read-restores.ts';
import { lockFloat } from '../ledger/store.ts';
import { readBalance } from '../ledger/read-balances.ts';
import { listPayoutsLike } from './store.ts';

export const PAYOUT = 'payout';
export const PHONE_PAYOUT = 'phone_payout';
/** The second was made without a proposal. */
export const BANK_PAYOUTS = [PAYOUT, 'payout_made'];

/** Fields of every payout. */
export const payoutFields = {
  vendorId: Type.Integer(),
  vid: filledText(64),
  cents: centsAboveZero,
  /** The account of ours that it leaves, without `bank:`. */
  bank: codeField,
  /** Where the money goes, as the bank names it. */
  bankAccount: filledText(200),
  /** Where it can be looked up. */
  evidence: filledText(1000),
};
const content = strict(payoutFields);
export type PayoutContent = Static<typeof content>;
type Content = PayoutContent;

interface Facts {
  readonly collectedCents: bigint;
  /** Zero or less: what the vendor owes us. */
  readonly exposureCents: bigint;
  /** Collected income that its provider took back, in cases that are still open. */
  readonly takenBackCents: bigint;
  /** Amount that this proposal holds. */
  readonly heldCents: bigint;
  /** Other payouts of this amount that were made, or may be. */
  readonly alike: readonly string[];
  readonly hasBank: boolean;
  readonly restores: Restores;
}

type Plan = Pick<Content, 'vid' | 'bank' | 'bankAccount' | 'cents'>;

export function describePayout({ vid, cents, bank, bankAccount, evidence }: Content): Line[] {
  return [
    { label: 'Vendor', text: vid },
    { label: 'Amount', cents },
    { label: 'Our bank', text: bank },
    { label: 'Bank account', text: bankAccount },
    { label: 'Evidence', text: evidence },
  ];
}

/** Throws: `PlainError` (field `bank`) if we have no such account. */
export function requireBank({ hasBank }: { readonly hasBank: boolean }, bank: string): void {
  if (hasBank) return;
  throw new PlainError(`There is no account bank:${bank}.`, { field: 'bank' });
}

/** Other payouts of this amount to the vendor's bank or phone: the same may have been proposed twice. */
export async function listAlike(
  db: Queryable,
  of: Pick<Content, 'vendorId' | 'cents'> & { readonly proposalId: string | null },
): Promise<readonly string[]> {
  const { vendorId, cents, proposalId } = of;
  const asked = { vendorId, amountCents: BigInt(cents), at: new Date(), text: '' };
  const kinds = [...BANK_PAYOUTS, PHONE_PAYOUT];
  const alike = await listPayoutsLike(db, { ...asked, kinds });
  return alike.filter((id) => id !== proposalId);
}

export function alikeLines(alike: readonly string[]): Line[] {
  return alike.length === 0
    ? []
    : [{ label: 'Other payouts of this amount', text: alike.join(', ') }];
}

/**
 * A transfer from a vendor's collected income to its bank, before it is made. The proposal moves the money from
 * `collected` to `held`. The approval permits the transfer; the bank's reference, entered afterwards, moves it to
 * the bank (`enterTransfer` in `payouts.ts`). Every other end returns it.
 */
export const payoutKind: AnyKind = kind<Content, Facts, Plan>({
  name: PAYOUT,
  title: 'Payout to the vendor’s bank',
  content: compiled(content),
  proposedBy: 'finance.act',
  decidedBy: 'finance.act',
  about: ({ vid, bankAccount, cents }) => `${vid} ${cents} ${bankAccount}`,
  vendorId: ({ vendorId }) => vendorId,
  describe: describePayout,
  read: async (db, { vendorId, cents, bank }, { lock, proposalId }) => {
    if (lock) await lockFloat(db, vendorId);
    const alike = await listAlike(db, { vendorId, cents, proposalId });
    const hasBank = (await listUnknownBanks(db, [bank])).length === 0;
    return { ...(await readFacts(db, vendorId, proposalId)), alike, hasBank };
  },
  remarks: ({ alike }) => alikeLines(alike),
  check: (facts, { cents, bank }, proposal) => {
    requireBank(facts, bank);
    requireNotLost(facts.restores, proposal?.proposedAt ?? null);
    if (proposal !== null && facts.heldCents !== BigInt(cents)) {
      throw new PlainError('The money of this payout is not held any more. Reject it.');
    }
    requireAvailable(facts, BigInt(cents));
  },
  plan: (_facts, { content: { vid, bank, bankAccount, cents } }) => ({
    ...{ vid, bank, bankAccount, cents },
  }),
  show: ({ vid, bank, bankAccount, cents }) => [
    { label: 'Transfer that the approval permits', text: bankAccount, cents },
    { label: 'Booked with the bank’s reference', text: `${vid}: held → bank:${bank}`, cents },
  ],
  // The decision is the permission. The money stays held until the bank’s reference is entered.
  apply: async () => undefined,
  hold: {
    take: async (db, { proposalId: holderId, content: { vendorId, cents }, proposedAt: at }) =>
      await holdMoney(db, { holderId, vendorId, cents: BigInt(cents), at }),
    release: releaseHeld,
  },
});

async function readFacts(
  db: Queryable,
  vendorId: number,
  proposalId: string | null,
): Promise<Omit<Facts, 'alike' | 'hasBank'>> {
  const hold = proposalId === null ? undefined : await findHold(db, proposalId);
  return {
    collectedCents: await readBalance(db, vendorId, 'collected'),
    exposureCents: await readBalance(db, vendorId, 'exposure'),
    takenBackCents: await readTakenBackCents(db, vendorId),
    heldCents: hold?.vendorId === vendorId ? hold.cents : 0n,
    restores: await readRestores(db),
  };
}

/**
 * Throws: `PlainError` (field `amount`) if the vendor has less, owes us what would be left, or its provider took it
 * back. The transfer has not been made yet, so this counts at the decision as well.
 */
function requireAvailable(facts: Facts, cents: bigint): void {
  const { exposureCents, takenBackCents } = facts;
  const hasCents = facts.collectedCents + facts.heldCents;
  if (cents <= hasCents + exposureCents - takenBackCents) return;
  const owed = exposureCents < 0n ? `, and owes us ${formatMoney(-exposureCents)}` : '';
  const undecided =
    takenBackCents > 0n
      ? `; ${formatMoney(takenBackCents)} of it was reversed, in cases that are still open`
      : '';
  throw new PlainError(
    `The vendor has ${formatMoney(hasCents)} of collected income${owed}${undecided}.`,
    { field: 'amount' },
  );
}
