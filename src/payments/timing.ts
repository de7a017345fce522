import type { RetryPolicy } from './dispatch/decide.ts';
import { WEBHOOK_POLICY } from './events/decide.ts';
import type { WebhookPolicy } from './events/decide.ts';

/** How often the wing looks for work, and how long it keeps trying, in milliseconds. */
export interface Timing {
  /** When an unknown outcome is verified, and an instruction that was not executed is sent again. */
  readonly retries: RetryPolicy;
  readonly webhooks: WebhookPolicy;
  /** How often to look for queued payments that no create announced. */
  readonly queuePollMs: number;
  /** How often to look for bulk batches that another process left. */
  readonly bulkPollMs: number;
  /** If a process decides no chunk of its batch for this long, another process takes the batch over. */
  readonly bulkLeaseMs: number;
  readonly webhookPollMs: number;
  readonly chainEveryMs: number;
  /** How often hours and days that are over are summed. */
  readonly sumsEveryMs: number;
  readonly retentionEveryMs: number;
  /** How often operators are asked for our float with them. */
  readonly floatPollMs: number;
  /** How often cases are read that say which payments a restore lost. */
  readonly lostPollMs: number;
  /** How often to look for operators' lists of products that are due. */
  readonly productPollMs: number;
  /** How often to look for billers whose time OFFLINE has ended. */
  readonly offlinePollMs: number;
  /** How often to look for operators' statements that are due. */
  readonly statementPollMs: number;
  /** How often vendors' floats are checked. */
  readonly vendorFloatPollMs: number;
  /** How often receipts are pulled from a provider whose confirmations may get lost. */
  readonly receiptPullEveryMs: number;
  /** How often to look for receipts to pull, and for claims that a process left. */
  readonly receiptPollMs: number;
}

export const PRODUCTION_TIMING: Timing = {
  retries: {
    verifyFirstMs: 2_000,
    verifyMaxMs: 300_000,
    resendFirstMs: 1_000,
    resendMaxMs: 60_000,
  },
  webhooks: WEBHOOK_POLICY,
  queuePollMs: 500,
  bulkPollMs: 2_000,
  bulkLeaseMs: 5_000,
  webhookPollMs: 500,
  chainEveryMs: 10_000,
  sumsEveryMs: 60_000,
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
