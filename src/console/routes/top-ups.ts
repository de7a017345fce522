import { readVids } from '../../parties/store.ts';
import { listActiveRules, listNewestTopUps } from '../../payments/vendor-floats/rules-store.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { TopUpsAnswer } from '../finance-answers.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';

/** Older ones are listed by `vendor top-up show`. */
const MAX_LISTED = 200;

/** Automatic top-ups of vendors' floats: what is set, what ran, what was refused. */
export function topUpRoutes({ pool }: { readonly pool: Pool }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/top-ups',
      permission: 'finance.read',
      handle: async (): Promise<TopUpsAnswer> => {
        const vids = await readVids(pool);
        const rules = await listActiveRules(pool);
        const topUps = await listNewestTopUps(pool, MAX_LISTED);
        return {
          rules: rules.map(({ ruleId: id, vendorId, kind, setBy, ...row }) => ({
            ...{ id, kind, setBy, vid: vids.get(vendorId) ?? '' },
            threshold: formatMoney(row.thresholdCents),
            target: amount(row.targetCents),
            maximum: amount(row.maximumCents),
            daily: amount(row.dailyCents),
            setAt: row.setAt.toISOString(),
          })),
          topUps: topUps.map(({ topUpId: id, vendorId, kind, state, reason, ...row }) => ({
            ...{ id, kind, state, reason, vid: vids.get(vendorId) ?? '' },
            at: row.at.toISOString(),
            amount: formatMoney(row.amountCents),
            float: formatMoney(row.floatCents),
          })),
        };
      },
    }),
  ];
}

function amount(cents: bigint | null): string | null {
  return cents === null ? null : formatMoney(cents);
}
