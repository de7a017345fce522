import { Gauge, collectDefaultMetrics } from 'prom-client';
import type { Logger } from 'pino';
import { addCreditMetrics } from './credit/metrics.ts';
import type { RequestLog } from './parties/request-log.ts';
import { addPaymentMetrics } from './payments/metrics.ts';
import type { PaymentMetrics } from './payments/metrics.ts';
import { programVersion } from './platform/program-version.ts';
import { findPurpose } from './platform/db/purpose-store.ts';
import { readBackupAgeSeconds, readWaitingWalBytes } from './platform/backup/store.ts';
import type { Pool } from './platform/db/pool.ts';
import { readWorkers } from './platform/cluster/nodes.ts';
import { MetricsRegistry, addGauge, gaugesOf } from './platform/gauges.ts';
import { countChanges } from './platform/history/processes-store.ts';
import { AnswerTallies } from './platform/http/answer-tallies.ts';
import type { Answer } from './platform/http/request-log.ts';
import type { LaneTallies } from './platform/lane-tallies.ts';

export interface Metrics {
  readonly noteAnswer: (answer: Answer) => void;
  /** Prometheus text. */
  render(): Promise<string>;
  readonly contentType: string;
}

/** Facts about the process that need no query. */
export interface ProcessState {
  readonly roles: ReadonlySet<string>;
  /** The result of `/health/ready`. */
  readonly isReady: () => Promise<boolean>;
  readonly pools: () => readonly NamedPool[];
  readonly lanes: Pick<LaneTallies, 'register'>;
  readonly requestLog: Pick<RequestLog, 'dropped'>;
  /** Undefined without `WAL_ARCHIVE`. */
  readonly walArchive:
    | { readonly ageSeconds: () => number; readonly missingSegments: () => number | null }
    | undefined;
  /** Null or absent: this process does not need a witness. */
  readonly witnessAgeSeconds?: (() => number | null) | undefined;
}

export interface NamedPool {
  readonly name: string;
  readonly max: number;
  readonly pool: Pool;
}

/** Requests, errors, durations, and amounts of money by account. No label holds personal data. */
export function createMetrics(options: {
  readonly pool: Pool;
  readonly process: ProcessState;
  readonly payments: PaymentMetrics;
  readonly log: Logger;
  /** Default: a new one. */
  readonly registry?: MetricsRegistry;
}): Metrics {
  const { pool, log, registry = new MetricsRegistry(log) } = options;
  collectDefaultMetrics({ register: registry });
  const tallies = new AnswerTallies();
  tallies.register(registry);
  addProcessMetrics(registry, options.process);
  addPaymentMetrics(registry, pool, options.payments);
  addCreditMetrics(registry, pool);
  addGauge(
    registry,
    'malipo_backup_age_seconds',
    'Age of the data in the last complete backup; before the first one, time since the first start of the service; absent in the sandbox before the first one',
    () => readUnsavedSeconds(pool),
  );
  addGauge(
    registry,
    'malipo_database_changes',
    'How often the database was found restored, replaced or promoted',
    () => countChanges(pool),
  );
  addGauge(
    registry,
    'malipo_database_witness_age_seconds',
    'Time since the state of the database was recorded outside of it, every ten seconds; only in processes with the role dispatcher, and absent with REQUIRE_DATABASE_WITNESS=false',
    () => options.process.witnessAgeSeconds?.() ?? null,
  );
  addArchiveMetrics(registry, pool, options.process);
  const worker = gaugesOf(registry, async () => {
    worker.reset();
    for (const { address, answers } of await readWorkers(pool)) {
      worker.set({ worker: address }, answers ? 1 : 0);
    }
  })('malipo_worker_reachable', '1: the worker of the cluster answers', ['worker']);
  return {
    noteAnswer: tallies.note,
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function addArchiveMetrics(
  registry: MetricsRegistry,
  pool: Pool,
  { walArchive }: ProcessState,
): void {
  addGauge(
    registry,
    'malipo_wal_archive_age_seconds',
    'Time since everything was in the archive of the write-ahead log; absent without WAL_ARCHIVE',
    () => walArchive?.ageSeconds() ?? null,
  );
  addGauge(
    registry,
    'malipo_wal_archive_missing_segments',
    'Segments that the archive lacks after the last backup, looked for every ten minutes; absent without WAL_ARCHIVE',
    () => walArchive?.missingSegments() ?? null,
  );
  addGauge(
    registry,
    'malipo_wal_archive_waiting_bytes',
    'Write-ahead log that the archive does not have yet; absent without WAL_ARCHIVE',
    async () => (walArchive === undefined ? null : await readWaitingWalBytes(pool)),
  );
}

function addProcessMetrics(registry: MetricsRegistry, state: ProcessState): void {
  new Gauge({
    name: 'malipo_build_info',
    help: 'Always 1; its labels describe the process',
    labelNames: ['version', 'node', 'roles'] as const,
    registers: [registry],
  }).set(
    { version: programVersion(), node: process.version, roles: [...state.roles].join(',') },
    1,
  );
  // Before every metric whose reading takes a connection, or a scrape would see only its own callers.
  addPoolMetrics(registry, state);
  addGauge(
    registry,
    'malipo_ready',
    '1: the process can do its work, as /health/ready says',
    async () => ((await state.isReady()) ? 1 : 0),
  );
  addGauge(
    registry,
    'malipo_request_log_dropped',
    'Requests that the request log of the console lacks: too many in a second, or the database could not be written',
    () => state.requestLog.dropped,
  );
  state.lanes.register(registry);
}

function addPoolMetrics(registry: MetricsRegistry, { pools }: ProcessState): void {
  const gauge = gaugesOf(registry, async () => {
    for (const { name, max, pool } of pools()) {
      connections.set({ pool: name, state: 'used' }, pool.totalCount - pool.idleCount);
      connections.set({ pool: name, state: 'idle' }, pool.idleCount);
      // A caller that an idle connection is about to serve does not wait for one.
      waiting.set({ pool: name }, Math.max(0, pool.waitingCount - pool.idleCount));
      limit.set({ pool: name }, max);
    }
  });
  const connections = gauge('malipo_pool_connections', 'Open database connections', [
    'pool',
    'state',
  ]);
  const waiting = gauge('malipo_pool_waiting', 'Callers that wait for a database connection', [
    'pool',
  ]);
  const limit = gauge('malipo_pool_connections_max', 'The most connections that the pool opens', [
    'pool',
  ]);
}

/** Before the first backup, the time since the first start of the service. Null in the sandbox. */
async function readUnsavedSeconds(pool: Pool): Promise<number | null> {
  const age = await readBackupAgeSeconds(pool);
  if (age !== null) return age;
  const made = await findPurpose(pool);
  return made?.purpose === 'production' ? (Date.now() - made.markedAt.getTime()) / 1000 : null;
}
