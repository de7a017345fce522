import { endOfflinePeriods } from './billers/administer.ts';
import { endKeptKeys } from './billers/administer-operator-key.ts';
import type { Logger } from 'pino';
import type { Clock, WireTime } from '../platform/base/clock.ts';
import type { Mac } from '../platform/base/mac.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import { startPeriodicJob } from '../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import type { OpenPool, Pool } from '../platform/db/pool.ts';
import type { Restores } from '../platform/history/keeper.ts';
import type { BillerCatalogue } from './billers/catalogue.ts';
import type { Connector } from '../connectors/operator.ts';
import { listInstructedVersions } from './dispatch/queue-totals-store.ts';
import { startFloatWatch } from './dispatch/float-watch.ts';
import { startHandleRetention } from './dispatch/kept-handles.ts';
import { startProductWatch } from './dispatch/product-watch.ts';
import { startEventRetention } from './events/retention.ts';
import { startWebhookSender } from './events/sender.ts';
import { startChainBuilder } from './ledger/chain-builder.ts';
import { startSums } from './ledger/sums.ts';
import { issueInvoices } from './invoices/issue.ts';
import { makeSummaries } from './summaries/make.ts';
import { undoAndLog } from './quarantine/forged.ts';
import { findOpenQuarantine } from './quarantine/read-quarantine.ts';
import { pullDueStatements } from './reconciliation/pull.ts';
import type { TopUpDeps } from './vendor-floats/top-up.ts';
import { topUpFloats } from './vendor-floats/top-up.ts';
import { watchVendorFloats } from './vendor-floats/watch.ts';
import type { Timing } from './timing.ts';

export interface JobOptions extends Pick<TopUpDeps, 'directory' | 'source'> {
  readonly pool: Pool;
  readonly openPool: OpenPool;
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  /** Decrypts the signing keys of webhooks. */
  readonly masterKeys: MasterKeys;
  readonly ledgerMac: Mac;
  /** Restores of the database; absent: none is expected. */
  readonly restores?: Restores;
  readonly wireTime: WireTime;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly log: Logger;
}

export interface PaymentJobs {
  /** @param graceLeftMs for deliveries in progress. */
  stop(graceLeftMs: () => number): Promise<void>;
}

/** The wing's background jobs: the hash chain, webhooks, retention, floats, statements. */
export function startPaymentJobs(options: JobOptions): PaymentJobs {
  const { pool, clock, timing, log } = options;
  const chain = startChainBuilder({
    pool,
    mac: options.ledgerMac,
    restores: options.restores,
    everyMs: timing.chainEveryMs,
    log,
  });
  const sums = startSums({ pool, everyMs: timing.sumsEveryMs, log });
  const invoices = startNumbered(options, issueInvoices, 'invoices');
  const summaries = startNumbered(options, makeSummaries, 'summary journals');
  const retention = startEventRetention({
    pool,
    clock,
    everyMs: timing.retentionEveryMs,
    log,
  });
  const handles = startHandleRetention({ pool, clock, everyMs: timing.retentionEveryMs, log });
  const formerKeys = startFormerKeyRetention(options);
  const floats = startFloatWatch({
    pool,
    catalogue: options.catalogue,
    connectorOf: options.connectorOf,
    everyMs: timing.floatPollMs,
    log,
  });
  const products = startProductWatch({ ...options, pollMs: timing.productPollMs });
  const statements = startStatementPull(options);
  const vendorFloats = startVendorFloats(options);
  const offline = startOfflineEnds(options);
  const releases = startReleaseWatch(options);
  const sender = startWebhookSender({
    pool: options.openPool({ name: 'webhooks', max: 2, byIndexOnly: true }),
    masterKeys: options.masterKeys,
    wireTime: options.wireTime,
    policy: timing.webhooks,
    pollMs: timing.webhookPollMs,
    log,
  });
  return {
    stop: async (graceLeftMs) => {
      await sender.stop(graceLeftMs());
      await releases.stop();
      await offline.stop();
      await vendorFloats.stop();
      await statements.stop();
      await products.stop();
      await floats.stop();
      await formerKeys.stop();
      await handles.stop();
      await retention.stop();
      await summaries.stop();
      await invoices.stop();
      await sums.stop();
      await chain.stop();
    },
  };
}

/** Does nothing during a quarantine: what the ledger lacks would be missing for good in what is numbered. */
function startNumbered(
  options: JobOptions,
  make: (options: JobOptions, stopping: AbortSignal) => Promise<void>,
  what: string,
): PeriodicJob {
  const { pool, timing, log } = options;
  return startPeriodicJob({
    everyMs: timing.invoicesEveryMs,
    atOnce: true,
    work: async (stopping) => {
      if ((await findOpenQuarantine(pool)) === undefined) await make(options, stopping);
    },
    failureText: `${what} could not be made`,
    log,
  });
}

/** Pulls nothing during a quarantine: people first restore what the ledger lacks. */
function startStatementPull(options: JobOptions): PeriodicJob {
  const { pool, catalogue, timing } = options;
  const deps = {
    ...options,
    operatorCodes: () => catalogue.operators().map(({ operatorCode }) => operatorCode),
  };
  return startPeriodicJob({
    everyMs: timing.statementPollMs,
    atOnce: true,
    work: async (stopping) => {
      if ((await findOpenQuarantine(pool)) === undefined) await pullDueStatements(deps, stopping);
    },
    failureText: 'statements could not be pulled',
    log: options.log,
  });
}

/** Does nothing during a quarantine, when no money may move automatically. */
function startVendorFloats(options: JobOptions): PeriodicJob {
  const { pool, timing, log } = options;
  return startPeriodicJob({
    everyMs: timing.vendorFloatPollMs,
    atOnce: true,
    work: async (stopping) => {
      if ((await findOpenQuarantine(pool)) !== undefined) return;
      await watchVendorFloats({ pool, log });
      await topUpFloats(options, stopping);
    },
    failureText: 'vendors’ floats could not be checked',
    log,
  });
}

/** Deletes keys of merchant accounts that are no longer used and have no instruction left. */
function startFormerKeyRetention({ pool, timing, log }: JobOptions): PeriodicJob {
  return startPeriodicJob({
    everyMs: timing.retentionEveryMs,
    atOnce: true,
    work: async () => await endKeptKeys(pool, listInstructedVersions),
    failureText: 'operators’ former keys could not be removed',
    log,
  });
}

/** Processes look when billers change; this also finds a release that nobody was told of. */
function startReleaseWatch(options: JobOptions): PeriodicJob {
  return startPeriodicJob({
    everyMs: options.timing.lostPollMs,
    work: async () => await undoAndLog(options),
    failureText: 'releases of quarantines could not be verified',
    log: options.log,
  });
}

function startOfflineEnds({ pool, timing, log }: JobOptions): PeriodicJob {
  return startPeriodicJob({
    everyMs: timing.offlinePollMs,
    atOnce: true,
    work: async () => {
      for (const billerCode of await endOfflinePeriods(pool)) {
        log.warn(
          { biller: billerCode },
          'the biller is ONLINE again: its OFFLINE period has ended',
        );
      }
    },
    failureText: 'billers whose OFFLINE period has ended could not be set ONLINE',
    log,
  });
}
