import { expect, test } from 'vitest';
import { firstDifference, hintFor } from '../../../src/parties/compare-texts.ts';

const OURS = 'account=14 23&amount=100.00&vid=demo';

test.each([
  ['account=14%2023&amount=100.00&vid=demo', 'encoded', 10],
  ['vid=demo&account=14 23&amount=100.00', 'order', 0],
  ['account=14 23&amount=100.00&hash=ab&vid=demo', 'hash_included', 28],
  ['account=14 23&vid=demo', 'missing_parameter', 14],
  ['account=14 23&amount=100.00&phone=1&vid=demo', 'further_parameter', 28],
  [`${OURS}\n`, 'line_break', OURS.length],
  ['account=1423&amount=100.00&vid=demo', 'spaces', 10],
  ['account=14 23&amount=100&vid=demo', 'amount_form', 24],
  ['account=14 23&amount=100.00&vid=Demo', undefined, 32],
  [`${OURS}%`, undefined, OURS.length],
])('%j is explained as %s', (yours, hint, at) => {
  expect(hintFor(OURS, yours)).toBe(hint);
  expect(firstDifference(OURS, yours)).toBe(at);
});

test('equal texts do not differ', () => {
  expect(firstDifference(OURS, OURS)).toBeUndefined();
});
