import { centsAboveZero, filledText } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import { encodeReference } from '../../parties/reference.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Approved, Kind, Line, Proposed } from '../../proposals/kind.ts';
import { readTakenBackCents } from '../cases/kept-receipts-store.ts';
import type { NewPayment } from '../create/payment.ts';
import { createPayments } from '../create/store.ts';
import { giveAway, holdMoney, releaseHeld } from '../ledger/holds.ts';
import { findHold } from '../ledger/holds-store.ts';
import { readRestores, requireNotLost } from '../ledger/read-restores.ts';
import type { Restores } from '../ledger/read-restores.ts';
import { lockFloat } from '../ledger/store.ts';
import { readBalance } from '../ledger/read-balances.ts';
import { isMaybeRepeat } from '../quarantine/lost.ts';
import { listLost } from '../quarantine/read-lost.ts';
import type { LostPaymentRow } from '../quarantine/read-lost.ts';
import { readTerms, requireTerms } from './terms.ts';
import type { Terms } from './terms.ts';

/** Fields of every disbursement. */
export const disbursementFields = {
  vendorId: Type.Integer(),
  vid: filledText(64),
  /** The id of the payment that the approval makes: chosen at the proposal, so that its code covers it. */
  paymentId: Type.String({ minLength: 36, maxLength: 36 }),
  billerCode: filledText(40),
  cents: centsAboveZero,
  /** With its VAT. */
  feeCents: Type.String({ pattern: '^[0-9]{1,15}$' }),
  evidence: filledText(1000),
};
export interface DisbursementContent {
  readonly vendorId: number;
  readonly vid: string;
  readonly paymentId: string;
  readonly billerCode: string;
  readonly cents: string;
  readonly feeCents: string;
  readonly evidence: string;
}

/** Facts that decide whether a disbursement is allowed, read under its locks. */
export interface DisbursementFacts {
  readonly terms: Terms;
  readonly floatCents: bigint;
  /** Zero or less: what the vendor owes us. */
  readonly exposureCents: bigint;
  readonly heldCents: bigint;
  /** Income that its provider took back, in open cases, and that is not collected any more: it was funded. */
  readonly takenBackCents: bigint;
  readonly restores: Restores;
  /** Payments of the vendor that a restore lost, and about which people have to decide. */
  readonly lost: readonly LostPaymentRow[];
}

export interface DisbursementPlan {
  readonly payment: NewPayment;
  readonly lines: readonly Line[];
}

export const costOf = ({ cents, feeCents }: Pick<DisbursementContent, 'cents' | 'feeCents'>) =>
  BigInt(cents) + BigInt(feeCents);

export async function readDisbursement(
  db: Queryable,
  { vendorId, billerCode, cents }: DisbursementContent,
  { lock, proposalId }: { readonly lock: boolean; readonly proposalId: string | null },
): Promise<DisbursementFacts> {
  if (lock) await lockFloat(db, vendorId);
  const hold = proposalId === null ? undefined : await findHold(db, proposalId);
  return {
    terms: await readTerms(db, { vendorId, billerCode, amountCents: BigInt(cents) }),
    floatCents: await readBalance(db, vendorId, 'float'),
    exposureCents: await readBalance(db, vendorId, 'exposure'),
    heldCents: hold?.vendorId === vendorId ? hold.cents : 0n,
    takenBackCents: await readTakenFromFloat(db, vendorId),
    restores: await readRestores(db),
    lost: (await listLost(db)).filter((row) => row.vendorId === vendorId),
  };
}

async function readTakenFromFloat(db: Queryable, vendorId: number): Promise<bigint> {
  const takenBackCents = await readTakenBackCents(db, vendorId);
  const fundedCents = takenBackCents - (await readBalance(db, vendorId, 'collected'));
  return fundedCents > 0n ? fundedCents : 0n;
}

