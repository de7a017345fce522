import type { Claim } from '../../src/payments/dispatch/store.ts';
import { BILLER } from './new-transaction.ts';

/** A claim of a payment of KES 100 that will be sent for the first time, with the given changes. */
export function newClaim(given: Partial<Claim> = {}): Claim {
  return {
    vendorId: 7,
    paymentId: '01a1fc5e-faf1-744c-8256-a929c9efcf61',
    billerCode: BILLER,
    stage: 'send',
    claimNumber: 1,
    attemptNumber: 1,
    verifyCount: 0,
    attemptAgeMs: 0,
    operatorHandle: null,
    account: '0123',
    phone: null,
    amountCents: 10_000n,
    operatorCode: 'kplc',
    operatorVersion: 1,
    wantedIndex: 0,
    ...given,
  };
}
