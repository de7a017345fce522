import { crashPoint } from '#crash-points';
import type { Logger } from 'pino';
import { Refusal } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { HOUSE } from '../cases/cases-store.ts';
import { receiptText } from '../ledger/authenticity.ts';
import { collect } from '../collections/collect.ts';
import { bookUnallocated } from './books.ts';
import { hindranceOf, incomeOf, isTakenBack, mayCollect } from './hindrance.ts';
import { decideReport } from './judge-report.ts';
import type { Decision } from './judge-report.ts';
import { identify } from './identify.ts';
import { openConflict, openReceiptCase, passConflict } from './receipt-cases.ts';
import { isBooked } from './receipt.ts';
import type { Channel, ReceiptReport } from './receipt.ts';
import { findVendorOfAccount } from './sources-store.ts';
import {
  endClaim,
  insertReceipt,
  insertReceiptEvent,
  insertReport,
  lockReceipt,
  setClaimed,
  setUnallocated,
  setUnclaimed,
} from './store.ts';
import { wasClosed } from './read-receipts.ts';
import type { ReceiptRow } from './read-receipts.ts';

export interface ReceiptDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly log: Logger;
}

/** The result of a report. */
export type Taken =
  | 'credited'
  | 'unmatched'
  | 'unconfirmed'
  | 'misdated'
  | 'repeated'
  /** It was taken back before it was credited. */
  | 'reversed'
  | 'conflict'
  | 'claimed';

/**
 * Takes one report of a receipt. The first commit claims the receipt for a vendor, across all
 * vendors and sources. The second credits it and can be repeated: a process that ends in between
 * leaves a claim, which `creditLeftClaims` credits.
 * @param confirmFromCents see `decideReport`.
 */
export async function takeReport(
  deps: ReceiptDeps,
  report: ReceiptReport,
  confirmFromCents: bigint | null = null,
): Promise<Taken> {
  const { row, decision, isNews } = await repeatableTransaction(deps.pool, async (client) => {
    return await record(client, deps.ledgerMac, report, confirmFromCents);
  });
  crashPoint('receipt:after-claim');
  if (decision.kind === 'conflict') {
    const { reason } = decision;
    deps.log.error({ receipt: report.receipt, reason }, 'a receipt was reported differently');
    return 'conflict';
  }
  if (row.state === 'claimed') {
    if (await credit(deps, row)) return 'credited';
    return row.reversedAt === null ? 'claimed' : 'reversed';
  }
  if (decision.kind !== 'new') {
    return isNews && row.reversedAt !== null && row.state !== 'credited' ? 'reversed' : 'repeated';
  }
  if (decision.state === 'misdated') {
    const { receipt, paidAt } = report;
    deps.log.error({ receipt, paidAt }, 'a receipt has a time in the future; it waits for people');
  }
  return decision.state;
}

/** The claim, in the caller's database transaction. */
export async function record(
  client: Queryable,
  mac: Mac,
  report: ReceiptReport,
  confirmFromCents: bigint | null,
): Promise<{ readonly row: ReceiptRow; readonly decision: Decision; readonly isNews: boolean }> {
  const { channel } = report;
  const reportedFor = await vendorOf(client, report, channel);
  const now = new Date();
  const { known, doubt } = await identify(client, report, reportedFor);
  const about = { vendorId: reportedFor, confirmFromCents, now, known: undefined, doubt };
  const first = decideReport(report, about);
  if (first.kind !== 'new') throw new Error('the first report of a receipt is new');
  const { row, isNew } =
    known === undefined
      ? await insertOrLock(client, mac, report, { ...first, doubt })
      : { row: known, isNew: false };
  const told = asOf(report, row);
  const isNews = await insertReport(client, row.receiptId, told);
  if (isNew) {
    if (first.state === 'claimed') await noteClaim(client, row, channel);
    return { row, decision: first, isNews };
  }
  // Account numbers of another source may be other vendors'.
  const vendorId = await vendorOf(client, row.account === null ? report : row, channel);
  const decision = decideReport(told, { known: row, vendorId, confirmFromCents, now });
  // Pulls and overlapping statements repeat a contradiction; people look at it once.
  if (decision.kind === 'conflict' && isNews) {
    await openConflict(client, row, told, decision.reason);
  }
  if (decision.kind !== 'claim') return { row, decision, isNews };
  // It was opened again in the database.
  if (await wasClosed(client, row.receiptId)) return { row, decision: { kind: 'repeat' }, isNews };
  const claimed = await claimFor(client, mac, row, { ...decision, actor: channel });
  return { row: claimed, decision, isNews };
}

