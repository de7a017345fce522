import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import type { Authenticators } from '../../parties/http/authenticate.ts';
import { collector, vid } from '../../parties/http/fields.ts';
import { isInScope } from '../../parties/vendor.ts';
import type { Collector } from '../../parties/vendor.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { parseMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Operation } from '../../platform/http/operation.ts';
import { collect } from '../collections/collect.ts';
import type { CollectedIncome } from '../collections/collect.ts';
import { requireAfterOpening, requireNoReceipt } from '../receipts/identify.ts';
import { amount, collectionTime, currency, merchantReference } from './fields.ts';
import { movementOnWire, movementSchema, requireKes, requireTime } from './movement.ts';

const request = Type.Object({
  collector,
  vid,
  reference: merchantReference,
  amount,
  currency,
  paid_at: collectionTime,
});

/** Reports collected income, signed by the collector. */
export function reportCollection(
  deps: Pick<Authenticators, 'byCollector'> & {
    readonly pool: Pool;
    readonly wireTime: WireTime;
    readonly directory: VendorDirectory;
    readonly ledgerMac: Mac;
  },
): Operation<typeof request, typeof movementSchema, Collector> {
  return {
    name: 'collect',
    method: 'POST',
    path: '/payments/v2/collections',
    tag: 'Funding',
    summary: 'Report collected income',
    description:
      'A collector reports money collected for a vendor, once per (collector, reference). A repeat with the same content returns the first movement again, with the header `Idempotency-Replayed: true`.',
    signedBy: deps.byCollector,
    request,
    response: movementSchema,
    refusals: {
      unsupported_currency: { field: 'currency' },
      unknown_vendor: { field: 'vid' },
      collector_not_allowed: {},
      reference_reused: {},
      outcome_unknown: {},
    },
    example: {
      request: {
        collector: 'demo-collector',
        vid: 'demo',
        reference: 'till-2026-11-21-0001',
        amount: '250.00',
        currency: 'KES',
        paid_at: '2026-11-21T09:10:00+03:00',
      },
      answer: {
        header_status: 200,
        msg: {
          status: 1,
          text: 'Amount collected',
          amount: 250,
          reference: '00000081M7Y4NQV5ECGRV7G6V73MYQQ6',
          posted_time: '2026-11-21 09:14:58',
        },
      },
    },
    handle: async (asked, signer) => {
      const income = incomeOf(asked, signer, deps);
      const movement = await collect(deps, income, async (client) => {
        await requireAfterOpening(client, income);
        await requireNoReceipt(client, income);
      });
      return movementOnWire(movement, 'Amount collected', deps.wireTime);
    },
  };
}

/**
 * The collector's report. Throws: `unsupported_currency`, `collector_not_allowed`,
 * `unknown_vendor`, `invalid_field`.
 */
function incomeOf(
  asked: Static<typeof request>,
  signer: Collector,
  deps: { readonly directory: VendorDirectory; readonly wireTime: WireTime },
): CollectedIncome {
  requireKes(asked.currency);
  // One answer for a vendor out of scope and for an unknown one: a collector cannot probe for vendors.
  if (!isInScope(signer.scope, asked.vid)) {
    throw new Refusal('collector_not_allowed', { field: 'vid' });
  }
  const vendor = deps.directory.vendor(asked.vid);
  if (vendor === undefined) throw new Refusal('unknown_vendor', { field: 'vid' });
  const amountCents = parseMoney(asked.amount);
  if (amountCents === 0n) {
    throw new Refusal('invalid_field', { field: 'amount', text: 'amount must be greater than 0' });
  }
  const paidAt = requireTime(asked.paid_at, 'paid_at', deps.wireTime);
  return {
    collector: signer.collector,
    reference: asked.reference,
    vendorId: vendor.vendorId,
    amountCents,
    paidAt,
  };
}
