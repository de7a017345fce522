import { findVendor } from '../../parties/store.ts';
import { isSamePerson, requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireUnaltered } from '../../platform/base/proposal.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { receiptProposalText } from '../ledger/authenticity.ts';
import { postingTime } from '../ledger/store.ts';
import {
  findReceipts,
  insertReceiptEvent,
  lockReceipt,
  setClosed,
  setReceiptProposal,
  wasClosed,
} from './store.ts';
import type { ReceiptProposal, ReceiptRow } from './store.ts';
import { claimFor, credit, mayCollect, resign } from './take.ts';
import type { ReceiptDeps } from './take.ts';

/** Which receipt: an issuer is needed only if two use the same number. */
export interface ReceiptName {
  readonly receipt: string;
  readonly issuer?: string | undefined;
}

/** Throws: `PlainError` if there is not exactly one. */
export async function requireReceipt(
  db: Queryable,
  { receipt, issuer }: ReceiptName,
): Promise<ReceiptRow> {
  const found = (await findReceipts(db, receipt)).filter(
    (row) => issuer === undefined || row.issuer === issuer,
  );
  const [row] = found;
  if (row === undefined) throw new PlainError(`There is no receipt ${receipt}.`);
  if (found.length === 1) return row;
  const issuers = found.map((one) => one.issuer).join(', ');
  throw new PlainError(`Several issuers have a receipt ${receipt}: ${issuers}.`, {
    field: 'issuer',
  });
}

async function lockOpen(db: Queryable, name: ReceiptName): Promise<ReceiptRow> {
  const { issuer, receipt } = await requireReceipt(db, name);
  const row = await lockReceipt(db, issuer, receipt);
  if (row === undefined) throw new PlainError(`There is no receipt ${receipt}.`);
  if (row.state === 'unmatched' || row.state === 'unconfirmed' || row.state === 'misdated') {
    return row;
  }
  throw new PlainError(`The receipt is ${row.state}; nothing is left to decide.`);
}

/**
 * Proposes what to do with a receipt that no vendor has: assign it to one, or close it, because the
 * money went back or belongs to nobody here. Nothing is credited yet. An authentication code covers
 * all of it.
 * Throws: `PlainError` with the problem.
 */
export async function proposeForReceipt(
  { pool, ledgerMac }: Pick<ReceiptDeps, 'pool' | 'ledgerMac'>,
  request: ReceiptName & {
    readonly by: string;
    readonly note: string;
    /** Null: close it. */
    readonly vid: string | null;
  },
): Promise<ReceiptRow> {
  const by = requirePerson(request.by);
  return await databaseTransaction(pool, async (client) => {
    const row = await lockOpen(client, request);
    const { vid, note } = request;
    if (vid !== null) await requireCollects(client, row, vid);
    const proposal = { decision: vid === null ? 'close' : 'assign', vid, note } as const;
    const made = { proposal, proposedBy: by, proposedAt: await proposingTime(client, row) };
    const proposalMac = ledgerMac.sign(receiptProposalText({ ...row, ...made }));
    await setReceiptProposal(client, row.receiptId, { ...made, proposalMac });
    const event = { action: 'proposed', actor: by, detail: proposal } as const;
    await insertReceiptEvent(client, row.receiptId, event);
    return await requireReceipt(client, row);
  });
}

/** The time now, and always after a reversal that the first person could see. */
async function proposingTime(db: Queryable, { reversedAt }: ReceiptRow): Promise<Date> {
  const now = await postingTime(db);
  return reversedAt === null || now > reversedAt ? now : new Date(Number(reversedAt) + 1);
}

/** Throws: `PlainError` if the vendor does not exist, or the receipt's collector may not collect for it. */
async function requireCollects(
  db: Queryable,
  { collector }: ReceiptRow,
  vid: string,
): Promise<void> {
  if (await mayCollect(db, collector, await requireVendor(db, vid))) return;
  throw new PlainError(`Collector ${collector} is suspended or may not collect for ${vid}.`, {
    field: 'vid',
  });
}

