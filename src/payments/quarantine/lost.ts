import type { Logger } from 'pino';
import { encodeReference } from '../../parties/reference.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { normaliseAccount } from '../billers/account.ts';
import type { Biller } from '../billers/biller.ts';
import type { LostLookup } from '../create/create-rules.ts';
import { listLost } from './read-lost.ts';
import type { LostPaymentRow } from './read-lost.ts';

/** The payments that open cases say a restore lost, in memory: usually none, so that creates cost nothing. */
export interface LostPayments {
  /** The reference of a lost payment that the request may be a repeat of. */
  readonly find: LostLookup;
  readonly reload: () => Promise<void>;
}

/**
 * A statement does not have the vendor's own reference, so that of a lost payment is unknown: any request for
 * the same account and about the same amount may be its repeat. The statement may list the amount with the
 * operator's terms, which are at most a tenth of it.
 */
export function isMaybeRepeat(
  lost: LostPaymentRow,
  request: { readonly billerCode: string; readonly account: string; readonly amountCents: bigint },
  biller: Pick<Biller, 'accountFormat'> | undefined,
): boolean {
  if (lost.account === null) return false;
  if (lost.billerCode !== null && lost.billerCode !== request.billerCode) return false;
  if (normaliseAccount(lost.account, biller) !== request.account) return false;
  const away = lost.amountCents - request.amountCents;
  return (away < 0n ? -away : away) * 10n <= request.amountCents;
}

export function createLostPayments(pool: Pool): LostPayments {
  let byVendor = new Map<number, LostPaymentRow[]>();
  return {
    find: (vendorId, request, biller) => {
      const lost = byVendor.get(vendorId)?.find((row) => isMaybeRepeat(row, request, biller));
      return lost && encodeReference(vendorId, lost.paymentId);
    },
    reload: async () => {
      const rows = await listLost(pool);
      const next = new Map<number, LostPaymentRow[]>();
      for (const row of rows) next.set(row.vendorId, [...(next.get(row.vendorId) ?? []), row]);
      byVendor = next;
    },
  };
}

/** A statement that is imported while the service runs may show that payments were lost. */
export function watchLost(
  lost: LostPayments,
  { timing, log }: { readonly timing: { readonly lostPollMs: number }; readonly log: Logger },
): PeriodicJob {
  return startPeriodicJob({
    everyMs: timing.lostPollMs,
    work: lost.reload,
    failureText: 'the cases about lost payments could not be read',
    log,
  });
}
