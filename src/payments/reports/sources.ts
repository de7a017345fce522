import { isIncomeAccount } from '../ledger/account.ts';
import { encodeReference } from '../../parties/reference.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { HouseTransferRow } from '../house/store.ts';
import { findBooked } from '../payouts/store.ts';
import {
  findCollectionSources,
  findCorrectionSources,
  findPaymentSources,
} from './ledger-entries-store.ts';
import type { EntryRow } from './ledger-entries-store.ts';

/** The cause of a transfer in a vendor's books. */
export type TransferSource =
  | {
      readonly kind: 'payment';
      readonly reference: string;
      readonly biller: string;
      readonly merchantReference: string | null;
      /** That executed it; null: not known yet. */
      readonly operator: string | null;
      /** The operator's. */
      readonly operatorReference: string | null;
    }
  | { readonly kind: 'collection'; readonly collector: string; readonly reference: string }
  | { readonly kind: 'funding'; readonly reference: string }
  | {
      readonly kind: 'payout';
      readonly payoutId: string;
      /** Reference of the bank's transfer; null only if the payout was removed from the database. */
      readonly bankReference: string | null;
    }
  | { readonly kind: 'correction'; readonly caseId: string; readonly reference: string | null };

/** The cause of a transfer of the house. */
export type HouseSource =
  | { readonly kind: 'statement'; readonly statementId: string; readonly reference: string | null }
  | { readonly kind: 'journal'; readonly journalId: string; readonly reference: string | null }
  | { readonly kind: 'entry'; readonly entryId: string; readonly reference: string | null }
  | { readonly kind: 'receipt'; readonly receiptId: string; readonly reference: string | null };

/** The source of a transfer of the house. Pure. */
export function houseSourceOf(row: HouseTransferRow): HouseSource {
  const { source, statementId, sourceId, reference } = row;
  if (source === 'receipt' || source === 'reversal') {
    return { kind: 'receipt', receiptId: sourceId, reference };
  }
  if (source === 'journal') return { kind: 'journal', journalId: sourceId, reference };
  return statementId === null
    ? { kind: 'entry', entryId: sourceId, reference }
    : { kind: 'statement', statementId, reference };
}

type Caused = Pick<
  EntryRow,
  'vendorId' | 'sourceId' | 'createdAt' | 'debitAccount' | 'creditAccount'
>;

/** The source of each transfer, in their order. */
export async function findSources(
  db: Queryable,
  transfers: readonly Caused[],
): Promise<TransferSource[]> {
  const isIncome = ({ debitAccount, creditAccount }: Caused): boolean =>
    creditAccount === 'collected' && isIncomeAccount(debitAccount);
  const isFunding = (row: Caused): boolean => pairOf(row) === 'collected>float';
  const isPayout = ({ debitAccount, creditAccount }: Caused): boolean =>
    creditAccount.startsWith('bank:') || creditAccount === 'held' || debitAccount === 'held';
  const others = transfers.filter((row) => !isIncome(row) && !isFunding(row) && !isPayout(row));
  const payments = byKey(await findPaymentSources(db, others));
  const corrections = byKey(
    await findCorrectionSources(
      db,
      others.filter((row) => !payments.has(keyOf(row))),
    ),
  );
  const incomes = await findCollectionSources(db, transfers.filter(isIncome));
  const booked = await findBooked(
    db,
    transfers.filter(isPayout).map(({ sourceId }) => sourceId),
  );
  const collections = new Map(incomes.map((row) => [row.sourceId, row]));
  return transfers.map((row) => {
    const { vendorId, sourceId } = row;
    if (isPayout(row)) {
      const bankReference = booked.get(sourceId)?.reference ?? null;
      return { kind: 'payout', payoutId: sourceId, bankReference };
    }
    const payment = payments.get(keyOf(row));
    if (payment !== undefined) {
      return {
        kind: 'payment',
        reference: encodeReference(vendorId, sourceId),
        biller: payment.billerCode,
        merchantReference: payment.merchantReference,
        operator: payment.operatorCode,
        operatorReference: payment.billerReference,
      };
    }
    const correction = corrections.get(keyOf(row));
    if (correction !== undefined) {
      const { caseId, paymentId } = correction;
      // One between our own accounts names its payment, not the vendor.
      const reference =
        paymentId === null || vendorId === 0 ? null : encodeReference(vendorId, paymentId);
      return { kind: 'correction', caseId, reference };
    }
    const income = collections.get(sourceId);
    if (income !== undefined) {
      return { kind: 'collection', collector: income.collector, reference: income.reference };
    }
    return { kind: 'funding', reference: encodeReference(vendorId, sourceId) };
  });
}

function pairOf({ debitAccount, creditAccount }: Caused): string {
  return `${debitAccount}>${creditAccount}`;
}

function keyOf({ vendorId, sourceId }: Pick<Caused, 'vendorId' | 'sourceId'>): string {
  return `${vendorId} ${sourceId}`;
}

function byKey<Row extends Pick<Caused, 'vendorId' | 'sourceId'>>(
  rows: readonly Row[],
): Map<string, Row> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}
