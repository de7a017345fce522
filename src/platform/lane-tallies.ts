import { Histogram } from 'prom-client';
import type { LaneCall } from './db/lane.ts';
import type { MetricsRegistry } from './gauges.ts';

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const common = { labelNames: ['lane'] as const, registers: [] };

/** Metrics of the lanes of one process. */
export class LaneTallies {
  readonly #rows = new Histogram({
    ...common,
    name: 'malipo_lane_batch_rows',
    help: 'Items that a lane commits or reads together',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
  });
  readonly #waits = new Histogram({
    ...common,
    name: 'malipo_lane_wait_seconds',
    help: 'How long the oldest item of a batch had waited when its batch began',
    buckets: SECONDS,
  });
  readonly #durations = new Histogram({
    ...common,
    name: 'malipo_lane_batch_seconds',
    help: 'How long a batch took, with its repetitions after lost connections',
    buckets: SECONDS,
  });

  readonly #batches = new Map<string, number>();

  readonly note = ({ lane, rows, waitedMs, tookMs }: LaneCall): void => {
    const labels = { lane };
    this.#batches.set(lane, this.batchesOf(lane) + 1);
    this.#rows.observe(labels, rows);
    this.#waits.observe(labels, waitedMs / 1000);
    this.#durations.observe(labels, tookMs / 1000);
  };

  /** The number of batches that a lane has committed or read since the start. */
  batchesOf(lane: string): number {
    return this.#batches.get(lane) ?? 0;
  }

  register(registry: MetricsRegistry): void {
    for (const metric of [this.#rows, this.#waits, this.#durations])
      registry.registerMetric(metric);
  }
}
