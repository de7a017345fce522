import { describe, expect, test } from 'vitest';
import { searchExactly, understandSearch } from '../../../../src/payments/timeline/understand.ts';
import { createWireTime } from '../../../../src/platform/base/clock.ts';
import { encodeReference } from '../../../../src/parties/reference.ts';

const CONTEXT = {
  isVendor: (vid: string) => vid === 'demo',
  // 00:30 of the next day in Nairobi.
  now: new Date('2026-11-21T21:30:00Z'),
  wireTime: createWireTime('Africa/Nairobi'),
};
const REFERENCE = encodeReference(7, '0197a5b1-7c00-7d2e-9c3f-5a1b2c3d4e5f');

const read = (text: string) => {
  const { understood } = understandSearch(text, CONTEXT);
  return understood.map(({ kind, value }) => `${kind} ${value}`);
};

describe('a search text', () => {
  test.each([
    [REFERENCE.toLowerCase(), [`reference ${REFERENCE}`]],
    [' 0722 000 001 ', ['phone 254722000001']],
    ['+254-722-000-001', ['phone 254722000001']],
    ['00254 722 000 001', ['phone 254722000001']],
    ['14234569901', ['text 14234569901']],
    ['14 234 569', ['text 14 234 569']],
    ['order-10482', ['text order-10482']],
    ['demo', ['vendor demo']],
    ['demo2', ['text demo2']],
    ['1450', ['amount 1450.00']],
    ['KES 1450', ['amount 1450.00']],
    ['ksh.1,450.5', ['amount 1450.50']],
    ['14500', ['text 14500']],
    ['1450.00', ['amount 1450.00']],
    ['0450', ['text 0450']],
    ['1,45', ['text 1,45']],
    ['1.234', ['text 1.234']],
    ['today', ['day 2026-11-22']],
    ['jana', ['day 2026-11-21']],
    ['constructor', ['text constructor']],
    ['__proto__ jana', ['text __proto__', 'day 2026-11-21']],
    ['2026-02-30', ['text 2026-02-30']],
    ['3/11/2026', ['day 2026-11-03']],
    ['0722 000 001 yesterday', ['phone 254722000001', 'day 2026-11-21']],
    ['demo KES 1,450 2026-11-20', ['vendor demo', 'amount 1450.00', 'day 2026-11-20']],
    ['999999999999999999.00', ['text 999999999999999999.00']],
  ])('understands %j', (text, understood) => {
    expect(read(text)).toEqual(understood);
  });

  test('several days are one period, in the service’s time zone', () => {
    expect(understandSearch('2026-11-20 2026-11-18', CONTEXT)).toMatchObject({
      term: undefined,
      period: { from: new Date('2026-11-17T21:00:00Z'), to: new Date('2026-11-20T21:00:00Z') },
    });
  });

  test('the words that restrict the search are not searched for', () => {
    expect(understandSearch('demo 0722000001 KES 100', CONTEXT)).toMatchObject({
      term: '0722000001',
      vid: 'demo',
      amountCents: 10_000n,
    });
  });

  test('can be taken as it is', () => {
    expect(searchExactly(' 1450 ')).toEqual({
      understood: [{ kind: 'text', value: '1450' }],
      term: '1450',
      vid: undefined,
      amountCents: undefined,
      period: undefined,
    });
  });
});
