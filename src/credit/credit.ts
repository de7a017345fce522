import type { Logger } from 'pino';
import { systemClock } from '../platform/base/clock.ts';
import type { Clock } from '../platform/base/clock.ts';
import { LANE_DEADLINE_MS } from '../platform/db/lane.ts';
import type { BucketOf, OnBatch } from '../platform/db/lane.ts';
import type { OpenPool, Pool } from '../platform/db/pool.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { startWatching } from './watches/job.ts';
import type { ReportOptions } from './reports/subject-report.ts';
import type { ScoreBatches } from './batches/batch.ts';
import type { RowRules } from './batches/chunk.ts';
import { createScoreBatches } from './batches/kind.ts';
import type { Bureau } from './bureaus/bureau.ts';
import { createMetropolBureau } from './bureaus/metropol/bureau.ts';
import type { MetropolOptions } from './bureaus/metropol/bureau.ts';
import { createRegistryBureau } from './bureaus/registry.ts';
import { startEnquiryRetention } from './enquiries/retention.ts';
import { createEnquiryService } from './enquiries/service.ts';
import type { EnquiryService } from './enquiries/service.ts';
import { openRegistryVault } from './registry/read-vault.ts';
import { openCards } from './governance/cards.ts';
import type { LiveCards } from './governance/cards.ts';
import { startMonitoring } from './monitoring/job.ts';
import type { CreditKeys } from './registry/vault.ts';

const RETENTION_EVERY_MS = 3_600_000;
/** Measuring reads every enquiry of a month, so it is not done at each scrape of the metrics. */
const MONITOR_EVERY_MS = 6 * 3_600_000;
/** Interval between two checks of a watched customer. */
const WATCH_EVERY_MS = 3_600_000;
const WATCH_POLL_MS = 10_000;
const BATCH_POLL_MS = 2_000;
const BATCH_LEASE_MS = 60_000;

export interface CreditOptions {
  readonly pool: Pool;
  /** Opens the wing's other pools. They are closed after the wing has stopped. */
  readonly openPool: OpenPool;
  /** Undefined: the credit registry is not configured. */
  readonly keys: CreditKeys | undefined;
  /** Default: all vendors are in one bucket. */
  readonly bucketOf?: BucketOf | undefined;
  readonly onBatch?: OnBatch;
  /** Makes enquiries of the rows of files. */
  readonly rules: RowRules;
  readonly roles: ReadonlySet<string>;
  readonly settings: CreditSettings;
  /** Default: the system clock. */
  readonly clock?: Clock;
  readonly log: Logger;
}

/** Values of the configuration. */
export interface CreditSettings {
  /** Number of database connections of the lane for enquiries. */
  readonly laneConnections: number;
  readonly timeZone: string;
  readonly creditRetentionDays: number;
  /** 0: enquiries are kept forever. */
  readonly creditEnquiryRetentionDays: number;
  /** Limit of each strict vendor; 0: no limit. */
  readonly creditMissesPerHour: number;
  /** Undefined: the built-in registry answers. */
  readonly metropol:
    | Omit<MetropolOptions, 'pool' | 'vault' | 'clock' | 'cards' | 'timeZone'>
    | undefined;
}

export interface Credit {
  /** Undefined when the credit registry is not configured. */
  readonly enquiryService: EnquiryService | undefined;
  /** Options of people's own reports. Undefined when the credit registry is not configured. */
  readonly reports: ReportOptions | undefined;
  /** Reloads the scorecards in force. */
  readonly reloadCards: () => Promise<void>;
  /** Undefined when the credit registry is not configured. */
  readonly scoreBatches: ScoreBatches | undefined;
  /** Starts batches, and with the role `jobs` the background jobs. */
  start(): void;
  /** Finishes current work. */
  stop(): Promise<void>;
}

/**
 * Builds the credit wing of one process.
 * Throws: `PlainError` if the registry was written under other keys.
 */
export async function openCredit(options: CreditOptions): Promise<Credit> {
  const { settings, log, clock = systemClock } = options;
  const cards = await openCards(options.pool);
  const enquiries = await openEnquiries(options, { clock, cards: cards.current });
  const retentionDays = settings.creditEnquiryRetentionDays;
  const jobs: PeriodicJob[] = [];
  return {
    enquiryService: enquiries?.service,
    reloadCards: cards.reload,
    scoreBatches: enquiries?.batches,
    reports: enquiries?.reports,
    start: () => {
      enquiries?.batches.start();
      if (!options.roles.has('jobs')) return;
      const { pool } = options;
      if (retentionDays > 0) {
        const everyMs = RETENTION_EVERY_MS;
        jobs.push(startEnquiryRetention({ pool, clock, retentionDays, everyMs, log }));
      }
      if (enquiries !== undefined) {
        const { creditRetentionDays: days, timeZone: zone } = settings;
        jobs.push(
          startWatching({
            pool,
            clock,
            timeZone: zone,
            retentionDays: days,
            cards: () => cards.current().champions,
            everyMs: WATCH_EVERY_MS,
            pollMs: WATCH_POLL_MS,
            log,
          }),
        );
        const { timeZone } = settings;
        jobs.push(startMonitoring({ pool, clock, timeZone, everyMs: MONITOR_EVERY_MS, log }));
      }
    },
    stop: async () => {
      await Promise.all(jobs.map(async (job) => await job.stop()));
      await enquiries?.batches.stop();
      await enquiries?.service.idle();
      await enquiries?.bureau.close();
    },
  };
}

interface Enquiries {
  readonly service: EnquiryService;
  readonly batches: ScoreBatches;
  readonly reports: ReportOptions;
  readonly bureau: Bureau;
}

async function openEnquiries(
  { pool, openPool, keys, bucketOf, onBatch, rules, settings, log }: CreditOptions,
  { clock, cards }: { readonly clock: Clock; readonly cards: LiveCards['current'] },
): Promise<Enquiries | undefined> {
  if (keys === undefined) return undefined;
  const vault = await openRegistryVault(pool, keys);
  const shared = { pool, vault, clock, cards, timeZone: settings.timeZone };
  const bureau =
    settings.metropol === undefined
      ? createRegistryBureau({ ...shared, retentionDays: settings.creditRetentionDays })
      : createMetropolBureau({ ...shared, ...settings.metropol });
  const service = createEnquiryService({
    pool,
    lanePool: openPool({ name: 'enquiries', max: settings.laneConnections, byIndexOnly: true }),
    laneConnections: settings.laneConnections,
    laneDeadlineMs: LANE_DEADLINE_MS,
    bucketOf,
    onBatch,
    vault,
    bureau,
    clock,
    missesPerHour: settings.creditMissesPerHour,
  });
  const batches = createScoreBatches({
    pool,
    vault,
    bureau,
    clock,
    missesPerHour: settings.creditMissesPerHour,
    rules,
    pollMs: BATCH_POLL_MS,
    leaseMs: BATCH_LEASE_MS,
    log,
  });
  const reports = { ...shared, retentionDays: settings.creditRetentionDays };
  return { service, batches, reports, bureau };
}
