import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { kenyanMobileNumber, MOBILE_NUMBER } from '../../platform/base/mobile-number.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireText } from '../../platform/base/proposal.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalFilter } from '../../proposals/store.ts';
import { readPayment } from '../create/store.ts';
import { refundPhoneText } from '../ledger/authenticity.ts';
import { PHONE_PAYOUT } from '../payouts/payout.ts';
import { confirmedPhone } from '../payouts/phones.ts';
import { requireMasterKeys, sealSecret } from '../settings/sealed.ts';
import type { DisbursementContent } from './disbursement.ts';
import { REFUND, refundSealed } from './refund.ts';
import { cancelPayment, readOutcomes } from './store.ts';
import { onlyBiller, readTerms } from './terms.ts';

export interface DisbursementDeps {
  readonly pool: Pool;
  readonly proposals: Proposals;
  readonly ledgerMac: Mac;
  readonly masterKeys?: MasterKeys | undefined;
}

interface Asked {
  readonly vendorId: number;
  readonly vid: string;
  readonly amountCents: bigint;
  /** Undefined: the only one. */
  readonly billerCode: string | undefined;
  readonly evidence: string;
  readonly note: string;
  readonly by: Actor;
}

/** Proposes a payout to the vendor's phone. Its cost is held from now on. Throws: `PlainError` with the field. */
export async function proposePhonePayout(
  deps: DisbursementDeps,
  asked: Asked,
): Promise<ProposalRow> {
  const phone = await confirmedPhone(deps.pool, deps.ledgerMac, asked.vendorId);
  if (phone === null) {
    throw new PlainError('The vendor has no phone for payouts: set it first, by two people.', {
      field: 'vid',
    });
  }
  const content = { ...(await contentOf(deps.pool, asked)), phone };
  return await deps.proposals.propose({
    kind: PHONE_PAYOUT,
    content,
    by: asked.by,
    note: asked.note,
  });
}

/**
 * Proposes a refund of a payment. Its cost is held from now on. Throws: `PlainError` with the field.
 * @param asked.phone undefined: the one that the payment names.
 */
export async function proposeRefund(
  deps: DisbursementDeps,
  asked: Asked & { readonly refundOf: string; readonly phone: string | undefined },
): Promise<ProposalRow> {
  const { refundOf } = asked;
  const common = await contentOf(deps.pool, asked);
  const phone = await phoneOf(deps.pool, asked);
  const { paymentId } = common;
  const content = {
    ...{ ...common, refundOf },
    phone: sealSecret(phone, refundSealed(paymentId), requireMasterKeys(deps)),
    phoneMac: deps.ledgerMac.sign(refundPhoneText(paymentId, phone)).toString('hex'),
  };
  return await deps.proposals.propose({ kind: REFUND, content, by: asked.by, note: asked.note });
}

async function phoneOf(
  pool: Pool,
  asked: {
    readonly vendorId: number;
    readonly refundOf: string;
    readonly phone: string | undefined;
  },
): Promise<string> {
  const given = asked.phone === undefined ? undefined : kenyanMobileNumber(asked.phone);
  if (given !== undefined) return given;
  if (asked.phone !== undefined) {
    throw new PlainError('It is not a Kenyan mobile number.', { field: 'phone' });
  }
  const payment = await readPayment(pool, asked.vendorId, asked.refundOf);
  const named = [payment?.phone, payment?.account].find(
    (one) => typeof one === 'string' && MOBILE_NUMBER.test(one),
  );
  if (typeof named === 'string') return named;
  throw new PlainError('The payment names no mobile number: give the customer’s.', {
    field: 'phone',
  });
}

async function contentOf(pool: Pool, asked: Asked): Promise<DisbursementContent> {
  const { vendorId, vid, amountCents } = asked;
  if (amountCents <= 0n) throw new PlainError('It must be above zero.', { field: 'amount' });
  const billerCode = asked.billerCode ?? (await onlyBiller(pool));
  const { feeCents } = await readTerms(pool, { vendorId, billerCode, amountCents });
  return {
    ...{ vendorId, vid, paymentId: newId(), billerCode },
    ...{ cents: String(amountCents), feeCents: String(feeCents) },
    evidence: requireText(asked.evidence, 'evidence'),
  };
}

/**
 * Ends an approved disbursement of which no instruction is in progress: its cost is in the float again. One person, because
 * nothing is paid. Throws: `PlainError` otherwise.
 */
export async function cancelDisbursement(
  { pool, proposals }: Pick<DisbursementDeps, 'pool' | 'proposals'>,
  { disbursementId, by }: { readonly disbursementId: string; readonly by: Actor },
): Promise<void> {
  await repeatableTransaction(pool, async (db) => {
    const row = await proposals.findIn(db, disbursementId);
    if (row === undefined || !isDisbursement(row) || row.decision !== 'approved') {
      throw new PlainError('It is not an approved disbursement. One that waits can be rejected.');
    }
    await proposals.requireMayPropose(db, by, row);
    const { content } = await proposals.requireApproved(db, disbursementId, row.kind);
    const payment = content as DisbursementContent;
    if (await cancelPayment(db, payment, 'Cancelled before it was sent')) return;
    throw new PlainError('It may have been sent, or has ended: it cannot be cancelled.');
  });
}

const isDisbursement = ({ kind }: ProposalRow): boolean => kind === PHONE_PAYOUT || kind === REFUND;

export interface Disbursement {
  readonly row: ProposalRow;
  readonly content: DisbursementContent;
  readonly state:
    | 'waits'
    | 'rejected'
    | 'withdrawn'
    | 'expired'
    | 'approved'
    | 'succeeded'
    | 'failed';
}

/** Newest first. @param filter.open only those that wait for a decision. */
export async function listDisbursements(
  pool: Pool,
  proposals: Proposals,
  filter: Pick<ProposalFilter, 'open' | 'before' | 'limit'>,
): Promise<Disbursement[]> {
  const rows = await proposals.list({ ...filter, kinds: [PHONE_PAYOUT, REFUND] });
  return await Promise.all(rows.map(async (row) => await withState(pool, row)));
}

/** Throws: `PlainError` if it does not exist. */
export async function findDisbursement(
  pool: Pool,
  proposals: Proposals,
  disbursementId: string,
): Promise<Disbursement> {
  const row = await proposals.find(disbursementId);
  if (isDisbursement(row)) return await withState(pool, row);
  throw new PlainError('This disbursement does not exist.');
}

async function withState(pool: Pool, row: ProposalRow): Promise<Disbursement> {
  const content = row.content as DisbursementContent;
  const { decision } = row;
  if (decision !== 'approved') return { row, content, state: decision ?? 'waits' };
  const { vendorId, paymentId } = content;
  const outcome = (await readOutcomes(pool, vendorId, [paymentId])).get(paymentId) ?? null;
  const state = outcome === null ? 'approved' : outcome === 'success' ? 'succeeded' : 'failed';
  return { row, content, state };
}
