import { Type } from 'typebox';
import type { Static } from 'typebox';
import { strict } from '../../platform/base/json-fields.ts';
import { findVendor } from '../../parties/read-vendors.ts';
import { compiled } from '../../platform/base/compiled.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Approved, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { HOUSE } from '../cases/cases-store.ts';
import { findOpenReceiptCase, readKeptReceipts } from '../cases/kept-receipts-store.ts';
import type { HouseAccount } from '../house/account.ts';
import { requireJournalAccount } from '../house/journal.ts';
import { findUnknown } from '../house/journals.ts';
import { bookClosed } from './books.ts';
import { insertReceiptEvent, lockReceipt, setClosed } from './store.ts';
import { findReceipts, findReceiptsLike, listReversals, wasClosed } from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';
import { doubtText } from './doubts.ts';
import { proposeMove } from './move.ts';
import { openReversed } from './receipt-cases.ts';
import { sumReversed } from './reversals.ts';
import { creditedCents, mayCollect } from './hindrance.ts';
import { claimFor, credit, isReceiptAuthentic, resign } from './take.ts';
import type { ReceiptDeps } from './take.ts';

export const RECEIPT = 'receipt';

const name = Type.String({ minLength: 1, maxLength: 200 });
const content = strict({
  receiptId: name,
  issuer: name,
  receipt: name,
  cents: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  /** Whom it is credited to; null: it is closed without a vendor. */
  vendor: Type.Union([Type.Null(), Type.Object({ vendorId: Type.Integer(), vid: name })]),
  /** The account that gets what a closed one is, as journals name it; null: the bank, as it is no money of ours. */
  account: Type.Union([Type.Null(), name]),
});
type Content = Static<typeof content>;

interface Facts {
  readonly row: ReceiptRow | undefined;
  readonly isAuthentic: boolean;
  readonly wasClosed: boolean;
  /** Why the account cannot be used; null: nothing. */
  readonly accountProblem: string | null;
  readonly mayCollect: boolean;
  /** A case about it as a disputed one is open. */
  readonly hasCase: boolean;
  /** Cents that the vendor still has of the income that the collector reported under this receipt’s number, in cents. */
  readonly collectedCents: bigint;
}

interface Plan {
  readonly row: ReceiptRow;
  readonly of: Content;
  /** Cents of the receipt that the vendor has already. */
  readonly collectedCents: bigint;
}

/** Which receipt, in any spelling if no other is like it: an issuer is needed only if two use the same number. */
export interface ReceiptName {
  readonly receipt: string;
  readonly issuer?: string | undefined;
}

/** Throws: `PlainError` if there is not exactly one. */
export async function requireReceipt(
  db: Queryable,
  { receipt, issuer }: ReceiptName,
): Promise<ReceiptRow> {
  const alike = (await findReceiptsLike(db, receipt)).filter(
    (row) => issuer === undefined || row.issuer === issuer,
  );
  const same = alike.filter((row) => row.receipt === receipt);
  const found = same.length === 0 ? alike : same;
  const [row] = found;
  if (row === undefined) throw new PlainError(`There is no receipt ${receipt}.`);
  if (found.length === 1) return row;
  const issuers = found.map((one) => one.issuer).join(', ');
  throw new PlainError(`Several issuers have a receipt ${receipt}: ${issuers}.`, {
    field: 'issuer',
  });
}

/**
 * Decides about a receipt that no vendor has, or that could not be credited, because its collector had reported the
 * number with other content: credit it to one, or close it, because the money went back or belongs to nobody here. The
 * decision claims it; `afterwards` credits it, which `creditLeftClaims` can do as well.
 */
