import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextOrder } from '../../../../sandbox/traffic/orders.ts';

const choices = fc.infiniteStream(fc.noBias(fc.nat()));

test('its biller accepts every order, and special accounts are deliberate', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(choices, (stream) => {
      const order = nextOrder((limit) => {
        const { value } = stream.next();
        return (value ?? 0) % limit;
      });
      const isPhone = ['safaricom', 'airtel', 'telkom'].includes(order.biller);
      expect(order.account).toMatch(isPhone ? /^2547\d{8}$/ : /^\d{5,14}$/);
      expect(Number(order.amount)).toBeGreaterThanOrEqual(isPhone ? 5 : 50);
      expect(order.amount).toMatch(/^\d+\.00$/);
      const suffix = order.account.slice(-4);
      if (suffix.startsWith('99')) {
        expect(['9903', '9904', '9905', '9907', '9909', '9910']).toContain(suffix);
      }
      seen.set(order.biller, (seen.get(order.biller) ?? 0) + 1);
    }),
    { numRuns: 500 },
  );
  expect(seen.size).toBeGreaterThan(5);
});
