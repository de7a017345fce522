import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MetricsRegistry, addGauge, gaugesOf } from '../../../src/platform/gauges.ts';

const DEADLINE_MS = 5;

function makeRegistry(): { readonly registry: MetricsRegistry; readonly lines: string[] } {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  return { registry: new MetricsRegistry(log, DEADLINE_MS), lines };
}

test('failed readings leave their gauges without a value, and all others with theirs', async () => {
  const { registry, lines } = makeRegistry();
  let fails = false;
  const gauge = gaugesOf(registry, async () => {
    if (fails) throw new Error('gone');
    plain.set(1);
    labelled.set({ kind: 'a' }, 2);
  });
  const plain = gauge('plain', 'x');
  const labelled = gauge('labelled', 'x', ['kind']);
  addGauge(registry, 'other', 'x', () => 3);
  expect(await registry.metrics()).toMatch(/^plain 1\n[^]*^labelled\{kind="a"\} 2$/m);
  fails = true;
  for (let scrape = 0; scrape < 2; scrape += 1) {
    const text = await registry.metrics();
    expect(text).not.toMatch(/^(plain|labelled)\b/m);
    expect(text).toMatch(/^other 3$/m);
  }
  // Once for both gauges; the log has the first of them.
  expect(await registry.metrics()).toMatch(/^malipo_metric_read_failures_total [23]$/m);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"metric":"plain"');
  fails = false;
  expect(await registry.metrics()).toMatch(/^plain 1$/m);
});

test('a reading that takes too long does not hold a scrape up, and is not started a second time', async () => {
  const { registry } = makeRegistry();
  const gate = Promise.withResolvers<number>();
  let readings = 0;
  addGauge(registry, 'slow', 'x', async () => {
    readings += 1;
    return await gate.promise;
  });
  expect(await registry.metrics()).not.toMatch(/^slow /m);
  expect(await registry.metrics()).not.toMatch(/^slow /m);
  expect(readings).toBe(1);
  gate.resolve(7);
  expect(await registry.metrics()).toMatch(/^slow 7$/m);
});
