import { centsAboveZero, filledText, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { findVendorById } from '../../parties/read-vendors.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Approved, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { CASE_RESOLUTION } from '../cases/case-proposals.ts';
import { lockCase } from '../cases/cases-store.ts';
import { findOpenReceiptCase, readKeptReceipts } from '../cases/kept-receipts-store.ts';
import { carryOut } from '../corrections/carry-out.ts';
import { takenBack } from '../corrections/charges.ts';
import type { PlannedTransfer } from '../corrections/charges.ts';
import { lockFloat } from '../ledger/store.ts';
import { readBalance } from '../ledger/read-balances.ts';
import { openReceiptCase } from './receipt-cases.ts';
import { insertReceiptEvent, lockReceipt } from './store.ts';
import { findReceipt } from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';
import { mayCollect } from './hindrance.ts';
import { claimFor, credit, isReceiptAuthentic } from './take.ts';
import type { ReceiptDeps } from './take.ts';

export const RECEIPT_MOVE = 'receipt_move';

const vendor = strict({ vendorId: Type.Integer(), vid: filledText(64) });
const content = strict({
  receiptId: filledText(200),
  issuer: filledText(200),
  receipt: filledText(200),
  /** The amount that the present vendor is still credited with, in cents. */
  cents: centsAboveZero,
  from: vendor,
  to: vendor,
});
type MoveContent = Static<typeof content>;

interface Facts {
  readonly row: ReceiptRow | undefined;
  readonly isAuthentic: boolean;
  readonly mayCollect: boolean;
  /** The provider took money back, and people have not decided about it. */
  readonly hasReversal: boolean;
  /** The open contradiction, which is resolved with the move; null: none. */
  readonly caseId: string | null;
  /** Cents credited to the vendor that has the receipt, less what people have taken back. */
  readonly keptCents: bigint;
  readonly collectedCents: bigint;
  readonly floatCents: bigint;
}

interface Plan {
  readonly row: ReceiptRow;
  readonly of: MoveContent;
  readonly caseId: string | null;
  readonly taken: readonly PlannedTransfer[];
}

/**
 * Moves a credited receipt from the vendor that got it by mistake to the one whose money it is. The decision takes it
 * back as `take_back` does: from the vendor's money, as far as it is there, and the vendor owes the rest. The same
 * commit claims it for the other vendor; `afterwards` credits it, which `creditLeftClaims` can do as well.
 */
export const receiptMoveKind = (deps: ReceiptDeps): AnyKind =>
  kind<MoveContent, Facts, Plan>({
    name: RECEIPT_MOVE,
    title: 'Receipt of another vendor',
    content: compiled(content),
    ...{ proposedBy: 'receipts.act', decidedBy: 'receipts.act' },
    replaces: true,
    about: ({ receiptId }) => receiptId,
    vendorId: ({ to }) => to.vendorId,
    describe: ({ issuer, receipt, cents, from, to }) => [
      { label: 'Receipt', text: `${receipt} (${issuer})`, cents },
      { label: 'Taken from', text: from.vid },
      { label: 'Vendor', text: to.vid },
    ],
    read: async (db, of, { lock }) => await readFacts(db, deps, of, lock),
    check: (facts, of, proposal) => requireMovable(facts, of, proposal?.proposedAt ?? null),
    plan: (facts, { content: of }) => ({
      row: required(facts.row, of),
      of,
      caseId: facts.caseId,
      taken: takenBack(of.from.vendorId, facts, {
        amountCents: BigInt(of.cents),
        to: 'unallocated',
      }),
    }),
    show,
    isOver: ({ row }, of) => row?.state === 'credited' && row.vendorId !== of.from.vendorId,
    ends: ({ caseId }) => (caseId === null ? [] : [{ kind: CASE_RESOLUTION, about: caseId }]),
    apply: async (db, plan, approval) => await apply(db, deps, plan, approval),
    afterwards: async ({ content: { issuer, receipt } }) => {
      const row = await findReceipt(deps.pool, issuer, receipt);
      if (row?.state === 'claimed') await credit(deps, row);
    },
  });

/** Proposes to move all of it that the vendor still has. Throws: `PlainError` with the problem. */
export async function proposeMove(
  { pool, proposals }: { readonly pool: Pool; readonly proposals: Proposals },
  row: ReceiptRow,
  { to, ...asked }: { readonly to: MoveContent['to']; readonly by: Actor; readonly note: string },
): Promise<ProposalRow> {
  const { receiptId, issuer, receipt, vendorId } = row;
  const former = vendorId === null ? undefined : await findVendorById(pool, vendorId);
  if (former === undefined) throw new Error(`receipt ${receipt} is credited to no vendor`);
  const from = { vendorId: former.vendorId, vid: former.vid };
  const keptCents = await readKept(pool, row, from.vendorId);
  if (keptCents <= 0n) throw nothingLeft();
  const made = { receiptId, issuer, receipt, cents: String(keptCents), from, to };
  return await proposals.propose({ ...asked, kind: RECEIPT_MOVE, content: made });
}

/** Without what the collector's own report under the number may have brought the vendor beyond the receipt. */
async function readKept(
  db: Queryable,
  { receiptId, amountCents }: ReceiptRow,
  vendorId: number,
): Promise<bigint> {
  const kept = (await readKeptReceipts(db, vendorId, [receiptId])).get(receiptId) ?? 0n;
  return kept < amountCents ? kept : amountCents;
}

const CONFLICT = 'receipt_conflict';

const nothingLeft = (): PlainError => new PlainError('Nothing of it is left to move.');

/** Not from which accounts it is taken, because every payment changes that. */
function show({ of: { from, to, cents }, taken }: Plan): readonly Line[] {
  const owed = taken.find(({ debitAccount }) => debitAccount === 'exposure');
  return [
    { label: 'Taken from', text: from.vid, cents },
    ...(owed === undefined
      ? []
      : [{ label: 'The vendor owes us', text: from.vid, cents: String(owed.amountCents) }]),
    { label: 'Credited as collected income', text: to.vid, cents },
  ];
}

async function readFacts(
  db: Queryable,
  { ledgerMac }: ReceiptDeps,
  { issuer, receipt, receiptId, from, to }: MoveContent,
  lock: boolean,
): Promise<Facts> {
  // Whoever holds a receipt never waits for a float.
  if (lock) await lockFloat(db, from.vendorId);
  const row = await (lock ? lockReceipt : findReceipt)(db, issuer, receipt);
  const { vendorId } = from;
  const about = { vendorId, receiptId };
  const reversal = await findOpenReceiptCase(db, { ...about, kind: 'receipt_reversed' });
  const conflict = await findOpenReceiptCase(db, { ...about, kind: CONFLICT });
  return {
    row,
    isAuthentic: row !== undefined && isReceiptAuthentic(ledgerMac, row),
    mayCollect: row !== undefined && (await mayCollect(db, row.collector, to.vendorId)),
    hasReversal: reversal !== undefined,
    caseId: conflict?.caseId ?? null,
    keptCents: row === undefined ? 0n : await readKept(db, row, vendorId),
    collectedCents: await readBalance(db, vendorId, 'collected'),
    floatCents: await readBalance(db, vendorId, 'float'),
  };
}

function required(row: ReceiptRow | undefined, of: MoveContent): ReceiptRow {
  if (row?.receiptId === of.receiptId) return row;
  throw new PlainError(`There is no receipt ${of.receipt}.`);
}

/** Throws: `PlainError` with what stands against it. @param proposedAt null: it is proposed now. */
function requireMovable(facts: Facts, of: MoveContent, proposedAt: Date | null): void {
  const { state, vendorId, reversedAt, collector } = required(facts.row, of);
  if (!facts.isAuthentic) {
    throw new PlainError('The receipt was changed in the database. See malipo ledger check.');
  }
  if (state !== 'credited' || vendorId !== of.from.vendorId) {
    throw new PlainError(`The receipt is not credited to ${of.from.vid}.`, { field: 'vid' });
  }
  if (of.from.vendorId === of.to.vendorId) {
    throw new PlainError(`${of.to.vid} has the receipt.`, { field: 'vid' });
  }
  if (facts.hasReversal) {
    throw new PlainError('The provider took money of it back. Resolve that case first.');
  }
  if (proposedAt !== null && reversedAt !== null && reversedAt >= proposedAt) {
    throw new PlainError('The provider took money back after the proposal; propose again.');
  }
  if (facts.keptCents <= 0n) throw nothingLeft();
  if (String(facts.keptCents) !== of.cents) {
    const text = `${of.from.vid} has ${formatMoney(facts.keptCents)} of it left. Propose it again.`;
    throw new PlainError(text);
  }
  if (facts.mayCollect) return;
  const text = `Collector ${collector} is suspended or may not collect for ${of.to.vid}.`;
  throw new PlainError(text, { field: 'vid' });
}

async function apply(
  db: Queryable,
  { ledgerMac }: ReceiptDeps,
  plan: Plan,
  approval: Approved<MoveContent>,
): Promise<void> {
  const { row, of } = plan;
  const { proposal, by } = approval;
  const { proposedBy, proposalId, note } = proposal;
  await takeBack(db, ledgerMac, plan, approval);
  const detail = {
    decision: 'move',
    vid: of.to.vid,
    from: of.from.vid,
    note,
    proposal: proposalId,
  };
  await insertReceiptEvent(db, row.receiptId, { action: 'approved', actor: by, detail });
  await claimFor(db, ledgerMac, row, {
    ...{ vendorId: of.to.vendorId, account: row.account, actor: by },
    ...{ people: { proposedBy, decidedBy: by }, movedCents: BigInt(of.cents) },
  });
}

/** In a case of the vendor that had it: the one about a contradiction, if one is open. */
async function takeBack(
  db: Queryable,
  mac: Mac,
  { row, of, taken, caseId: known }: Plan,
  { proposal: { proposedBy, note }, by }: Approved<MoveContent>,
): Promise<void> {
  const { issuer, receipt } = row;
  const paid = { issuer, receipt, paid_cents: Number(row.amountCents), account: row.account };
  const facts = { source: 'person', reason: 'wrong_vendor', ...paid, moved_to: of.to.vid, note };
  const caseId = known ?? (await openReceiptCase(db, row, CONFLICT, facts));
  const found = caseId === undefined ? undefined : await lockCase(db, caseId);
  if (found === undefined) throw new Error(`receipt ${receipt} has no case`);
  const amount_cents = of.cents;
  const proposal = { resolution: 'take_back', amount_cents, ...NOTHING_TOLD };
  const resolved = { kind: 'correct', transfers: taken, outcomeAfter: null } as const;
  const decided = { row: found, payment: null, proposal, plan: resolved };
  await carryOut(db, mac, { ...decided, proposedBy, approvedBy: by });
}

const NOTHING_TOLD = { operator_reference: null, message: null, details: null } as const;
