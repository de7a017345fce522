import { Type } from 'typebox';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import { vid } from '../../parties/http/fields.ts';
import type { Vendor } from '../../parties/vendor.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { fund } from '../collections/fund.ts';
import { currency, fundTime } from './fields.ts';
import { movementOnWire, movementSchema, requireKes, requireTime } from './movement.ts';

const request = Type.Object({ vid, time: fundTime, currency });

/** Specification §4.1. */
export function fundBillingAccount(
  deps: Pick<Authenticators, 'byVendor'> & {
    readonly pool: Pool;
    readonly wireTime: WireTime;
    readonly clock: Clock;
    /** Tolerated difference between `time` and our clock; 0: any time. */
    readonly fundWindowSeconds: number;
  },
): Operation<typeof request, typeof movementSchema, Vendor> {
  return {
    name: 'fund',
    method: 'POST',
    path: '/payments/v2/billing/fund',
    tag: 'Funding',
    summary: 'Fund the billing account',
    description:
      'Moves all collected income into the float, even if the `time` was used before. The money can be used at once. If there is nothing to move, a `time` with which money was moved before returns the response of the latest such movement again, with the header `Idempotency-Replayed: true`; otherwise `msg.status` is 0 and `amount` is 0. Book each `reference` once: two calls with the same `time` may get the same movement.',
    signedBy: deps.byVendor,
    request,
    response: movementSchema,
    refusals: {
      unsupported_currency: { field: 'currency' },
      stale_time: { field: 'time' },
      outcome_unknown: {},
    },
    example: {
      request: { vid: 'demo', time: '1795241699', currency: 'KES' },
      answer: {
        header_status: 200,
        msg: {
          status: 1,
          text: 'Amount moved',
          amount: 100_000,
          reference: '00000081M7Y4NNYGEQDTPMTF5675K1GC',
          posted_time: '2026-11-21 09:14:59',
        },
      },
    },
    handle: async (asked, vendor) => {
      requireKes(asked.currency);
      const requestedAt = requireTime(asked.time, 'time', deps.wireTime);
      const awaySeconds = Math.abs(requestedAt.getTime() - deps.clock.now().getTime()) / 1000;
      if (deps.fundWindowSeconds > 0 && awaySeconds > deps.fundWindowSeconds) {
        throw new Refusal('stale_time', { field: 'time' });
      }
      const movement = await fund(deps.pool, { vendorId: vendor.vendorId, requestedAt });
      return movementOnWire(movement, 'Amount moved', deps.wireTime);
    },
  };
}
