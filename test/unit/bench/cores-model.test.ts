import { expect, test } from 'vitest';
import { estimate } from '../../../bench/cores-model.ts';
import type { Costs } from '../../../bench/cores-model.ts';

const COSTS: Costs = {
  apiMicros: 50,
  dispatcherMicros: 100,
  createMicros: 50,
  settleMicros: 100,
  contention: 0,
  laneRate: 20_000,
  walBytes: 1500,
  flushes: 0.01,
  flushSeconds: 0.0005,
};

test('without contention, a rate is three quarters of the cores divided by the cost', () => {
  const { creates, payments, postgresCores, apiProcesses, dispatchers } = estimate(COSTS, 16);
  // 16 × 0.75 ÷ 100 µs, and ÷ 300 µs.
  for (const rate of creates) expect(rate).toBeCloseTo(120_000, 3);
  for (const rate of payments) expect(rate).toBeCloseTo(40_000, 3);
  expect(postgresCores).toBeCloseTo(6, 6);
  // 40,000 × 50 µs and × 100 µs are 2 and 4 cores, three quarters busy.
  expect([apiProcesses, dispatchers]).toEqual([3, 6]);
});

test('contention costs PostgreSQL more with every core that it uses', () => {
  const contended = { ...COSTS, contention: 0.1 };
  const { creates, payments, postgresCores } = estimate(contended, 16);
  const [from, to] = payments;
  // What the processes need at this rate is what there is.
  expect((from * (150 + 150 * (1 + 0.1 * (postgresCores - 1)))) / 1e6).toBeCloseTo(12, 3);
  expect((to * (150 + 150 * 1.1)) / 1e6).toBeCloseTo(12, 3);
  expect(from).toBeLessThan(to);
  expect(creates[0]).toBeLessThan(creates[1]);
});

test('two cores use less than one of PostgreSQL, so contention is no part of it', () => {
  const { payments } = estimate({ ...COSTS, contention: 0.5 }, 2);
  for (const rate of payments) expect(rate).toBeCloseTo(5000, 3);
});

test('what is shared limits a machine with many cores', () => {
  const { laneConnections, walBytesPerSecond, flushShare } = estimate(COSTS, 16);
  expect(laneConnections).toBe(6);
  expect(walBytesPerSecond).toBeCloseTo(180_000_000, 0);
  // 120,000 × 0.01 flushes of 0.5 ms each.
  expect(flushShare).toBeCloseTo(0.6, 6);
});

test('contention that grows faster than the work leaves a rate, not an error', () => {
  const { payments } = estimate({ ...COSTS, contention: 2 }, 64);
  expect(payments[0]).toBeGreaterThan(0);
  expect(payments[0]).toBeLessThan(payments[1]);
});
