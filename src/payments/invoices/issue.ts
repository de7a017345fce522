import { encodeReference } from '../../parties/reference.ts';
import { listVendors } from '../../parties/read-vendors.ts';
import type { VendorRow } from '../../parties/read-vendors.ts';
import { periodOfMonth } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { readHorizon } from '../../platform/cluster/horizon.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { postingTime } from '../../platform/db/posting-time.ts';
import { announceEvent } from '../events/store.ts';
import { listFeePrices } from '../prices/store.ts';
import { takeYourTime } from '../ledger/sums-store.ts';
import { draftsOf } from './draft.ts';
import type { Draft, FeeMovement } from './draft.ts';
import { numberText, SERIES } from './invoice.ts';
import type { InvoiceContent, InvoiceRow, RunRow } from './invoice.ts';
import {
  findInvoiceOf,
  findLastRun,
  findTerms,
  insertInvoice,
  insertRun,
  lastNumber,
  listVendorNames,
  lockRuns,
  readMovedFees,
} from './store.ts';
import type { InvoicingTerms, PartyRow } from './store.ts';
import { issuedEvent } from './view.ts';

export interface IssueDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
}

/** Of invoices per payment: nothing older is read again. */
const MAX_SPAN_MS = 3_600_000;

/**
 * Issues the invoices of the next period that has ended, in one commit: if the process ends, none of its numbers is
 * used. Returns how many, or undefined if no period has ended.
 * @param endOf for tests, whose months are short.
 */
export async function issueNext(deps: IssueDeps, endOf = periodEnd): Promise<number | undefined> {
  return await databaseTransaction(deps.pool, async (client) => {
    await takeYourTime(client);
    await lockRuns(client);
    const terms = await findTerms(client);
    if (terms === undefined) return undefined;
    const last = await findLastRun(client);
    const from = last?.toAt ?? terms.startsAt;
    const horizon = await readHorizon(client);
    if (horizon === undefined) return undefined;
    const to = endOf(from, new Date(Date.parse(horizon)), { ...deps, ...terms });
    if (to === undefined) return undefined;
    const period = { from, to, startsAt: terms.startsAt };
    const drafts = await readDrafts(client, period, terms);
    const isShort = Number(to) - Number(from) < MAX_SPAN_MS;
    if (drafts.length === 0 && terms.per === 'payment' && isShort) return undefined;
    const run = { run: (last?.run ?? 0) + 1, fromAt: from, toAt: to };
    await issueRun(client, deps, { run, terms, drafts });
    return drafts.length;
  });
}

/** Issues all invoices that are due. */
export async function issueInvoices(deps: IssueDeps, stopping?: AbortSignal): Promise<void> {
  const isStopped = (): boolean => stopping?.aborted === true;
  while (!isStopped() && (await issueNext(deps)) !== undefined);
}

/**
 * The end of the next period; undefined: it has not ended, so that something may still be added. Pure.
 * @param horizon no transfer before this time is added any more.
 */
export function periodEnd(
  from: Date,
  horizon: Date,
  { per, wireTime }: Pick<InvoicingTerms, 'per'> & { readonly wireTime: WireTime },
): Date | undefined {
  if (per === 'payment') {
    const to = new Date(Math.min(Number(horizon), Number(from) + MAX_SPAN_MS));
    return to > from ? to : undefined;
  }
  const month = periodOfMonth(wireTime.format(from).slice(0, 7), wireTime);
  return month !== undefined && month.to <= horizon ? month.to : undefined;
}

async function readDrafts(
  db: Queryable,
  period: Parameters<typeof readMovedFees>[1],
  { per }: InvoicingTerms,
): Promise<Draft[]> {
  const moved = await readMovedFees(db, period, per === 'payment');
  const movements: FeeMovement[] = [];
  for (const { chargedAt: at, ...movement } of moved) {
    const { vendorId, paymentId } = movement;
    const found = at === null ? undefined : await findInvoiceOf(db, { vendorId, paymentId, at });
    const invoiced = found && { invoiceId: found.invoiceId, number: numberText(found) };
    movements.push({ ...movement, invoiced: invoiced ?? null });
  }
  const prices = new Map((await listFeePrices(db, 'all')).map((row) => [row.version, row]));
  return draftsOf(movements, prices, per === 'payment');
}

interface Run {
  readonly run: Omit<RunRow, 'runAt'>;
  readonly terms: InvoicingTerms;
  readonly drafts: readonly Draft[];
}

async function issueRun(
  db: Queryable,
  { ledgerMac }: IssueDeps,
  { run, terms, drafts }: Run,
): Promise<void> {
  const issuedAt = await postingTime(db);
  const vendors = new Map((await listVendors(db)).map((row) => [row.vendorId, row]));
  const names = new Map((await listVendorNames(db)).map((row) => [row.vendorId, row]));
  const numbers = new Map<string, bigint>();
  for (const series of SERIES) numbers.set(series, await lastNumber(db, series));
  await insertRun(db, ledgerMac, { ...run, runAt: issuedAt });
  for (const draft of drafts) {
    const { vendorId, credits, paymentId, netCents, exciseCents, vatCents } = draft;
    const vendor = vendors.get(vendorId);
    if (vendor === undefined) throw new Error(`no vendor ${vendorId}`);
    const series = credits === null ? 'INV' : 'CN';
    const number = (numbers.get(series) ?? 0n) + 1n;
    numbers.set(series, number);
    const content: InvoiceContent = {
      seller: partyOf(terms),
      buyer: { vid: vendor.vid, ...partyOf(names.get(vendorId) ?? nameless(vendor)) },
      currency: 'KES',
      from: run.fromAt.toISOString(),
      to: run.toAt.toISOString(),
      credits: credits?.number ?? null,
      payment: paymentId === null ? null : encodeReference(vendorId, paymentId),
      needs_control: terms.needsControl,
      lines: draft.lines,
    };
    const row: InvoiceRow = {
      ...{ invoiceId: newId(), run: run.run, series, number, vendorId, issuedAt, paymentId },
      ...{ credits: credits?.invoiceId ?? null, netCents, exciseCents, vatCents },
      content: JSON.stringify(content),
    };
    await insertInvoice(db, ledgerMac, row);
    if (!terms.needsControl) await announceIssued(db, row);
  }
}

/** Tells the vendor that it can get the invoice. */
export async function announceIssued(db: Queryable, row: InvoiceRow): Promise<void> {
  const { vendorId, invoiceId } = row;
  const details = issuedEvent(row);
  await announceEvent(db, { vendorId, eventId: invoiceId, type: 'invoice.issued', details });
}

const partyOf = ({ legalName, pin, address }: PartyRow): InvoiceContent['seller'] => ({
  ...{ legal_name: legalName, pin, address },
});

const nameless = ({ name }: VendorRow): PartyRow => ({ legalName: name, pin: null, address: '' });