/** Throws: `PlainError` with the field. Pure. */
export function requireDisbursement(
  facts: DisbursementFacts,
  content: DisbursementContent & { readonly phone: string },
  proposedAt: Date | null,
): void {
  const { cents, feeCents, phone } = content;
  const { exposureCents, takenBackCents } = facts;
  requireNotLost(facts.restores, proposedAt);
  requireTerms(facts.terms, { amountCents: BigInt(cents), feeCents: BigInt(feeCents), phone });
  requireNoRepeat(facts, content);
  const cost = costOf(content);
  if (proposedAt !== null && facts.heldCents !== cost) {
    throw new PlainError('The money of this disbursement is not held any more. Reject it.');
  }
  const hasCents = facts.floatCents + facts.heldCents;
  if (cost <= hasCents + exposureCents - takenBackCents) return;
  const owed = exposureCents < 0n ? `, and owes us ${formatMoney(-exposureCents)}` : '';
  const undecided =
    takenBackCents > 0n
      ? `; ${formatMoney(takenBackCents)} of it was reversed, in cases that are still open`
      : '';
  throw new PlainError(
    `The vendor has ${formatMoney(hasCents)} in its float${owed}${undecided}; it costs ${formatMoney(cost)} with its fee.`,
    { field: 'amount' },
  );
}

/** A statement does not say of which proposal a lost payment was. */
function requireNoRepeat(
  { lost, terms: { biller } }: DisbursementFacts,
  { billerCode, phone: account, cents }: DisbursementContent & { readonly phone: string },
): void {
  const asked = { billerCode, account, amountCents: BigInt(cents) };
  const repeated = lost.find((row) => isMaybeRepeat(row, asked, biller));
  if (repeated === undefined) return;
  const reference = encodeReference(repeated.vendorId, repeated.paymentId);
  throw new PlainError(
    `The operator has paid about this amount to this phone, as ${reference}, which a restore of the database lost. Decide about its case first.`,
  );
}

/** @param to the phone as people see it in what is kept. */
export function planDisbursement(
  { terms }: DisbursementFacts,
  content: DisbursementContent & { readonly phone: string },
  to: string,
): DisbursementPlan {
  const { vendorId, vid, paymentId, billerCode, cents, feeCents, phone } = content;
  const { vatCents, feePrice } = terms;
  return {
    payment: {
      ...{ vendorId, paymentId, billerCode, account: phone, phone: null, merchantReference: null },
      ...{ amountCents: BigInt(cents), feeCents: BigInt(feeCents), vatCents, feePrice },
      duplicateSeconds: 0,
    },
    lines: [
      { label: 'Sent to', text: to, cents },
      ...(feeCents === '0' ? [] : [{ label: 'Fee', cents: feeCents }]),
      {
        label: 'Booked',
        text: `${vid}: held → reserved, for a payment through ${billerCode}`,
        cents: String(costOf(content)),
      },
    ],
  };
}

/** The parts in which all disbursements are the same. */
export const DISBURSEMENT = {
  ...{ proposedBy: 'finance.act', decidedBy: 'finance.act' },
  vendorId: ({ vendorId }) => vendorId,
  show: ({ lines }) => lines,
  apply: async (db, { payment }, { proposal, at }: Approved<DisbursementContent>) => {
    const { vendorId } = payment;
    const cents = payment.amountCents + payment.feeCents;
    await giveAway(db, { holderId: proposal.proposalId, vendorId, cents, to: 'float', at });
    const [decision] = await createPayments(db, [payment]);
    if (decision?.kind === 'accepted') return;
    throw new PlainError('The payment was not made: its amount is not in the float.');
  },
  hold: {
    take: async (db: Queryable, proposal: Proposed<DisbursementContent>) => {
      const { proposalId: holderId, content, proposedAt: at } = proposal;
      const { vendorId } = content;
      await holdMoney(db, { holderId, vendorId, cents: costOf(content), from: 'float', at });
    },
    release: releaseHeld,
  },
} as const satisfies Partial<Kind<DisbursementContent, DisbursementFacts, DisbursementPlan>>;
