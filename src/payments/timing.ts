import type { RetryPolicy } from './dispatch/next-step.ts';
import type { DetailsPolicy } from './dispatch/late-details.ts';
import { WEBHOOK_POLICY } from './events/webhook-policy.ts';
import type { WebhookPolicy } from './events/webhook-policy.ts';

/** Intervals, time limits and leases of the wing's work, in milliseconds. */
export interface Timing {
  /** When an unknown outcome is verified, and an instruction that was not executed is sent again. */
  readonly retries: RetryPolicy;
  /** When operators are asked for details that they owe. */
  readonly details: DetailsPolicy;
  /** Interval of the search for payments whose details are to be asked for. */
  readonly detailsPollMs: number;
  readonly webhooks: WebhookPolicy;
  /** Interval of the search for queued payments that no create announced. */
  readonly queuePollMs: number;
  /** Interval of the search for bulk batches that another process left. */
  readonly bulkPollMs: number;
  /** If a process decides no chunk of its batch for this long, another process takes the batch over. */
  readonly bulkLeaseMs: number;
  readonly webhookPollMs: number;
  readonly chainEveryMs: number;
  /** Interval of the search for a period of which invoices or a summary journal are to be made. */
  readonly invoicesEveryMs: number;
  /** Interval of summing hours and days that have ended. */
  readonly sumsEveryMs: number;
  readonly retentionEveryMs: number;
  /** Interval of asking operators for our float with them. */
  readonly floatPollMs: number;
  /** Interval of reading the cases that say which payments a restore lost. */
  readonly lostPollMs: number;
  /** Interval of the search for operators' lists of products that are due. */
  readonly productPollMs: number;
  /** Interval of the search for billers whose time OFFLINE has ended. */
  readonly offlinePollMs: number;
  /** Interval of the search for operators' statements that are due. */
  readonly statementPollMs: number;
  /** Interval of checking vendors' floats. */
  readonly vendorFloatPollMs: number;
  /** Interval of pulling receipts from a provider whose confirmations may get lost. */
  readonly receiptPullEveryMs: number;
  /** Interval of the search for receipts to pull, and for claims that a process left. */
  readonly receiptPollMs: number;
}

export const PRODUCTION_TIMING: Timing = {
  retries: {
    verifyFirstMs: 2_000,
    verifyMaxMs: 300_000,
    resendFirstMs: 1_000,
    resendMaxMs: 60_000,
  },
  details: { firstMs: 4_000, maxMs: 3_600_000 },
  detailsPollMs: 2_000,
  webhooks: WEBHOOK_POLICY,
  queuePollMs: 500,
  bulkPollMs: 2_000,
  bulkLeaseMs: 5_000,
  webhookPollMs: 500,
  chainEveryMs: 10_000,
  sumsEveryMs: 60_000,
  invoicesEveryMs: 60_000,
  retentionEveryMs: 3_600_000,
  floatPollMs: 30_000,
  lostPollMs: 15_000,
  productPollMs: 60_000,
  offlinePollMs: 5_000,
  statementPollMs: 60_000,
  vendorFloatPollMs: 15_000,
  receiptPullEveryMs: 180_000,
  receiptPollMs: 5_000,
};

/** In the sandbox every account suffix but 9909 must reach its final outcome within 20 s. */
export const SANDBOX_TIMING: Timing = {
  ...PRODUCTION_TIMING,
  retries: {
    verifyFirstMs: 400,
    verifyMaxMs: 60_000,
    resendFirstMs: 400,
    resendMaxMs: 30_000,
  },
};
