import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../../src/platform/base/errors.ts';
import { createTokenBuckets } from '../../../../src/platform/base/token-buckets.ts';
import { createRateLimits, networkOf } from '../../../../src/platform/http/rate-limits.ts';

describe('token buckets', () => {
  test('token buckets allow each name a burst, then a rate per second', () => {
    let now = 0;
    const options = { perSecond: 2, burst: 3, maxNames: 10, nowMs: () => now };
    const buckets = createTokenBuckets(options);
    expect([1, 2, 3].map(() => buckets.take('a'))).toEqual([0, 0, 0]);
    expect(buckets.take('a')).toBe(1);
    expect(buckets.take('b')).toBe(0);
    now = 499;
    expect(buckets.take('a')).toBe(1);
    now = 500;
    expect(buckets.take('a')).toBe(0);
    now = 1_000_000;
    expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 1]);
  });

  test('report how long to wait', () => {
    const buckets = createTokenBuckets({ perSecond: 0.1, burst: 1, maxNames: 1, nowMs: () => 0 });
    buckets.take('a');
    expect(buckets.take('a')).toBe(10);
  });

  test('report the wait for the missing part of a token', () => {
    let now = 0;
    const options = { perSecond: 0.1, burst: 1, maxNames: 1, nowMs: () => now };
    const buckets = createTokenBuckets(options);
    buckets.take('a');
    now = 6_000;
    expect(buckets.take('a')).toBe(4);
    now = 10_000;
    expect(buckets.take('a')).toBe(0);
  });

  test('forget the name that was unused for longest, and never grow', () => {
    const buckets = createTokenBuckets({ perSecond: 1, burst: 1, maxNames: 3, nowMs: () => 0 });
    for (const name of ['a', 'b', 'c', 'a', 'd']) buckets.take(name);
    expect(buckets.size).toBe(3);
    expect(buckets.take('a')).toBe(1);
    expect(buckets.take('b')).toBe(0);
    for (let name = 0; name < 1000; name += 1) buckets.take(String(name));
    expect(buckets.size).toBe(3);
  });
});

describe('rate limits', () => {
  test('rate limits are off unless they are set', () => {
    const limits = createRateLimits({ signerPerSecond: 0, strangerPerSecond: 0 });
    for (let times = 0; times < 1000; times += 1) {
      limits.forSigner({ kind: 'vendor', name: 'demo' });
      limits.forStranger('10.0.0.1');
    }
  });

  test('rate limits count a vendor and a collector of the same name apart', () => {
    const limits = createRateLimits({ signerPerSecond: 1, strangerPerSecond: 0, nowMs: () => 0 });
    const call = (kind: string) => () => limits.forSigner({ kind, name: 'x' });
    for (let times = 0; times < 5; times += 1) call('vendor')();
    expect(call('vendor')).toThrow(Refusal);
    expect(call('collector')).not.toThrow();
  });

  test.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::9', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['2001:db8::1', '2001:db8:0:0'],
  ])('requests from %s count towards %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
