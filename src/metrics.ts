import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { addCreditMetrics } from './credit/metrics.ts';
import type { Tallies } from './payments/dispatch/tallies.ts';
import type { RequestLog } from './parties/request-log.ts';
import { addPaymentMetrics } from './payments/metrics.ts';
import { readBackupAgeSeconds } from './platform/backup/store.ts';
import type { Pool } from './platform/db/pool.ts';
import { readWorkers } from './platform/cluster/nodes.ts';
import { addGauge, gaugesOf } from './platform/gauges.ts';
import type { Answer } from './platform/http/request-log.ts';

export interface Metrics {
  readonly noteAnswer: (answer: Answer) => void;
  /** Prometheus text. */
  render(): Promise<string>;
  readonly contentType: string;
}

/** Requests, errors, durations, and amounts of money by account. No label holds personal data. */
export function createMetrics(options: {
  readonly pool: Pool;
  readonly waitingCreates: () => number;
  readonly callsUnderWay: () => number;
  readonly tallies: Tallies;
  readonly requestLog: Pick<RequestLog, 'dropped'>;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'malipo_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'malipo_request_duration_seconds',
    help: 'Time to answer',
    labelNames: ['method', 'route'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  addPaymentMetrics(registry, options);
  addCreditMetrics(registry, options.pool);
  addGauge(
    registry,
    'malipo_backup_age_seconds',
    'Age of the data in the last complete backup; absent if malipo backup has taken none',
    () => readBackupAgeSeconds(options.pool),
  );
  addGauge(
    registry,
    'malipo_request_log_dropped',
    'Requests that the request log of the console lacks: too many in a second, or the database could not be written',
    async () => options.requestLog.dropped,
  );
  const worker = gaugesOf(registry, async () => {
    worker.reset();
    for (const { address, answers } of await readWorkers(options.pool)) {
      worker.set({ worker: address }, answers ? 1 : 0);
    }
  })('malipo_worker_reachable', '1: the worker of the cluster answers', ['worker']);
  return {
    noteAnswer: ({ method, route, status, durationMs }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, durationMs / 1000);
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
