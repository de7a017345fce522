import type { AnyOperation } from '../../platform/http/operation.ts';
import { accountBalance } from './account-balance.ts';
import { billerProducts } from './biller-products.ts';
import { billerStatus } from './biller-status.ts';
import { bulkResult } from './bulk-result.ts';
import { bulkStatus } from './bulk-status.ts';
import { bulkUpload } from './bulk-upload.ts';
import { createPayment } from './create-payment.ts';
import { fundBillingAccount } from './fund.ts';
import { listBillers } from './list-billers.ts';
import { paymentStatus } from './payment-status.ts';
import { phoneLookup } from './phone-lookup.ts';
import { reportCollection } from './report-collection.ts';
import { validateAccount } from './validate-account.ts';

type DepsOf<Make extends (deps: never) => unknown> = Parameters<Make>[0];

export type FundingDeps = DepsOf<typeof fundBillingAccount> & DepsOf<typeof reportCollection>;

/** From collected income to the float. */
export function fundingOperations(deps: FundingDeps): AnyOperation[] {
  return [fundBillingAccount(deps), reportCollection(deps)];
}

export type BillingDeps = DepsOf<typeof billerStatus> &
  DepsOf<typeof createPayment> &
  DepsOf<typeof paymentStatus> &
  DepsOf<typeof validateAccount> &
  DepsOf<typeof accountBalance>;

/** Billers and payments. */
export function billingOperations(deps: BillingDeps): AnyOperation[] {
  return [
    listBillers(deps),
    billerStatus(deps),
    billerProducts(deps),
    createPayment(deps),
    paymentStatus(deps),
    validateAccount(deps),
    phoneLookup(deps),
    accountBalance(deps),
  ];
}

/** Many payments in one file. */
export function bulkOperations(deps: DepsOf<typeof bulkUpload>): AnyOperation[] {
  return [bulkUpload(deps), bulkStatus(deps), bulkResult(deps)];
}
