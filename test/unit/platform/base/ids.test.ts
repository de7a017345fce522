import { afterEach, describe, expect, test, vi } from 'vitest';
import { firstIdAt, newId, timeOfId } from '../../../../src/platform/base/ids.ts';

describe('the first identifier of a moment', () => {
  test('the first identifier is a UUID of version 7 with that time and nothing else', () => {
    expect(firstIdAt(new Date(0x0123_4567_89ab))).toBe('01234567-89ab-7000-8000-000000000000');
    expect(firstIdAt(new Date(0xab))).toBe('00000000-00ab-7000-8000-000000000000');
  });

  test('lies between those made before and those made at that time or later', () => {
    const before = Date.now();
    const id = newId();
    const after = Date.now();
    expect(firstIdAt(new Date(before)) <= id).toBe(true);
    expect(id < firstIdAt(new Date(after + 1))).toBe(true);
  });
});

describe('new identifiers', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('identifiers are UUIDs of version 7, all different, in ascending order', () => {
    const ids = Array.from({ length: 10_000 }, () => newId());
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted());
  });

  test('ascend while the clock stands still, and when it goes back', () => {
    const nowMs = Date.now() + 1_000_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
    const ids = Array.from({ length: 1_000 }, () => newId());
    clock.mockReturnValue(nowMs - 60_000);
    ids.push(newId());
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.map(timeOfId))).toEqual(new Set([nowMs]));
  });
});
