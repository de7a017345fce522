import { expect, test } from 'vitest';
import { measuredLists } from '../../../bench/self-service-lists.ts';

test('every list is measured by the bench with each of its filters', () => {
  const lists = measuredLists({
    account: '14234567',
    merchantReference: 'order-1',
    reference: 'reference',
    dayAgo: () => '2026-03-01',
  });
  expect(lists.map(({ path }) => path)).toContain('/v1/events');
});
