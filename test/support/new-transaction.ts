import { newId } from '../../src/platform/base/ids.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { fixturePrice } from './fee-prices.ts';

/** The biller that test payments go to. */
export const BILLER = 'kplc_prepaid';

/**
 * A payment of KES 100 without fee, reference or duplicate check, with the given changes. A fee must be
 * one of the fixture's prices.
 */
export function newPayment(given: Pick<NewPayment, 'vendorId'> & Partial<NewPayment>): NewPayment {
  const feeCents = given.feeCents ?? 0n;
  const isSecond = given.billerCode !== undefined && given.billerCode !== BILLER;
  return {
    paymentId: newId(),
    billerCode: BILLER,
    account: '0123456789',
    phone: null,
    amountCents: 10_000n,
    feeCents,
    vatCents: 0n,
    feePrice: fixturePrice(feeCents, isSecond),
    merchantReference: null,
    duplicateSeconds: 0,
    ...given,
  };
}
