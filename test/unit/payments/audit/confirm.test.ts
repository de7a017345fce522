import { expect, test } from 'vitest';
import type { Violation } from '../../../../src/payments/audit/violation.ts';
import { findConfirmed } from '../../../../src/payments/audit/confirm.ts';

const found = (vendorId: number, detail: string): Violation => ({
  invariant: 'balances_equal_transfers',
  vendorId,
  detail,
});

/** Returns these results in turn; fails if it is called more often. */
function looks(...given: readonly Violation[][]): () => Promise<readonly Violation[]> {
  const left = [...given];
  return async () => left.shift() ?? expect.unreachable('one look too many');
}

test('a finding that is not repeated is not reported', async () => {
  expect(await findConfirmed([found(1, 'a')], looks([]))).toEqual([]);
});

test('a finding that a second run repeats in the same words is reported without a third run', async () => {
  const there = found(1, 'a');
  expect(await findConfirmed([there, found(2, 'b')], looks([there]))).toEqual([there]);
});

test('a finding whose amounts change is reported when three runs find it', async () => {
  const last = found(1, '3');
  expect(await findConfirmed([found(1, '1')], looks([found(1, '2')], [last]))).toEqual([last]);
  expect(await findConfirmed([found(1, '1')], looks([found(1, '2')], []))).toEqual([]);
});

test('a finding of a later run only waits for the next check', async () => {
  const there = found(1, 'a');
  expect(await findConfirmed([there], looks([there, found(2, 'new')]))).toEqual([there]);
});
