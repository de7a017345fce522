import { Refusal } from '../../platform/base/errors.ts';
import { isWrittenAlike, plainReference } from '../../platform/base/written-alike.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { CollectedIncome } from '../collections/collect.ts';
import { listCollectionsLike } from '../collections/store.ts';
import { BANK_PAYOUTS } from '../payouts/payout.ts';
import { listPayoutsLike } from '../payouts/store.ts';
import {
  listAlike,
  listArrived,
  listBeforeArrival,
  listByHand,
  listLikeNumbered,
  listOfAccount,
  listRenumbered,
  lockMoney,
  lockNumber,
  MAX_OTHERS,
} from './identity-store.ts';
import type { AlikeRow, NumberedRow } from './identity-store.ts';
import { collectionReference, isBooked } from './receipt.ts';
import type { Doubt, ReceiptReport } from './receipt.ts';
import { areOtherPayers, isNamed, relationOf } from './same-money.ts';
import { areSeparate } from './bank-accounts.ts';
import {
  findHolder,
  findLongerAccounts,
  findOpeningAfter,
  findOtherVendors,
  listSources,
} from './sources-store.ts';
import { lockReceipt } from './store.ts';
import { findReceipt } from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';

/** The receipt that a report is about: a known one, locked, or a new one, possibly with a doubt. */
export interface Identified {
  readonly known: ReceiptRow | undefined;
  readonly doubt: Doubt | null;
}

/** Receipts as the lines before would make them, which a preview does not write. */
export interface ForeseenReceipts {
  find(issuer: string, receipt: string): ReceiptRow | undefined;
  like(report: Pick<ReceiptReport, 'receipt' | 'named'>): readonly NumberedRow[];
}

/**
 * Finds the receipt that a report is about, whatever source reported it first. Until the end of the caller's
 * database transaction, no other report of this number, or of this amount for this account, is taken.
 * @param vendorId the vendor of the report's account.
 * @param preview only looks, also at what the lines before it would do.
 */
export async function identify(
  client: Queryable,
  report: ReceiptReport,
  vendorId: number | undefined,
  preview?: ForeseenReceipts,
): Promise<Identified> {
  if (preview === undefined) await lockMoney(client, report);
  const find = async (issuer: string, receipt: string): Promise<ReceiptRow | undefined> =>
    preview === undefined
      ? await lockReceipt(client, issuer, receipt)
      : (preview.find(issuer, receipt) ?? (await findReceipt(client, issuer, receipt)));
  const known = await find(report.issuer, report.receipt);
  if (known !== undefined) return { known, doubt: null };
  const stored = await listLikeNumbered(client, report);
  const numbered = [...stored, ...(preview?.like(report) ?? [])];
  const related = numbered.map((row) => ({ row, relation: relationOf(report, row, vendorId) }));
  const same = related.find(({ relation }) => relation === 'same')?.row;
  if (same !== undefined) {
    return { known: await find(same.issuer, same.receipt), doubt: null };
  }
  for (const reason of ['same_number', 'like_number'] as const) {
    const others = related.filter(({ relation }) => relation === reason).map(({ row }) => row);
    if (others.length > 0) return { known: undefined, doubt: { reason, others: namesOf(others) } };
  }
  return { known: undefined, doubt: await findDoubt(client, report, vendorId) };
}