/** The report as it counts for a known receipt: a time of arrival says nothing about it, however often it is repeated. */
export function asOf(report: ReceiptReport, { paidAt }: Pick<ReceiptRow, 'paidAt'>): ReceiptReport {
  return report.isArrivalTime === true ? { ...report, paidAt } : report;
}

/** The vendor of the account that was reported; undefined: nobody's. */
export async function vendorOf(
  client: Queryable,
  report: Pick<ReceiptReport, 'sourceCode' | 'account' | 'paidAt' | 'isArrivalTime'>,
  channel: Channel,
): Promise<number | undefined> {
  const { sourceCode, account, paidAt } = report;
  if (account === null) return undefined;
  const about = { sourceCode, account, paidAt, isBooked: isBooked({ ...report, channel }) };
  return await findVendorOfAccount(client, about);
}

/**
 * The receipt that the report is about, locked; a new one waits for people.
 * @param state `unconfirmed`: another channel than a confirmation may also claim it.
 */
export async function keepWaiting(
  client: Queryable,
  mac: Mac,
  report: ReceiptReport,
  state: 'unmatched' | 'unconfirmed' = 'unmatched',
): Promise<ReceiptRow> {
  const { known, doubt } = await identify(client, report, undefined);
  if (known !== undefined) return known;
  const waiting = { state: doubt === null ? state : 'unmatched', vendorId: null, doubt } as const;
  return (await insertOrLock(client, mac, report, waiting)).row;
}

/** The receipt as this report makes it, or the one that is known, locked. */
async function insertOrLock(
  client: Queryable,
  mac: Mac,
  report: ReceiptReport,
  first: Pick<ReceiptRow, 'state' | 'vendorId' | 'doubt'>,
): Promise<{ readonly row: ReceiptRow; readonly isNew: boolean }> {
  const undecided = { proposedBy: null, decidedBy: null };
  const bank = report.bank ?? report.sourceCode;
  // Whoever may not have it yet gets it from there, too.
  const isUnallocated =
    first.state !== 'claimed' ||
    first.vendorId === null ||
    !(await mayCollect(client, report.collector, first.vendorId));
  const made = { ...report, ...undecided, ...first, receiptId: newId(), bank, isUnallocated };
  const isNew = await insertReceipt(client, { ...made, mac: mac.sign(receiptText(made)) });
  if (isNew && isUnallocated) await bookUnallocated(client, mac, made);
  const stored = await lockReceipt(client, report.issuer, report.receipt);
  if (stored === undefined) throw new Error(`receipt ${report.receipt} is gone`);
  return { row: stored, isNew };
}

/**
 * Gives a receipt to a vendor. The caller holds its lock.
 * Throws: `Error` if the row was changed outside of the service.
 */
export async function claimFor(
  client: Queryable,
  mac: Mac,
  row: ReceiptRow,
  claim: {
    readonly vendorId: number;
    readonly account: string | null;
    /** The channel, or the person who approved it. */
    readonly actor: string;
    /** The two people who assigned it. */
    readonly people?: { readonly proposedBy: string; readonly decidedBy: string };
    /** It was another vendor's, and this amount of it was taken back. */
    readonly movedCents?: bigint;
  },
): Promise<ReceiptRow> {
  const { vendorId, account, actor, movedCents } = claim;
  const { people = { proposedBy: null, decidedBy: null } } = claim;
  const moved = movedCents === undefined ? {} : { moves: row.moves + 1, movedCents };
  const change = { vendorId, account, ...people, ...moved, state: 'claimed' } as const;
  const claimed = resign(mac, row, change);
  await setClaimed(client, claimed);
  await noteClaim(client, claimed, actor);
  await passConflict(client, claimed, row.vendorId ?? HOUSE);
  return claimed;
}

/**
 * The row with a change, under a new authentication code.
 * Throws: `Error` if the row was changed outside of the service.
 */
export function resign(
  mac: Mac,
  row: ReceiptRow,
  change: Partial<Omit<ReceiptRow, 'mac'>>,
): ReceiptRow {
  requireAuthentic(mac, row);
  const changed = { ...row, ...change };
  return { ...changed, mac: mac.sign(receiptText(changed)) };
}

