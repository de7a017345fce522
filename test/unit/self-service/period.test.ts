import { expect, test } from 'vitest';
import { createWireTime } from '../../../src/platform/base/clock.ts';
import { readInstant } from '../../../src/self-service/period.ts';

const times = {
  wireTime: createWireTime('Africa/Nairobi'),
  clock: { now: () => new Date('2026-11-21T09:00:00Z') },
};

test('a day is an instant in the past once it has ended, which the refusal of today says', () => {
  expect(readInstant('2026-11-20', 'at', times)).toEqual(new Date('2026-11-20T21:00:00Z'));
  expect(() => readInstant('2026-11-21', 'at', times)).toThrow(
    'at must be in the past; a day means its end',
  );
});
