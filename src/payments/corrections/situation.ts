import type { Queryable } from '../../platform/db/pool.ts';
import { lockOperator } from '../billers/store.ts';
import { findDecidedAbout, HOUSE, lockCase } from '../cases/cases-store.ts';
import { findCase } from '../cases/read-cases.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { readKeptReceipts } from '../cases/kept-receipts-store.ts';
import { readRecordedPrices } from '../create/store.ts';
import { lockInstruction } from '../dispatch/recall-store.ts';
import { ensureAccounts, lockFloat } from '../ledger/store.ts';
import { readBalance } from '../ledger/read-balances.ts';
import { findOperatorPrice } from '../prices/store.ts';
import { readPayments } from '../reconciliation/store.ts';
import type { CaseFacts } from './case-facts.ts';
import { hasCorrection, readPostedTerms } from './corrections-store.ts';
import { otherTermsOf } from './other-terms.ts';
import type { HouseBalances } from './house-transfer.ts';
import { readLostPayment } from './read-lost-payment.ts';
import type { Situation } from './resolutions.ts';
import { sameMoneyOf } from './same-reference.ts';

/**
 * Undefined: the case does not exist. With `lock`, locked in the order of locks (README of payments): the operator, so
 * that no statement of it is being imported, which is compared with the books as they are when it begins; the books; the
 * case.
 */
export async function readCase(
  db: Queryable,
  caseId: string,
  { lock }: { readonly lock: boolean },
): Promise<CaseFacts | undefined> {
  const found = await findCase(db, caseId);
  if (found === undefined) return undefined;
  if (lock) {
    if (found.operatorCode !== null) await lockOperator(db, found.operatorCode);
    await lockBooks(db, found.vendorId);
  }
  const row = lock ? await lockCase(db, caseId) : found;
  if (row === undefined) return undefined;
  const situation = await readSituation(db, row);
  const { payment } = situation;
  const sameMoney = sameMoneyOf(row);
  return {
    row,
    situation,
    isCorrected: await hasCorrection(db, row),
    decidedBefore: sameMoney && (await findDecidedAbout(db, sameMoney)),
    instruction:
      payment === null || payment.outcome !== null ? undefined : await lockInstruction(db, payment),
  };
}

async function lockBooks(db: Queryable, vendorId: number): Promise<void> {
  // The accounts of vendor 0 are created by its first correction.
  await ensureAccounts(db, HOUSE, ['float']);
  await lockFloat(db, HOUSE);
  if (vendorId !== HOUSE) await lockFloat(db, vendorId);
}

async function readPayment(db: Queryable, row: CaseRow): Promise<Situation['payment']> {
  const { vendorId, paymentId, operatorCode: operator } = row;
  if (paymentId === null || operator === null) return null;
  const isCertain = row.kind === 'contradiction';
  const [payment] = await readPayments(db, operator, [{ vendorId, paymentId }], isCertain);
  if (payment === undefined) return null;
  const recorded = await readRecordedPrices(db, vendorId, paymentId);
  if (recorded === undefined) return null;
  const { executedBy, operatorPrice, ...fee } = recorded;
  const isAbout = operatorPrice !== null && executedBy === operator;
  const terms = isAbout ? await findOperatorPrice(db, operatorPrice) : undefined;
  const posted = await readPostedTerms(db, { vendorId, paymentId }, operator);
  const otherTerms = otherTermsOf(terms ?? null, payment.postedCents, posted);
  return { ...payment, ...fee, terms: terms ?? null, otherTerms };
}

async function readSituation(db: Queryable, row: CaseRow): Promise<Situation> {
  const payment = await readPayment(db, row);
  return {
    row,
    payment,
    lost: payment === null ? await readLostPayment(db, row) : null,
    floatCents: await readBalance(db, row.vendorId, 'float'),
    collectedCents: await readBalance(db, row.vendorId, 'collected'),
    exposureCents: await readBalance(db, row.vendorId, 'exposure'),
    keptCents: await readKeptCents(db, row),
    ...(await readHouseBalances(db, row)),
  };
}

async function readHouseBalances(
  db: Queryable,
  { operatorCode: code }: CaseRow,
): Promise<HouseBalances> {
  if (code === null) return { borneCents: 0n, receivableCents: 0n };
  return {
    borneCents: await readBalance(db, HOUSE, `operator:${code}`),
    receivableCents: await readBalance(db, HOUSE, `receivable:${code}`),
  };
}

/**
 * Returns the amount still credited from the receipt that the case is about; 0 if it is about something
 * else.
 */
async function readKeptCents(db: Queryable, row: CaseRow): Promise<bigint> {
  const { kind, vendorId, evidenceId } = row;
  if (evidenceId === null || (kind !== 'receipt_conflict' && kind !== 'receipt_reversed'))
    return 0n;
  return (await readKeptReceipts(db, vendorId, [evidenceId])).get(evidenceId) ?? 0n;
}