/** The id of the vendor. Throws: `PlainError` if it does not exist. */
async function requireVendor(db: Queryable, vid: string): Promise<number> {
  const vendor = await findVendor(db, vid);
  if (vendor !== undefined) return vendor.vendorId;
  throw new PlainError(`There is no vendor ${vid}.`, { field: 'vid' });
}

/** Withdraws a proposal; anybody may. Throws: `PlainError` if the receipt has no proposal. */
export async function rejectForReceipt(
  pool: Pool,
  request: ReceiptName & { readonly by: string; readonly note: string },
): Promise<ReceiptRow> {
  const by = requirePerson(request.by);
  return await databaseTransaction(pool, async (client) => {
    const row = await lockOpen(client, request);
    if (row.proposal === null) throw new PlainError('This receipt has no proposal.');
    await setReceiptProposal(client, row.receiptId, null);
    const detail = { note: request.note, rejected: row.proposal };
    await insertReceiptEvent(client, row.receiptId, { action: 'rejected', actor: by, detail });
    return await requireReceipt(client, row);
  });
}

/**
 * Carries out another person's proposal: claims the receipt for the vendor in one commit, then
 * credits it.
 * Throws: `PlainError` if the approver is the proposer, approves something else than what is
 * proposed now, the proposal was changed in the database, or the receipt was decided or reversed
 * meanwhile.
 */
export async function approveForReceipt(
  deps: ReceiptDeps,
  request: ReceiptName & {
    readonly by: string;
    /** What is approved. Null: to close it. */
    readonly vid: string | null;
  },
): Promise<ReceiptRow> {
  const by = requirePerson(request.by);
  const decided = await databaseTransaction(deps.pool, async (client) => {
    const row = await lockOpen(client, request);
    const proposal = requireApprovable(row, { by, vid: request.vid });
    requireUnaltered(deps.ledgerMac, receiptProposalText(row), row.proposalMac);
    if (proposal.vid !== null) await requireNeverClosed(client, row);
    const event = { action: 'approved', actor: by, detail: { ...proposal } } as const;
    await insertReceiptEvent(client, row.receiptId, event);
    if (proposal.vid !== null) {
      const vendorId = await requireVendor(client, proposal.vid);
      const claim = { vendorId, account: row.account, actor: by, decidedBy: by };
      return await claimFor(client, deps.ledgerMac, row, claim);
    }
    const closed = resign(deps.ledgerMac, row, { state: 'closed', decidedBy: by });
    await setClosed(client, closed);
    return closed;
  });
  if (decided.vendorId !== null) await credit(deps, await requireReceipt(deps.pool, decided));
  return await requireReceipt(deps.pool, decided);
}

/** Throws: `PlainError` if two people have closed it, and it was opened again in the database. */
async function requireNeverClosed(
  db: Queryable,
  { receipt, receiptId }: ReceiptRow,
): Promise<void> {
  if (!(await wasClosed(db, receiptId))) return;
  throw new PlainError(
    `Receipt ${receipt} was closed by two people, and was opened again in the database. Close it again.`,
    { field: 'vid' },
  );
}

/** Throws: `PlainError` if this person may not approve it, or not this decision. */
function requireApprovable(
  row: ReceiptRow,
  { by, vid }: { readonly by: string; readonly vid: string | null },
): ReceiptProposal {
  const { proposal, proposedBy, proposedAt, reversedAt } = row;
  if (proposal === null || proposedBy === null || proposedAt === null) {
    throw new PlainError('This receipt has no proposal.');
  }
  if (isSamePerson(proposedBy, by)) {
    throw new PlainError(`${by} proposed it; another person has to approve it.`, { field: 'by' });
  }
  if (proposal.vid !== vid) {
    const proposed = proposal.vid === null ? 'close it' : `assign it to ${proposal.vid}`;
    throw new PlainError(`The proposal, by ${proposedBy}, is to ${proposed}.`, { field: 'vid' });
  }
  // See `proposingTime`: at the same time means afterwards.
  if (reversedAt !== null && reversedAt >= proposedAt) {
    throw new PlainError('The provider took the money back after the proposal; propose again.');
  }
  return proposal;
}
