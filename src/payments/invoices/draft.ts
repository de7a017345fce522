import { formatMoney } from '../../platform/base/money.ts';
import type { FeeFormula } from '../prices/price.ts';
import { percentText } from '../prices/describe.ts';
import { NO_FEES, totalOf } from './invoice.ts';
import type { FeeSums, InvoiceLine } from './invoice.ts';

/** Fees that a vendor paid in a period, less those that it got back: of one payment, or of many with one price. */
export interface FeeMovement extends FeeSums {
  readonly vendorId: number;
  /** Null: of payments that nobody corrected. */
  readonly paymentId: string | null;
  readonly billerCode: string | null;
  readonly feePrice: number | null;
  readonly payments: number;
  /** The invoice with the latest charge before the period; null: there was none. */
  readonly invoiced: Invoiced | null;
}

/** An invoice that a credit note can name. */
export interface Invoiced {
  readonly invoiceId: string;
  readonly number: string;
}

export interface Draft extends FeeSums {
  readonly vendorId: number;
  /** The invoice that this credit note credits; null: this is an invoice. */
  readonly credits: Invoiced | null;
  readonly paymentId: string | null;
  readonly lines: readonly InvoiceLine[];
}

/**
 * The invoices and credit notes of a period, in the order of their numbers. What was charged and returned within the
 * period is on none. Pure.
 * @param isPerPayment an invoice for each payment.
 */
export function draftsOf(
  movements: readonly FeeMovement[],
  prices: ReadonlyMap<number, FeeFormula>,
  isPerPayment: boolean,
): Draft[] {
  const groups = Map.groupBy(movements, (movement) => groupOf(movement, isPerPayment));
  const drafts = [...groups.values()].flatMap((group) => draftOf(group, prices, isPerPayment));
  return drafts.toSorted(
    (one, other) =>
      one.vendorId - other.vendorId ||
      Number(one.credits !== null) - Number(other.credits !== null),
  );
}

const isReturn = (movement: FeeMovement): boolean =>
  movement.invoiced !== null && totalOf(movement) < 0n;

function groupOf(movement: FeeMovement, isPerPayment: boolean): string {
  const credited = isReturn(movement) ? movement.invoiced?.invoiceId : '';
  const payment = isPerPayment ? movement.paymentId : '';
  return [movement.vendorId, credited, payment].join(' ');
}

function draftOf(
  group: readonly FeeMovement[],
  prices: ReadonlyMap<number, FeeFormula>,
  isPerPayment: boolean,
): Draft[] {
  const [first] = group;
  if (first === undefined) return [];
  const credits = isReturn(first) ? first.invoiced : null;
  const lines = linesOf(group, prices, credits === null ? 1n : -1n);
  const sums = lines.reduce<FeeSums>((sum, line) => added(sum, line.sums), NO_FEES);
  if (totalOf(sums) === 0n) return [];
  return [
    {
      ...sums,
      vendorId: first.vendorId,
      credits,
      paymentId: isPerPayment ? first.paymentId : null,
      lines: lines.map(({ line }) => line),
    },
  ];
}

function linesOf(
  group: readonly FeeMovement[],
  prices: ReadonlyMap<number, FeeFormula>,
  sign: bigint,
): { readonly sums: FeeSums; readonly line: InvoiceLine }[] {
  const same = Map.groupBy(group, (one) => `${one.billerCode ?? ''} ${one.feePrice ?? ''}`);
  const sorted = [...same].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.flatMap(([, found]) => {
    const sums = found.reduce((sum, one) => added(sum, one, sign), NO_FEES);
    const [first] = found;
    if (first === undefined || totalOf(sums) === 0n) return [];
    const price = first.feePrice === null ? undefined : prices.get(first.feePrice);
    const payments = found.reduce((count, one) => count + one.payments, 0);
    return [{ sums, line: lineOf(first.billerCode, price, { ...sums, payments }) }];
  });
}

function lineOf(
  biller: string | null,
  price: FeeFormula | undefined,
  sums: FeeSums & { readonly payments: number },
): InvoiceLine {
  return {
    biller,
    excise_percent: price === undefined ? null : percentText(price.exciseBps ?? 0),
    vat_percent: price === undefined ? null : percentText(price.vatBps),
    payments: Math.abs(sums.payments),
    net: formatMoney(sums.netCents),
    excise: formatMoney(sums.exciseCents),
    vat: formatMoney(sums.vatCents),
    total: formatMoney(totalOf(sums)),
  };
}

function added(sum: FeeSums, more: FeeSums, sign = 1n): FeeSums {
  return {
    netCents: sum.netCents + sign * more.netCents,
    exciseCents: sum.exciseCents + sign * more.exciseCents,
    vatCents: sum.vatCents + sign * more.vatCents,
  };
}
