import { formatMoney } from '../../../platform/base/money.ts';
import type { PaymentInstruction, StatusQuery } from '../../operator-outcomes.ts';
import type { HttpSettings } from './settings.ts';

/** The values of a payment that expressions can use. */
export function inputOf(about: PaymentInstruction | StatusQuery, billers: HttpSettings['billers']) {
  const { reference, billerCode, amountCents } = about;
  return {
    reference,
    attempt: about.attemptNumber,
    biller: billerCode,
    service: serviceOf(billerCode, billers) ?? {},
    account: about.account,
    phone: 'phone' in about ? (about.phone ?? '') : '',
    amount: formatMoney(amountCents),
    amount_cents: amountCents.toString(),
    // Absent if the amount has cents.
    ...(amountCents % 100n === 0n && { amount_whole: (amountCents / 100n).toString() }),
    handle: about.operatorHandle ?? '',
  };
}

/** Undefined: the operator's settings have no such biller. */
export function serviceOf(billerCode: string, billers: HttpSettings['billers']) {
  return Object.hasOwn(billers, billerCode) ? billers[billerCode] : undefined;
}
