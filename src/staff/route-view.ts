import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ListedRoute } from '../payments/billers/lists.ts';
import { moneyOrNull, text, textOrNull, titled } from './fields.ts';
import { fit, wireOf } from './wire.ts';

/** A biller's route through an operator. */

export const STATES = ['ONLINE', 'OFFLINE'] as const;

interface Row {
  readonly chosen?: boolean;
  readonly on_trial: boolean;
  readonly minimum: string | null;
  readonly maximum: string | null;
}

const usable = (obstacle: string | null, { chosen, on_trial: isOnTrial }: Row): string =>
  chosen === true ? 'chosen' : (obstacle ?? (isOnTrial ? 'on trial' : 'usable'));
const range = (minimum: string | null, { maximum }: Row): string => {
  if (minimum === null && maximum === null) return 'all';
  const from = minimum === null ? '' : `from ${minimum}`;
  return `${from} ${maximum === null ? '' : `to ${maximum}`}`.trim();
};

export const terms = {
  position: Type.Integer({ title: 'Position', unit: 'count' }),
  weight: Type.Integer({ title: 'Weight', unit: 'count' }),
};
/** Why nothing goes through it; null: it is usable. */
export const obstacleIn = (title: string) => textOrNull({ title, text: usable });
/** Its circuit breaker lets only a few payments through. */
export const onTrial = { on_trial: Type.Boolean() };

export const routeView = Type.Object({
  ...titled({ biller: text, operator: text }),
  ...terms,
  minimum: moneyOrNull({ title: 'Amounts', text: range }),
  maximum: moneyOrNull(),
  daily_limit: moneyOrNull({ title: 'Per day', nullText: 'no limit' }),
  set_status: Type.Enum([...STATES]),
  obstacle: obstacleIn('Status'),
  ...onTrial,
  /** Its circuit breaker lets nothing through until the operator is probed. */
  breaker_open: Type.Boolean(),
});
export type RouteView = Static<typeof routeView>;

export const routeOf = ({
  status,
  obstacleReason: obstacle,
  trialSince,
  ...row
}: ListedRoute): RouteView =>
  fit(routeView, {
    ...wireOf(row),
    ...{ set_status: status, obstacle, on_trial: trialSince !== null },
    breaker_open: row.isBreakerOpen,
  });
