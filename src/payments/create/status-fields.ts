import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney, moneyNumber } from '../../platform/base/money.ts';
import type { StatusRow } from './status-store.ts';
import { statusOf } from './payment.ts';

/** The answer of create, and the status until the payment is sent. */
export const QUEUED_TEXT = 'Transaction queued and pending processing';

/**
 * The text that vendors get for a payment's status, including the operator's fields (specification
 * §2.2).
 */
export function operatorFieldsOf(
  row: Omit<StatusRow, 'paymentId' | 'createdAt' | 'merchantReference'>,
  wireTime: WireTime,
) {
  return {
    biller_response_time:
      row.billerResponseTime === null ? null : wireTime.format(row.billerResponseTime),
    biller_reference: row.billerReference,
    transaction_status: statusOf(row.outcome, row.underWay),
    transaction_message: row.message,
    failure_code: row.failureCode,
    account: row.account,
    amount: moneyNumber(row.amountCents),
    biller_name: row.billerCode,
    details: row.details,
  };
}

/** The status of an answer or an event: 0 if the payment failed, otherwise 1. */
export function statusNumberOf({ outcome }: Pick<StatusRow, 'outcome'>): 0 | 1 {
  return outcome === 'failed' ? 0 : 1;
}

/** The state of the payment, for people. */
export function statusSentence(
  row: Pick<
    StatusRow,
    'outcome' | 'underWay' | 'amountCents' | 'billerCode' | 'account' | 'message'
  >,
): string {
  const payment = `KES ${formatMoney(row.amountCents)} to ${row.billerCode} for account ${row.account}`;
  const said = row.message === null || row.message === '' ? '' : `: ${row.message}`;
  switch (statusOf(row.outcome, row.underWay)) {
    case 'QUEUED':
      return QUEUED_TEXT;
    case 'PENDING':
      return `Sent ${payment}; the outcome is not known yet`;
    case 'SUCCESS':
      return `Paid ${payment}${said}`;
    case 'FAILED':
      return `Could not pay ${payment}${said}`;
  }
}