async function noteClaim(client: Queryable, row: ReceiptRow, actor: string): Promise<void> {
  const detail = { vendor_id: row.vendorId };
  await insertReceiptEvent(client, row.receiptId, { action: 'claimed', actor, detail });
}

export function isReceiptAuthentic(mac: Mac, row: ReceiptRow): boolean {
  return mac.verify(receiptText(row), row.mac);
}

function requireAuthentic(mac: Mac, row: ReceiptRow): void {
  if (isReceiptAuthentic(mac, row)) return;
  throw new Error(`receipt ${row.receipt} was changed outside of the service`);
}

/**
 * A bank lists an entry in other parts than before: nothing more of it is credited, people look at it.
 * @param known a part that it does not list any more, or the entry as one receipt.
 */
export async function takeReplaced(
  { pool }: ReceiptDeps,
  known: ReceiptRow,
  report: ReceiptReport,
): Promise<void> {
  await repeatableTransaction(pool, async (client) => {
    const isNews = await insertReport(client, known.receiptId, report);
    if (isNews) await openConflict(client, known, report, 'entry');
  });
}

/**
 * Credits a claimed receipt as collected income of its vendor. Can be repeated. Returns false if it
 * has to wait or is disputed, if two people have closed it, or if its money was taken back before.
 */
export async function credit(deps: ReceiptDeps, row: ReceiptRow): Promise<boolean> {
  const { pool, ledgerMac, log } = deps;
  const { receipt, vendorId } = row;
  requireAuthentic(ledgerMac, row);
  if (vendorId === null) throw new Error(`receipt ${receipt} is claimed for no vendor`);
  const claimed = { ...row, vendorId };
  const hindrance = await hindranceOf(pool, claimed);
  if (hindrance === 'closed') {
    log.error({ receipt }, 'a receipt that two people closed was opened again in the database');
    return false;
  }
  if (hindrance === 'taken_back') {
    await unclaim(deps, row);
    return false;
  }
  if (hindrance === 'not_allowed') {
    log.warn(
      { receipt, collector: row.collector },
      'a receipt waits: its collector is not allowed',
    );
    return false;
  }
  try {
    // Refuses one that is reused, also if it is since a moment ago.
    await collect({ pool, ledgerMac }, incomeOf(claimed));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'reference_reused') throw error;
    log.error({ receipt }, 'the collector has reported this receipt with other content');
    await endAs(deps, row, 'disputed');
    return false;
  }
  crashPoint('receipt:after-credit');
  await endAs(deps, row, 'credited');
  return true;
}

/** Leaves the receipt to people, like one whose reversal was reported first. */
async function unclaim(
  { pool, ledgerMac }: ReceiptDeps,
  { issuer, receipt }: ReceiptRow,
): Promise<void> {
  await repeatableTransaction(pool, async (client) => {
    const row = await lockReceipt(client, issuer, receipt);
    if (row?.state !== 'claimed' || !isTakenBack(row)) return;
    await becomeUnallocated(client, ledgerMac, row);
    await setUnclaimed(
      client,
      resign(ledgerMac, row, { vendorId: null, state: 'unmatched', decidedBy: null }),
    );
    const detail = { vendor_id: row.vendorId, reason: 'reversed' };
    const event = { action: 'disputed', actor: row.collector, detail } as const;
    await insertReceiptEvent(client, row.receiptId, event);
  });
}

/** Nobody was credited with it, and it is not known whether anybody will be. */
async function becomeUnallocated(client: Queryable, mac: Mac, row: ReceiptRow): Promise<void> {
  if (row.moves > 0 || !(await setUnallocated(client, row.receiptId))) return;
  await bookUnallocated(client, mac, row);
}

async function endAs(
  { pool, ledgerMac }: ReceiptDeps,
  row: ReceiptRow,
  state: 'credited' | 'disputed',
): Promise<void> {
  await repeatableTransaction(pool, async (client) => {
    if (!(await endClaim(client, row, state))) return;
    const event = { action: state, actor: row.collector, detail: { vendor_id: row.vendorId } };
    await insertReceiptEvent(client, row.receiptId, event);
    if (state === 'credited') return;
    await becomeUnallocated(client, ledgerMac, row);
    const facts = { reason: 'reference_reused', issuer: row.issuer, receipt: row.receipt };
    await openReceiptCase(client, row, 'receipt_conflict', facts);
  });
}
