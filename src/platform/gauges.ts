import type { Logger } from 'pino';
import { Counter, Gauge, Registry } from 'prom-client';
import { systemTimers, within } from './base/timers.ts';

/** A scrape waits this long for each reading. Prometheus gives up after 10 s. */
const READ_DEADLINE_MS = 3_000;

/**
 * The metrics of a process. A scrape is answered in every state of the database: while a reading
 * fails or takes too long, its gauges have no value and all others have one.
 */
export class MetricsRegistry extends Registry {
  readonly #log: Logger;
  readonly #deadlineMs: number;
  readonly #failures: Counter;

  constructor(log: Logger, deadlineMs = READ_DEADLINE_MS) {
    super();
    this.#log = log;
    this.#deadlineMs = deadlineMs;
    this.#failures = new Counter({
      name: 'malipo_metric_read_failures_total',
      help: 'Readings of metrics that failed or took too long; their metrics had no value',
      registers: [this],
    });
  }

  /**
   * A reading that many gauges share. It returns whether it succeeded in time. Of failures in a row
   * the first is logged.
   * @param name of a metric that it sets.
   */
  reading(name: string, read: () => Promise<void>): () => Promise<boolean> {
    let underWay: Promise<void> | undefined;
    let attempt: Promise<boolean> | undefined;
    let failed = false;
    const readInTime = async (): Promise<boolean> => {
      try {
        // One that was too slow for a scrape is not started a second time.
        underWay ??= read().finally(() => {
          underWay = undefined;
        });
        await within(systemTimers, underWay, {
          ms: this.#deadlineMs,
          message: 'the reading took too long',
        });
        failed = false;
      } catch (error) {
        this.#failures.inc();
        if (!failed) this.#log.warn({ err: error, metric: name }, 'a metric could not be read');
        failed = true;
      }
      return !failed;
    };
    return async () => {
      attempt ??= readInTime().finally(() => {
        attempt = undefined;
      });
      return await attempt;
    };
  }
}

/**
 * Creates gauges that one reading sets. Each waits for that reading, otherwise a scrape would show
 * some of them with old values.
 */
export function gaugesOf(registry: MetricsRegistry, read: () => Promise<void>) {
  let reading: (() => Promise<boolean>) | undefined;
  return <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Gauge<Label> => {
    reading ??= registry.reading(name, read);
    const collect = reading;
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        if (await collect()) return;
        gauge.reset();
        if (labelNames.length === 0) gauge.remove();
      },
    });
    return gauge;
  };
}

/** Creates a gauge with its own reading; null: no value. */
export function addGauge(
  registry: MetricsRegistry,
  name: string,
  help: string,
  read: () => number | null | Promise<number | null>,
): void {
  const gauge = gaugesOf(registry, async () => {
    const value = await read();
    if (value === null) gauge.remove();
    else gauge.set(value);
  })(name, help);
}

/** Creates a counter of sums that something else keeps. */
export function addCounter<Label extends string>(
  registry: MetricsRegistry,
  options: {
    readonly name: string;
    readonly help: string;
    readonly labelNames: readonly Label[];
    readonly read: () => Iterable<{
      readonly labels: Readonly<Record<Label, string>>;
      readonly sum: number;
    }>;
  },
): void {
  const { read, ...about } = options;
  const counter: Counter<Label> = new Counter({
    ...about,
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const { labels, sum } of read()) counter.inc(labels, sum);
    },
  });
}