export const receiptKind = (deps: ReceiptDeps): AnyKind =>
  kind<Content, Facts, Plan>({
    name: RECEIPT,
    title: 'Receipt without a vendor',
    content: compiled(content),
    proposedBy: 'receipts.act',
    decidedBy: 'receipts.act',
    replaces: true,
    about: ({ receiptId }) => receiptId,
    vendorId: ({ vendor }) => vendor?.vendorId ?? null,
    describe: ({ issuer, receipt, cents, vendor, account }) => [
      { label: 'Receipt', text: `${receipt} (${issuer})`, cents },
      { label: 'Vendor', text: vendor?.vid ?? 'none: it is closed' },
      ...(account === null ? [] : [{ label: 'Account', text: account }]),
    ],
    read: async (db, of, { lock }) => {
      const row = lock
        ? await lockReceipt(db, of.issuer, of.receipt)
        : (await findReceipts(db, of.receipt)).find(({ issuer }) => issuer === of.issuer);
      return await readFacts(db, deps, of, row);
    },
    isOver: ({ row }) => row?.state === 'credited' || row?.state === 'closed',
    check: (facts, of, proposal) => requireDecidable(facts, of, proposal?.proposedAt ?? null),
    plan: ({ row, collectedCents }, { content: of }) => ({
      row: required(row, of),
      of,
      collectedCents,
    }),
    show: linesOf,
    remarks: ({ row }) =>
      row?.doubt ? [{ label: 'Waits because', text: doubtText(row.doubt) }] : [],
    apply: async (db, plan, approval) => await apply(db, deps, plan, approval),
    afterwards: async ({ content: of }) => {
      const row = await requireReceipt(deps.pool, of);
      if (row.state === 'claimed') await credit(deps, row);
    },
  });

/** What the decision does. */
function linesOf({ row, of: { vendor, cents, account }, collectedCents }: Plan): Line[] {
  if (vendor === null) {
    const text = account ?? `bank:${row.bank}`;
    return [
      { label: 'Closed without a vendor', cents },
      { label: 'Credited, but for what its bank took back', text },
    ];
  }
  const text = vendor.vid;
  const reported = { label: 'Has been reported by its collector', text };
  return [
    ...(collectedCents === 0n ? [] : [{ ...reported, cents: String(collectedCents) }]),
    {
      ...{ label: 'Credited as collected income', text },
      cents: String(row.amountCents - collectedCents),
    },
  ];
}

/** Proposes it; of a credited one, to move it to the vendor. Throws: `PlainError` with the problem. */
export async function proposeForReceipt(
  { pool, proposals }: { readonly pool: Pool; readonly proposals: Proposals },
  request: ReceiptName & {
    readonly by: Actor;
    readonly note: string;
    /** Null: close it. */
    readonly vid: string | null;
    /** See `Content`. */
    readonly account?: string | null;
  },
): Promise<ProposalRow> {
  const row = await requireReceipt(pool, request);
  const { receiptId, issuer, receipt, amountCents } = row;
  const { vid, by, note, account = null } = request;
  if (account !== null) {
    if (vid !== null) throw new PlainError('Its vendor gets it.', { field: 'account' });
    requireJournalAccount(account, 'account');
  }
  const vendor = vid === null ? null : { vendorId: await requireVendor(pool, vid), vid };
  if (vendor !== null && row.state === 'credited') {
    return await proposeMove({ pool, proposals }, row, { to: vendor, by, note });
  }
  const made = { receiptId, issuer, receipt, cents: String(amountCents), vendor, account };
  return await proposals.propose({ kind: RECEIPT, content: made, by, note });
}

/** The id of the vendor. Throws: `PlainError` if it does not exist. */
async function requireVendor(db: Queryable, vid: string): Promise<number> {
  const vendor = await findVendor(db, vid);
  if (vendor !== undefined) return vendor.vendorId;
  throw new PlainError(`There is no vendor ${vid}.`, { field: 'vid' });
}

async function readFacts(
  db: Queryable,
  { ledgerMac }: ReceiptDeps,
  { receiptId, vendor, account }: Content,
  row: ReceiptRow | undefined,
): Promise<Facts> {
  const isDisputed = row?.state === 'disputed';
  const about = { vendorId: row?.vendorId ?? HOUSE, receiptId, kind: 'receipt_conflict' } as const;
  return {
    row,
    isAuthentic: row !== undefined && isReceiptAuthentic(ledgerMac, row),
    wasClosed: await wasClosed(db, receiptId),
    accountProblem: account === null ? null : await findUnknown(db, [account]),
    mayCollect:
      row !== undefined &&
      vendor !== null &&
      (await mayCollect(db, row.collector, vendor.vendorId)),
    hasCase: isDisputed && (await findOpenReceiptCase(db, about)) !== undefined,
    collectedCents:
      isDisputed && vendor !== null
        ? ((await readKeptReceipts(db, vendor.vendorId, [receiptId])).get(receiptId) ?? 0n)
        : 0n,
  };
}

