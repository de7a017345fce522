import { pino } from 'pino';
import { createMetrics } from '../../src/metrics.ts';
import type { Metrics } from '../../src/metrics.ts';
import { PaymentNotes } from '../../src/payments/create/notes.ts';
import { Tallies } from '../../src/payments/dispatch/tallies.ts';
import type { PaymentMetrics } from '../../src/payments/metrics.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { MetricsRegistry } from '../../src/platform/gauges.ts';
import { LaneTallies } from '../../src/platform/lane-tallies.ts';

const log = pino({ level: 'silent' });

/** The payments wing of a process that has done nothing yet. */
export const IDLE_PAYMENTS: PaymentMetrics = {
  waitingCreates: 0,
  dispatcher: undefined,
  tallies: new Tallies(),
  notes: new PaymentNotes({ log, vidOf: () => undefined }),
};

/** The metrics of a process that has done nothing yet, on this database. */
export function metricsOf(pool: Pool, registry = new MetricsRegistry(log)): Metrics {
  return createMetrics({
    pool,
    registry,
    process: {
      roles: new Set(),
      isReady: async () => true,
      pools: () => [],
      lanes: new LaneTallies(),
      requestLog: { dropped: 0 },
      walArchive: undefined,
    },
    payments: IDLE_PAYMENTS,
    log,
  });
}
