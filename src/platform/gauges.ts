import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

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
  ): Gauge<Label> => new Gauge({ name, help, labelNames, registers: [registry], collect });
}

/** Creates a gauge with its own reading; null: no value. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | null | Promise<number | null>,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => {
      const value = await read();
      if (value === null) gauge.remove();
      else gauge.set(value);
    },
  });
}
