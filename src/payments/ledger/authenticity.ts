import type { IncomeAccount } from './account.ts';
import { timeText } from '../../platform/base/proposal.ts';

/** The fields of a collection that its authentication code covers. */
export interface CollectionContent {
  readonly collector: string;
  /** The collector's own reference, which identifies the collection. */
  readonly reference: string;
  readonly vendorId: number;
  readonly collectionId: string;
  readonly amountCents: bigint;
  /** When the customer paid. */
  readonly paidAt: Date;
  readonly createdAt: Date;
  /** Who has the money. */
  readonly account: IncomeAccount;
}

/** The text that a collection's authentication code covers. */
export function collectionText(collection: CollectionContent): string {
  return JSON.stringify([
    'collections',
    collection.collector,
    collection.reference,
    collection.vendorId,
    collection.collectionId,
    String(collection.amountCents),
    timeText(collection.paidAt),
    timeText(collection.createdAt),
    collection.account,
  ]);
}

/**
 * The fields of a correction, and the people who decided it, that its authentication code covers.
 */
export interface CorrectionContent {
  readonly vendorId: number;
  readonly correctionId: string;
  readonly caseId: string;
  readonly paymentId: string | null;
  readonly resolution: string;
  readonly amountCents: bigint;
  readonly postedAt: Date;
  readonly outcomeAfter: string | null;
  readonly proposedBy: string | null;
  readonly approvedBy: string | null;
}

/** The text that a correction's authentication code covers. */
export function correctionText(correction: CorrectionContent): string {
  return JSON.stringify([
    'corrections',
    correction.vendorId,
    correction.correctionId,
    correction.caseId,
    correction.paymentId,
    correction.resolution,
    String(correction.amountCents),
    timeText(correction.postedAt),
    correction.outcomeAfter,
    correction.proposedBy,
    correction.approvedBy,
  ]);
}

/** The fields of a receipt, and the people who decided it, that its authentication code covers. */
export interface ReceiptContent {
  readonly issuer: string;
  readonly receipt: string;
  readonly receiptId: string;
  readonly sourceCode: string;
  readonly collector: string;
  /** The account of ours that the money came to, without `bank:`. */
  readonly bank: string;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  readonly account: string | null;
  readonly vendorId: number | null;
  readonly state: string;
  readonly proposedBy: string | null;
  readonly decidedBy: string | null;
  /** How often it was moved to another vendor, and with which amount. Absent: never. */
  readonly moves?: number;
  readonly movedCents?: bigint | null;
}

/**
 * The text that a receipt's authentication code covers. Of the state, only whether it was closed:
 * the rest follows from the vendor and the ledger.
 */
export function receiptText(receipt: ReceiptContent): string {
  const { decidedBy, moves = 0, movedCents } = receipt;
  return JSON.stringify([
    'receipts',
    receipt.issuer,
    receipt.receipt,
    receipt.receiptId,
    receipt.sourceCode,
    receipt.collector,
    receipt.bank,
    String(receipt.amountCents),
    timeText(receipt.paidAt),
    receipt.account,
    receipt.vendorId,
    receipt.state === 'closed',
    decidedBy === null ? null : receipt.proposedBy,
    decidedBy,
    ...(moves === 0 ? [] : [moves, String(movedCents)]),
  ]);
}

/** An account number and its vendor, as its authentication code covers them. */
export interface AccountContent {
  readonly accountId: string;
  readonly sourceCode: string;
  readonly account: string;
  readonly vendorId: number;
  readonly addedAt: Date;
  readonly addedBy: string;
}

/** The text that an account number's authentication code covers. */
export function accountText(row: AccountContent): string {
  return JSON.stringify([
    'receipt accounts',
    row.accountId,
    row.sourceCode,
    row.account,
    row.vendorId,
    timeText(row.addedAt),
    row.addedBy,
  ]);
}

export interface AccountEndContent {
  readonly accountId: string;
  readonly endedAt: Date;
  readonly endedBy: string;
}

/** The text that the authentication code of an account number's end covers. */
export function accountEndText(row: AccountEndContent): string {
  return JSON.stringify([
    'receipt accounts: end',
    row.accountId,
    timeText(row.endedAt),
    row.endedBy,
  ]);
}

/** The fields of a payout, and the people who decided it, that its authentication code covers. */
export interface PayoutContent {
  readonly vendorId: number;
  readonly payoutId: string;
  readonly amountCents: bigint;
  readonly bank: string;
  readonly bankAccount: string;
  readonly reference: string;
  readonly evidence: string;
  readonly note: string;
  readonly proposedBy: string;
  readonly approvedBy: string;
  readonly postedAt: Date;
}

/** The text that a payout's authentication code covers. */
export function payoutText(payout: PayoutContent): string {
  return JSON.stringify([
    'vendor_payouts',
    payout.vendorId,
    payout.payoutId,
    String(payout.amountCents),
    payout.bank,
    payout.bankAccount,
    payout.reference,
    payout.evidence,
    payout.note,
    payout.proposedBy,
    payout.approvedBy,
    timeText(payout.postedAt),
  ]);
}

/** What a vendor had at the system that it came from, as its authentication code covers it. */
export interface OpeningContent {
  readonly vendorId: number;
  /** The proposal. */
  readonly importId: string;
  readonly collectedCents: bigint;
  readonly floatCents: bigint;
  readonly hasReferences: boolean;
  readonly valuedAt: Date;
  readonly postedAt: Date;
}

export function openingText(row: OpeningContent): string {
  return JSON.stringify([
    ...['vendor_openings', row.vendorId, row.importId],
    ...[String(row.collectedCents), String(row.floatCents), row.hasReferences],
    ...[timeText(row.valuedAt), timeText(row.postedAt)],
  ]);
}

/** A file of used references that two people approved, as its authentication code covers it. */
export interface ReferenceFileContent {
  readonly proposalId: string;
  readonly sha256: string;
  /** With it, every reference that its vendors used is here. */
  readonly isLast: boolean;
  readonly vendorIds: readonly number[];
  readonly approvedAt: Date;
}

export function referenceFileText(row: ReferenceFileContent): string {
  return JSON.stringify([
    ...['reference_files', row.proposalId, row.sha256],
    ...[row.isLast, row.vendorIds, timeText(row.approvedAt)],
  ]);
}

/** The end of the import of such a file, as its authentication code covers it. */
export interface ReferenceFileEndContent {
  readonly proposalId: string;
  readonly endedAt: Date;
}

export function referenceFileEndText(row: ReferenceFileEndContent): string {
  return JSON.stringify(['reference_file_ends', row.proposalId, timeText(row.endedAt)]);
}

/** The phone of a vendor's payouts, as its authentication code covers it. */
export interface PayoutPhoneContent {
  readonly vendorId: number;
  readonly number: number;
  readonly phone: string | null;
  readonly setAt: Date;
  readonly setBy: string;
}

export function payoutPhoneText(row: PayoutPhoneContent): string {
  return JSON.stringify([
    ...['payout_phones', row.vendorId, row.number],
    ...[row.phone, timeText(row.setAt), row.setBy],
  ]);
}

/** What the authentication code of a refund's phone covers: its number is not in the proposal in plain text. */
export const refundPhoneText = (paymentId: string, phone: string): string =>
  JSON.stringify(['refund', paymentId, phone]);