function required(row: ReceiptRow | undefined, of: Content): ReceiptRow {
  if (row?.receiptId === of.receiptId) return row;
  throw new PlainError(`There is no receipt ${of.receipt}.`);
}

/** Throws: `PlainError` with what stands against it. @param proposedAt null: it is proposed now. */
function requireDecidable(facts: Facts, of: Content, proposedAt: Date | null): void {
  const { state, reversedAt, collector, amountCents } = required(facts.row, of);
  if (state === 'claimed') throw new PlainError(CLAIMED);
  if (state === 'credited' || state === 'closed') {
    throw new PlainError(`The receipt is ${state}; nothing is left to decide.`);
  }
  if (facts.hasCase) {
    throw new PlainError('A case about this receipt is open. Resolve it first.');
  }
  if (!facts.isAuthentic || String(amountCents) !== of.cents) {
    throw new PlainError('The receipt was changed in the database. See malipo ledger check.');
  }
  // A reversal at the same time as the proposal counts as later: nobody could see it.
  if (proposedAt !== null && reversedAt !== null && reversedAt >= proposedAt) {
    throw new PlainError('The provider took the money back after the proposal; propose again.');
  }
  if (facts.accountProblem !== null) {
    throw new PlainError(facts.accountProblem, { field: 'account' });
  }
  if (of.vendor === null) return;
  if (facts.collectedCents >= amountCents) {
    throw new PlainError(
      `${of.vendor.vid} has as much from the collector’s own report. Close the receipt.`,
      { field: 'vid' },
    );
  }
  if (facts.wasClosed) {
    throw new PlainError(
      `Receipt ${of.receipt} was closed by two people, and was opened again in the database. Close it again.`,
      { field: 'vid' },
    );
  }
  if (facts.mayCollect) return;
  throw new PlainError(
    `Collector ${collector} is suspended or may not collect for ${of.vendor.vid}.`,
    { field: 'vid' },
  );
}

// Its credit may be under way at this moment, so nobody else may get it.
const CLAIMED =
  'The receipt is being credited to its vendor. If it waits, its collector is suspended or may not collect for that vendor: permit that, and move the receipt then.';

async function apply(
  db: Queryable,
  { ledgerMac }: ReceiptDeps,
  { row, of, collectedCents }: Plan,
  { proposal, by, at }: Approved<Content>,
): Promise<void> {
  const people = { proposedBy: proposal.proposedBy, decidedBy: by };
  const isDisputed = row.state === 'disputed';
  const decision = of.vendor === null ? 'close' : isDisputed ? 'move' : 'assign';
  const detail = { decision, vid: of.vendor?.vid ?? null, note: proposal.note };
  const { proposalId } = proposal;
  await insertReceiptEvent(db, row.receiptId, {
    ...{ action: 'approved', actor: by, detail: { ...detail, proposal: proposalId } },
  });
  if (of.vendor === null) {
    await setClosed(db, resign(ledgerMac, row, { state: 'closed', vendorId: null, ...people }));
    const reversedCents = sumReversed(await listReversals(db, row));
    const account = of.account as HouseAccount | null;
    await bookClosed(db, ledgerMac, row, { reversedCents, account, at });
    return;
  }
  const { vendorId } = of.vendor;
  const claim = {
    ...{ vendorId, account: row.account, actor: by, people },
    // The collector's own report has its reference.
    ...(isDisputed && { movedCents: row.amountCents - collectedCents }),
  };
  const claimed = await claimFor(db, ledgerMac, row, claim);
  // All of it is credited, so what went back of it is decided next. If all went back, they decided that it did not.
  const reversedCents = sumReversed(await listReversals(db, row));
  // What a former vendor gave back of it is not credited again.
  const notCreditedCents = row.amountCents - creditedCents(row);
  // A part went back while the vendor had it before.
  const open = await findOpenReceiptCase(db, {
    ...{ vendorId, receiptId: row.receiptId, kind: 'receipt_reversed' },
  });
  const cents = reversedCents - notCreditedCents - (open?.reversedCents ?? 0n);
  if (cents <= 0n || reversedCents >= row.amountCents) return;
  await openReversed(db, claimed, { source: by, note: 'before it was assigned', cents });
}
