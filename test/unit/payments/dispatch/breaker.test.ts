import { expect, test } from 'vitest';
import { createFailureCounter } from '../../../../src/payments/dispatch/breaker.ts';

test('enough failures in a row open it, and then each further one until there is an answer', () => {
  const counter = createFailureCounter(3);
  const fails = (): boolean => counter.note('water', false);
  expect([fails(), fails(), fails()]).toEqual([false, false, true]);
  // After the cool-down, with the operator still down, one failure is enough.
  expect([fails(), fails()]).toEqual([true, true]);
  expect(counter.note('water', true)).toBe(false);
  expect([fails(), fails(), fails()]).toEqual([false, false, true]);
});

test('one biller’s failures are not another’s', () => {
  const counter = createFailureCounter(2);
  expect(counter.note('water', false)).toBe(false);
  expect(counter.note('power', false)).toBe(false);
  expect(counter.note('power', true)).toBe(false);
  expect(counter.note('water', false)).toBe(true);
});
