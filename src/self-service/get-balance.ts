import { Type } from 'typebox';
import { readVendorBalance } from '../payments/reports/balance.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { readInstant } from './period.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { cents, instant, time } from './schemas.ts';

const response = Type.Object({
  at: instant('The time of the balance.'),
  float_cents: cents('The float: what creates can spend.'),
  reserved_cents: cents('Held for payments without a final result.'),
  collected_cents: cents('Collected income that has not been moved to the float.'),
  held_cents: cents('Collected income that waits for a transfer to your bank.'),
  total_cents: cents('Your money with us: the sum of these amounts.'),
});

export function getBalance(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'getBalance',
    method: 'GET',
    path: '/balance',
    summary: 'Balance now or at a past instant',
    description:
      'Your money with us now, or as it was at a past instant, according to the books. What happened at exactly that instant is not included.',
    query: Type.Object({ at: Type.Optional(time('A past instant; a day stands for its end.')) }),
    response,
    refusals: {},
    example: {
      answer: {
        at: '2026-11-20T21:00:00.000Z',
        float_cents: '9990000',
        reserved_cents: '10000',
        collected_cents: '0',
        held_cents: '0',
        total_cents: '10000000',
      },
    },
    handle: async ({ query }, context) => {
      const { signer } = context;
      const { pool, clock, longReads } = deps;
      const at = readInstant(query.at, 'at', deps);
      const now = clock.now();
      const read = async () => await readVendorBalance(pool, signer.vendorId, at);
      // Only a past instant costs what was posted since then.
      const balance = at === undefined ? await read() : await longReads(readerOf(context), read);
      const { floatCents, reservedCents, collectedCents, heldCents } = balance;
      return {
        at: (at ?? now).toISOString(),
        float_cents: String(floatCents),
        reserved_cents: String(reservedCents),
        collected_cents: String(collectedCents),
        held_cents: String(heldCents),
        total_cents: String(floatCents + reservedCents + collectedCents + heldCents),
      };
    },
  });
}
