import { describe, expect, test } from 'vitest';
import { readWebhookUrl } from '../../../../src/payments/events/address.ts';
import {
  restMsOf,
  retryDelayMs,
  shouldDisable,
  WEBHOOK_POLICY,
} from '../../../../src/payments/events/webhook-policy.ts';

const HOUR_MS = 3_600_000;

/** The pauses between attempts for an event that is never accepted. */
function pausesOf(random: number): number[] {
  const pauses: number[] = [];
  for (let triedForMs = 0; pauses.length < 100;) {
    const attemptCount = pauses.length + 1;
    const pauseMs = retryDelayMs({ attemptCount, triedForMs }, WEBHOOK_POLICY, random);
    if (pauseMs === undefined) break;
    pauses.push(pauseMs);
    triedForMs += pauseMs;
  }
  return pauses;
}

describe('an event that is not accepted', () => {
  test('an event that is not accepted is tried again after ever longer pauses, for three days to the moment', () => {
    const pauses = pausesOf(0.5);
    expect(pauses.slice(0, 5)).toEqual([5_000, 20_000, 80_000, 320_000, 1_280_000]);
    expect(Math.max(...pauses)).toBe(6 * HOUR_MS);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(72 * HOUR_MS);
  });

  test('events that failed together are not retried at the same moment', () => {
    const first = (random: number): number | undefined => pausesOf(random)[0];
    expect([first(0), first(0.5)]).toEqual([4_000, 5_000]);
    expect(first(1)).toBeCloseTo(6_000);
  });
});

describe('a webhook that fails', () => {
  test.each([
    [19, 48 * HOUR_MS, false],
    [20, 24 * HOUR_MS - 1, false],
    [20, 24 * HOUR_MS, true],
    [5_000, 3 * HOUR_MS, false],
  ])('%i times in a row, for %i ms: disabled: %s', (failureCount, failingForMs, expected) => {
    expect(shouldDisable({ failureCount, failingForMs }, WEBHOOK_POLICY)).toBe(expected);
  });

  test('a webhook that fails is paused for increasing times, up to a minute', () => {
    expect([1, 10, 60, 5_000].map((count) => restMsOf(count, WEBHOOK_POLICY))).toEqual([
      1_000, 10_000, 60_000, 60_000,
    ]);
  });
});

describe('the URL of a webhook', () => {
  test.each([
    ['https://shop.example/events?key=1', false],
    ['https://shop.example:8443', false],
    ['https://196.201.214.200/', false],
    ['http://10.1.2.3:8080/events', true],
    ['https://localhost/', true],
  ])('may be %s (private allowed: %s)', (url, allowsPrivate) => {
    expect(readWebhookUrl(url, allowsPrivate).href).toBe(new URL(url).href);
  });

  test('a URL that can be stored can also be called', () => {
    const isCalled = (url: string): boolean => readWebhookUrl(url, false).href === url;
    const longest = `https://shop.example/${'x'.repeat(1_979)}`;
    expect(isCalled(readWebhookUrl(longest, false).href)).toBe(true);
    // Each of these characters is six in the form that is stored.
    const encoded = `https://shop.example/${'é'.repeat(1_000)}`;
    expect(() => isCalled(readWebhookUrl(encoded, false).href)).toThrow('when they are encoded');
  });

  test.each([
    ['shop.example/events', 'must be https://'],
    ['ftp://shop.example/', 'must be https://'],
    [`https://shop.example/${'x'.repeat(2000)}`, 'at most 2000 characters'],
    ['https://shop:secret@shop.example/', 'user'],
    ['https://shop.example/#top', 'fragment'],
    ['http://shop.example/', 'must be https, because events contain'],
    ['https://10.1.2.3/', 'private network'],
    ['https://2130706433/', 'private network'],
    ['https://[::ffff:169.254.169.254]/', 'private network'],
    ['https://localhost/', 'private network'],
  ])('may not be %s', (url, reason) => {
    expect(() => readWebhookUrl(url, false)).toThrow(reason);
  });
});
