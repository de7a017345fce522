import { formatMoney } from '../../../platform/base/money.ts';
import type { PaymentInstruction, StatusQuery } from '../../dispatch/connector.ts';

/** What expressions see of a payment. */
export function inputOf(about: PaymentInstruction | StatusQuery) {
  return {
    reference: about.reference,
    attempt: about.attemptNumber,
    biller: about.billerCode,
    account: about.account,
    phone: 'phone' in about ? (about.phone ?? '') : '',
    amount: formatMoney(about.amountCents),
    amount_cents: about.amountCents.toString(),
    handle: about.operatorHandle ?? '',
  };
}
