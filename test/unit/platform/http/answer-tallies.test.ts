import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MetricsRegistry } from '../../../../src/platform/gauges.ts';
import { AnswerTallies } from '../../../../src/platform/http/answer-tallies.ts';

const answer = {
  method: 'POST',
  status: 200,
  durationMs: 3,
  requestId: 'id',
  fields: undefined,
};

test('every scrape counts all answers until then, by both metrics', async () => {
  const registry = new MetricsRegistry(pino({ level: 'silent' }));
  const tallies = new AnswerTallies();
  tallies.register(registry);
  const noteMany = (route: string, count: number): void => {
    for (let index = 0; index < count; index += 1) tallies.note({ ...answer, route });
  };
  noteMany('/one', 300);
  noteMany('/other', 1);
  const first = await registry.metrics();
  expect(first).toContain('malipo_requests_total{method="POST",route="/one",status="200"} 300\n');
  expect(first).toContain('malipo_requests_total{method="POST",route="/other",status="200"} 1\n');
  noteMany('/one', 2);
  const { values } = await (registry.getSingleMetric('malipo_request_duration_seconds')?.get() ??
    expect.fail('no such metric'));
  const bucketOf = (le: number): unknown =>
    values.find(({ labels }) => labels.route === '/one' && labels.le === le)?.value;
  expect([bucketOf(0.002), bucketOf(0.005)]).toEqual([0, 302]);
});
