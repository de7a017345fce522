import { describe, expect, test } from 'vitest';
import { encodeReference } from '../../../src/parties/reference.ts';

describe('references', () => {
  test('references are vendor id and payment id in base 32', () => {
    expect(encodeReference(1234, '019ac1d4-8f3b-7c55-a1de-0123456789ab')).toBe(
      '00009MG1KB0X93SVFHAT3QG14D2PF2DB',
    );
    expect(encodeReference(2 ** 31 - 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe(
      'FZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ',
    );
    expect(encodeReference(1, '00000000-0000-0000-0000-000000000000')).toBe(
      '00000080000000000000000000000000',
    );
  });

  test('no reference is made from text that is no UUID', () => {
    expect(() => encodeReference(1, 'no uuid')).toThrow(RangeError);
  });
});
