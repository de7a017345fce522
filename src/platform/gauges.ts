import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { isLostWorker } from './db/pool.ts';

/** While a worker of a cluster is away, gauges that need it have no value, and all others have one. */
function ignoreLostWorker(error: unknown): void {
  if (!isLostWorker(error)) throw error;
}

/**
 * Creates gauges that one reading sets. Each waits for that reading, otherwise a scrape would show
 * some of them with old values.
 */
export function gaugesOf(registry: Registry, read: () => Promise<void>) {
  let reading: Promise<void> | undefined;
  const collect = async (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await reading;
  };
  return <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Gauge<Label> => {
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        try {
          await collect();
        } catch (error) {
          ignoreLostWorker(error);
          gauge.reset();
          if (labelNames.length === 0) gauge.remove();
        }
      },
    });
    return gauge;
  };
}

/** Creates a gauge with its own reading; null: no value. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | null | Promise<number | null>,
): void {
  const readOrNone = async (): Promise<number | null> => {
    try {
      return await read();
    } catch (error) {
      ignoreLostWorker(error);
      return null;
    }
  };
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => {
      const value = await readOrNone();
      if (value === null) gauge.remove();
      else gauge.set(value);
    },
  });
}

/** Creates a counter of sums that something else keeps. */
export function addCounter<Label extends string>(
  registry: Registry,
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