async function findDoubt(
  client: Queryable,
  report: ReceiptReport,
  vendorId: number | undefined,
): Promise<Doubt | null> {
  if (report.ownDoubt !== undefined) return report.ownDoubt;
  const readings = await contradictingReadings(client, report, vendorId);
  if (readings.length > 0) return { reason: 'line_wrap', others: readings };
  const wholes = await possibleWholes(client, report, vendorId);
  if (wholes.length > 0) return { reason: 'part', others: [report.account ?? '', ...wholes] };
  if (vendorId === undefined && (await isFormersAccount(client, report))) {
    return { reason: 'changed_hands', others: [report.account ?? ''] };
  }
  const opening =
    vendorId &&
    (await findOpeningAfter(client, { ...report, vendorId, isBooked: isBooked(report) }));
  if (opening) return { reason: 'opening', others: [opening.toISOString()] };
  const payouts = await listPaidOut(client, report, vendorId);
  if (payouts !== null) return payouts;
  if (report.isReturn === true) return { reason: 'returned', others: [report.receipt] };
  const collected = await listCollected(client, report);
  if (collected.length > 0) return { reason: 'collected', others: collected };
  if (report.channel === 'statement') {
    const listed = await listRenumbered(client, report);
    if (listed.length > 0) return { reason: 'renumbered', others: namesOf(listed) };
  }
  const mistyped = await listMistyped(client, report);
  if (mistyped.length > 0) return { reason: 'mistyped', others: namesOf(mistyped) };
  const alike = await listAlikeOfOthers(client, report, vendorId);
  return alike.length === 0 ? null : { reason: 'alike', others: namesOf(alike) };
}

/** Two numbers of one issuer are two payments, unless people entered one of them. */
async function listMistyped(
  client: Queryable,
  report: ReceiptReport,
): Promise<readonly NumberedRow[]> {
  const { account } = report;
  if (account === null) return [];
  return report.isByHand === true
    ? await listOfAccount(client, { ...report, account })
    : await listByHand(client, { ...report, account });
}

/**
 * Lists receipts of other sources that may be this money, under another number. On one day, many customers may pay one
 * amount for one account, so whatever tells them apart for certain counts: other vendors, sources that are said to list
 * other money, other telephones, and what we had before this one was paid. Everything else waits for people: names
 * and purposes of one payment differ from file to file, and money that is credited twice is spent at once, while a
 * receipt that waits is lost by nobody. Receipts of one source are never compared: two payments stay two.
 */
async function listAlikeOfOthers(
  client: Queryable,
  report: ReceiptReport,
  vendorId: number | undefined,
): Promise<readonly NumberedRow[]> {
  const { account, sourceCode, payer } = report;
  if (account === null) return [];
  const alike = await listOfOthers(client, { ...report, account });
  // Account numbers of another source may be other vendors'.
  const others = alike.filter(
    (row) =>
      (row.vendorId ?? vendorId) === (vendorId ?? row.vendorId) &&
      !areOtherPayers(payer, row.payer),
  );
  if (others.length === 0) return [];
  const sources = await listSources(client);
  const own = sources.find((source) => source.sourceCode === sourceCode);
  const separate = new Set(
    sources
      .filter((source) => own !== undefined && areSeparate(own, source))
      .map((source) => source.sourceCode),
  );
  return others.filter((row) => !separate.has(row.sourceCode)).slice(0, MAX_OTHERS);
}

async function listOfOthers(
  client: Queryable,
  report: ReceiptReport & { readonly account: string },
): Promise<readonly AlikeRow[]> {
  return report.isArrivalTime === true
    ? await listBeforeArrival(client, report)
    : [...(await listAlike(client, report)), ...(await listArrived(client, report))];
}

/**
 * A transfer to a vendor's bank that the bank returned is listed as a credit with our own text, which may name the
 * vendor's account. The vendor may have got the money back already, by `payout_return`.
 */
async function listPaidOut(
  client: Queryable,
  report: ReceiptReport,
  vendorId: number | undefined,
): Promise<Doubt | null> {
  if (report.channel !== 'statement' || vendorId === undefined) return null;
  const { amountCents, paidAt: at } = report;
  const text = plainReference(report.payer ?? '');
  const others = await listPayoutsLike(client, {
    ...{ vendorId, amountCents, at, text },
    kinds: BANK_PAYOUTS,
  });
  return others.length === 0 ? null : { reason: 'payout', others };
}

/** A vendor has the account number now, but the payment may have been meant for its former holder. */
async function isFormersAccount(
  client: Queryable,
  { sourceCode, account }: ReceiptReport,
): Promise<boolean> {
  return account !== null && (await findHolder(client, { sourceCode, account })) !== undefined;
}

