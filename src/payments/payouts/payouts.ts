import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { requireAnother, requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import {
  requireFound,
  requireOpen,
  requireText,
  requireUnaltered,
} from '../../platform/base/proposal.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { readTakenBackCents } from '../cases/kept-receipts-store.ts';
import { requireReference } from '../house/entry.ts';
import { payoutProposalText, payoutText } from '../ledger/authenticity.ts';
import {
  ensureAccounts,
  lockFloat,
  postingTime,
  postTransfer,
  readBalance,
} from '../ledger/store.ts';
import { findPayout, insertPayout, lockPayout, setApproved, setRejected } from './store.ts';
import type { PayoutRow } from './store.ts';

export interface PayoutRequest {
  readonly vendorId: number;
  readonly amountCents: bigint;
  /** Where the money goes, as the bank names it. */
  readonly bankAccount: string;
  /** Of the bank's transfer: the same one is entered once. */
  readonly reference: string;
  /** Where it can be looked up. */
  readonly evidence: string;
  /** Why. */
  readonly note: string;
  readonly by: string;
}

interface PayoutDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/** Proposes a payout. Nothing is booked yet. Throws: `PlainError` with the problem. */
export async function proposePayout(
  { pool, ledgerMac }: PayoutDeps,
  request: PayoutRequest,
): Promise<PayoutRow> {
  const proposedBy = requirePerson(request.by);
  const { vendorId, amountCents } = request;
  if (amountCents <= 0n) throw new PlainError('It must be above zero.', { field: 'amount' });
  const texts = {
    bankAccount: requireText(request.bankAccount, 'bankAccount'),
    reference: requireReference(request.reference),
    evidence: requireText(request.evidence, 'evidence'),
    note: requireText(request.note, 'note'),
  };
  await requireAvailable(pool, vendorId, amountCents);
  const payoutId = newId();
  const proposedAt = await postingTime(pool);
  const made = { payoutId, vendorId, amountCents, ...texts, proposedBy, proposedAt };
  const proposalMac = ledgerMac.sign(payoutProposalText(made));
  if (!(await insertPayout(pool, { ...made, proposalMac }))) {
    throw new PlainError('This reference was entered before.', { field: 'reference' });
  }
  return requireFound(await findPayout(pool, payoutId), 'payout');
}

/** Throws: `PlainError` if the vendor has less, owes us what would be left, or its provider took it back. */
async function requireAvailable(
  db: Queryable,
  vendorId: number,
  amountCents: bigint,
): Promise<void> {
  const collectedCents = await readBalance(db, vendorId, 'collected');
  // Zero or less: what the vendor owes us.
  const exposureCents = await readBalance(db, vendorId, 'exposure');
  const takenBackCents = await readTakenBackCents(db, vendorId);
  const available = collectedCents + exposureCents - takenBackCents;
  if (amountCents <= available) return;
  const owed = exposureCents < 0n ? `, and owes us ${formatMoney(-exposureCents)}` : '';
  const undecided =
    takenBackCents > 0n
      ? `; ${formatMoney(takenBackCents)} of it was reversed, in cases that are still open`
      : '';
  throw new PlainError(
    `The vendor has ${formatMoney(collectedCents)} of collected income${owed}${undecided}.`,
    { field: 'amount' },
  );
}

/**
 * Books another person's payout: collected → paid_out.
 * Throws: `PlainError` if the service did not record it as it is, or it cannot be booked any more.
 */
export async function approvePayout(
  deps: PayoutDeps,
  request: { readonly payoutId: string; readonly by: string },
): Promise<PayoutRow> {
  const approvedBy = requirePerson(request.by);
  return await databaseTransaction(deps.pool, async (client) => {
    const { vendorId } = requireFound(await findPayout(client, request.payoutId), 'payout');
    await lockFloat(client, vendorId);
    const payout = requireOpen(await lockPayout(client, request.payoutId), 'payout');
    const { payoutId, amountCents, proposedBy } = payout;
    requireAnother(proposedBy, approvedBy);
    requireUnaltered(deps.ledgerMac, payoutProposalText(payout), payout.proposalMac);
    await requireAvailable(client, vendorId, amountCents);
    await ensureAccounts(client, vendorId, ['paid_out']);
    const postedAt = await postingTime(client);
    const mac = deps.ledgerMac.sign(payoutText({ ...payout, approvedBy, postedAt }));
    await setApproved(client, payoutId, { person: approvedBy, postedAt, mac });
    await postTransfer(client, {
      vendorId,
      sourceId: payoutId,
      leg: 1,
      debitAccount: 'collected',
      creditAccount: 'paid_out',
      amountCents,
      createdAt: postedAt,
    });
    return requireFound(await findPayout(client, payoutId), 'payout');
  });
}

/** Anybody may reject a payout, also who proposed it. Throws: `PlainError` if it was decided. */
export async function rejectPayout(
  pool: Pool,
  request: { readonly payoutId: string; readonly by: string },
): Promise<PayoutRow> {
  const person = requirePerson(request.by);
  return await databaseTransaction(pool, async (client) => {
    const { payoutId } = requireOpen(await lockPayout(client, request.payoutId), 'payout');
    await setRejected(client, payoutId, person);
    return requireFound(await findPayout(client, payoutId), 'payout');
  });
}
