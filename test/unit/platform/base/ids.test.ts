import { describe, expect, test } from 'vitest';
import { firstIdAt, newId } from '../../../../src/platform/base/ids.ts';

describe('the first identifier of a moment', () => {
  test('is a UUID of version 7 with that time and nothing else', () => {
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
