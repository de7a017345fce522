import type { WireTime } from '../base/clock.ts';
import { moneyNumber } from '../base/money.ts';
import type { StatusRow } from './store.ts';
import { statusOf } from './transaction.ts';

/** What vendors are told of a transaction by its operator's word (specification §2.2). */
export function operatorFieldsOf(
  row: Omit<StatusRow, 'created_at' | 'merchant_reference' | 'details'>,
  wireTime: WireTime,
) {
  return {
    biller_response_time:
      row.biller_response_time === null ? null : wireTime.format(row.biller_response_time),
    biller_reference: row.biller_reference,
    transaction_status: statusOf(row.outcome, row.under_way),
    transaction_message: row.message,
    account: row.account,
    amount: moneyNumber(row.amount_cents),
    biller_name: row.biller_code,
  };
}

/** The status of an answer or an event: 0 when the transaction failed, otherwise 1. */
export function statusNumberOf({ outcome }: Pick<StatusRow, 'outcome'>): 0 | 1 {
  return outcome === 'failed' ? 0 : 1;
}