/**
 * Lists income that collectors reported with this number (in any spelling), or one that the text may name, and this
 * amount.
 */
async function listCollected(client: Queryable, report: ReceiptReport): Promise<string[]> {
  const { receipt, named = [], amountCents } = report;
  const listed = await listCollectionsLike(client, [receipt, ...named], amountCents);
  return listed
    .filter(({ reference }) => isWrittenAlike(reference, receipt) || isNamed(reference, named))
    .filter((row) => !isCollectionOf(row, report))
    .map(({ collector, reference }) => `${collector} ${reference}`);
}

function isCollectionOf(
  { collector, reference }: Pick<CollectedIncome, 'collector' | 'reference'>,
  receipt: Pick<ReceiptRow, 'collector' | 'issuer' | 'receipt'>,
): boolean {
  return collector === receipt.collector && reference === collectionReference(receipt);
}

/**
 * Refuses income that a collector reports if a source has reported its money.
 * Throws: `reference_reused`.
 */
export async function requireNoReceipt(client: Queryable, income: CollectedIncome): Promise<void> {
  await lockNumber(client, income.reference);
  if (!(await hasReceipt(client, income))) return;
  throw new Refusal('reference_reused', { field: 'reference', text: RECEIPT_KNOWN });
}

export const RECEIPT_KNOWN =
  'A receipt with this number and amount is known. It is credited once, to its vendor';

/**
 * Whether a source has reported a receipt of this number, however it is written, or a text that may name it, and
 * amount. Final once the number is locked (`lockNumber`).
 */
export async function hasReceipt(
  db: Queryable,
  income: Pick<CollectedIncome, 'collector' | 'reference' | 'amountCents'>,
): Promise<boolean> {
  const numbered = await listLikeNumbered(db, { receipt: income.reference });
  return numbered.some(
    (row) =>
      (isWrittenAlike(row.receipt, income.reference) || isNamed(income.reference, row.named)) &&
      row.amountCents === income.amountCents &&
      !isCollectionOf(income, row),
  );
}

/**
 * Refuses income of the time before the balance that its vendor brought from another system, which has it already: the
 * collector may repeat what it reported there. Two people may book it. Throws: `invalid_field`.
 */
export async function requireAfterOpening(
  client: Queryable,
  income: Pick<CollectedIncome, 'vendorId' | 'paidAt'>,
): Promise<void> {
  if ((await findOpeningAfter(client, { ...income, isBooked: false })) === undefined) return;
  const text =
    'paid_at is before the vendor came from another system: its balance has this income. If it does not, the company that runs this service books it';
  throw new Refusal('invalid_field', { field: 'paid_at', text });
}

/** Accounts and numbers that the text names if its lines are joined in another way; empty: no others. */
async function contradictingReadings(
  client: Queryable,
  { sourceCode, account, otherReadings }: ReceiptReport,
  vendorId: number | undefined,
): Promise<string[]> {
  if (otherReadings === undefined) return [];
  const { accounts, unlikelyAccounts, receipts } = otherReadings;
  const meant =
    unlikelyAccounts.length === 0
      ? []
      : await findOtherVendors(client, { sourceCode, accounts: unlikelyAccounts, vendorId });
  const others = [...accounts, ...meant, ...receipts];
  if (others.length === 0) return [];
  return [...(account === null ? [] : [account]), ...others];
}

/** Account numbers of other vendors of which the text may name a part. */
async function possibleWholes(
  client: Queryable,
  { sourceCode, account, mayBePart = false, mayLackZeros = false }: ReceiptReport,
  vendorId: number | undefined,
): Promise<string[]> {
  if (account === null || vendorId === undefined || !(mayBePart || mayLackZeros)) return [];
  return await findLongerAccounts(client, { sourceCode, account, vendorId, mayBePart });
}

function namesOf(rows: readonly Pick<ReceiptRow, 'issuer' | 'receipt'>[]): string[] {
  return rows.map(({ issuer, receipt }) => `${issuer} ${receipt}`);
}
