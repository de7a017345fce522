import { newId } from '../../src/platform/base/ids.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';

/** The biller that test payments go to. */
export const BILLER = 'kplc_prepaid';

/** A payment of KES 100 without fee, reference or duplicate check, but for what is given. */
export function newPayment(given: Pick<NewPayment, 'vendorId'> & Partial<NewPayment>): NewPayment {
  return {
    paymentId: newId(),
    billerCode: BILLER,
    account: '0123456789',
    phone: null,
    amountCents: 10_000n,
    feeCents: 0n,
    merchantReference: null,
    duplicateCheck: false,
    ...given,
  };
}
