import type { FinalReport, SettleResult } from '../create/payment.ts';
import type { MatchedRow } from './case-facts.ts';
import { settledCents } from './match.ts';
import type { OurPayment } from './match.ts';

export interface RowReport {
  readonly row: MatchedRow;
  readonly report: FinalReport;
}

/** The rows’ reports about payments, one per payment. */
export function reportsOf(rows: readonly MatchedRow[], operator: string): RowReport[] {
  const reports = new Map<string, RowReport>();
  for (const row of rows) {
    const { payment, reported } = row.match ?? {};
    if (!payment || !reported || reports.has(payment.paymentId)) continue;
    reports.set(payment.paymentId, {
      row,
      report: reportOf(payment, { outcome: reported, row, operator }),
    });
  }
  return [...reports.values()];
}

export function verdictAfter(result: SettleResult | undefined, report: FinalReport): string {
  if (result === 'contradicted') return 'theirs_only';
  return report.outcome === 'success' ? 'settled' : 'reversed';
}

export function reportOf(
  payment: OurPayment,
  {
    outcome,
    row,
    operator,
  }: {
    readonly outcome: FinalReport['outcome'];
    readonly row: MatchedRow | null;
    readonly operator: string;
  },
): FinalReport {
  const { vendorId, paymentId, billerCode } = payment;
  const wasPaid = outcome === 'success';
  return {
    vendorId,
    paymentId,
    billerCode,
    outcome,
    paidCents: wasPaid && row !== null ? settledCents(payment, row.movement) : null,
    billerReference: wasPaid ? (row?.movement.operatorReference ?? null) : null,
    message: wasPaid
      ? 'Paid, as the operator’s statement says'
      : row === null
        ? 'Not executed: the operator’s statement does not list it'
        : 'Reversed, as the operator’s statement says',
    details: null,
    failureCode: wasPaid ? null : 'other',
    source: 'statement',
    operatorCode: operator,
  };
}
