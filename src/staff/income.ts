import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import { formatMoney, parseMoney } from '../platform/base/money.ts';
import { action } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, text, textOrNull, titled } from './fields.ts';
import { NOTHING_PROPOSED, proposedInstead } from './proposal-schema.ts';
import { momentIf } from '../platform/base/times.ts';

const core = async () => ({
  ...(await import('../payments/collections/fund.ts')),
  ...(await import('../payments/receipts/report-by-hand.ts')),
  ...(await import('../payments/vendor-floats/read-floats.ts')),
  ...(await import('../parties/require-vendor.ts')),
  ...(await import('./proposal-core.ts')),
});

/** A movement between a vendor’s accounts. */
const moved = {
  ...titled({ vid: text, amount: fields.money }),
  /** Ours. */
  reference: textOrNull({ title: 'Reference', nullText: 'nothing was moved' }),
  posted_at: fields.timeOrNull({ title: 'Posted', isOptional: true }),
  /** True: it was moved before, and not again. */
  repeated: Type.Boolean({ title: 'Moved before' }),
};

export const INCOME: Noun = {
  command: 'income',
  summary: 'Vendors’ income: report what a collector collected, move it into the float.',
  definitions: [
    action(core, {
      name: 'income.collect',
      summary:
        'Report income that a collector collected for a vendor. A repeated reference of a collector counts once.',
      route: 'POST /income',
      permission: 'receipts.act',
      proposes: 'collection',
      actsAlone: true,
      input: inputOf({
        collector: fields.vid({ description: 'the collector' }),
        vid: fields.vid({ description: 'the vendor' }),
        reference: Type.String({
          pattern: '^[!-~]([ -~]{0,62}[!-~])?$',
          form: '1 to 64 printable ASCII characters without spaces at the ends',
          description: 'the collector’s own reference',
        }),
        amount: fields.positive(),
        paid_at: Type.Optional(
          fields.moment({ description: 'when the customer paid (default: now)' }),
        ),
        reason: Type.Optional(fields.reason),
      }),
      output: Type.Object({
        ...moved,
        collected: fields.money({ title: 'Collected now' }),
        ...proposedInstead,
      }),
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { collector, vid, reference, paid_at: paidAt } = input;
        const { pool, wireTime } = deps;
        const { vendorId, movement, row } = await loaded.reportIncome(
          pool,
          await deps.proposals(),
          {
            ...{ collector, vid, reference, by: viewer.actor, note: input.reason },
            amountCents: parseMoney(input.amount),
            paidAt: momentIf(paidAt, 'paid_at', wireTime),
          },
        );
        const floats = await loaded.readVendorFloats(pool, [vendorId], deps.clock.now());
        const made = {
          ...{ vid, amount: formatMoney(parseMoney(input.amount)) },
          reference: movement?.reference ?? null,
          posted_at: movement?.postedAt.toISOString() ?? null,
          repeated: movement?.fresh === false,
          collected: formatMoney(floats.get(vendorId)?.collectedCents ?? 0n),
        };
        if (row === undefined) {
          return { result: { ...made, ...NOTHING_PROPOSED }, audit: { after: { repeated: true } } };
        }
        const proposed = await loaded.instead(row, deps, viewer);
        return { result: { ...made, ...proposed }, audit: loaded.auditOf(row) };
      },
    }),
    action(core, {
      name: 'income.fund',
      summary: 'Move all of a vendor’s collected income into its float.',
      route: 'POST /vendors/:vid/fund',
      permission: 'finance.act',
      actsAlone: 'always',
      input: inputOf({ vid: fields.vid() }),
      output: Type.Object({ ...moved, float: fields.money({ title: 'Float now' }) }),
      handle: async ({ core: loaded, input, deps: { pool, clock } }) => {
        const { vendorId, vid, status } = await loaded.requireVendor(pool, input.vid);
        if (status === 'suspended') throw new Refusal('vendor_suspended', { field: 'vid' });
        const requestedAt = clock.now();
        const { reference, amountCents, ...movement } = await loaded.fund(pool, {
          ...{ vendorId, requestedAt },
        });
        const floats = await loaded.readVendorFloats(pool, [vendorId], requestedAt);
        const result = {
          ...{ vid, reference, amount: formatMoney(amountCents) },
          posted_at: movement.postedAt.toISOString(),
          repeated: reference !== null && !movement.fresh,
          float: formatMoney(floats.get(vendorId)?.floatCents ?? 0n),
        };
        return { result, audit: { after: { reference, amount: result.amount } } };
      },
    }),
  ],
};
