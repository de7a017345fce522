import { Type } from 'typebox';
import { listCardChanges } from '../../credit/governance/cards-store.ts';
import { readAllCards, readCardsInForce } from '../../credit/governance/cards.ts';
import type { CardsInForce } from '../../credit/governance/cards.ts';
import { plotsOf } from '../../credit/monitoring/card-plots.ts';
import { readKeptMonths } from '../../credit/monitoring/months-store.ts';
import { readUsage } from '../../credit/monitoring/read-usage.ts';
import { characteristic } from '../../credit/scorecards/characteristics.ts';
import { cardName } from '../../credit/scorecards/scorecard.ts';
import type { Scorecard } from '../../credit/scorecards/scorecard.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type {
  CreditMonitorAnswer,
  ListedScorecard,
  ScorecardAnswer,
  ScorecardsAnswer,
} from '../credit-answers.ts';
import { onWire } from '../on-wire.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';

const MAX_CHANGES = 100;
/** Figures of months: about a year of champions and challengers of both scores. */
const MONTHS = 60;
const MAX_DAYS = 92;
const DEFAULT_DAYS = 14;

export interface ScorecardRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly config: { readonly timeZone: string };
}

/** Which scorecards answer, how good they are, and what they are used for. */
export function scorecardRoutes(options: ScorecardRoutesOptions): AnyRoute[] {
  return [listRoute(options), cardRoute(options), monitorRoute(options)];
}

function listRoute({ pool }: ScorecardRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/scorecards',
    permission: 'credit.read',
    handle: async (): Promise<ScorecardsAnswer> => {
      const [cards, inForce] = [await readAllCards(pool), await readCardsInForce(pool)];
      const changes = await listCardChanges(pool, MAX_CHANGES);
      return {
        cards: [...cards.values()]
          .map((card) => listed(card, inForce))
          .toSorted((a, b) => a.kind.localeCompare(b.kind) || b.version - a.version),
        changes: changes.map((change) => onWire(change)),
      };
    },
  });
}

function listed(card: Scorecard, { champions, challengers }: CardsInForce): ListedScorecard {
  const { kind, version, about } = card;
  const name = cardName(card);
  const challenger = challengers[kind];
  const isChallenger = challenger !== undefined && cardName(challenger) === name;
  const role = cardName(champions[kind]) === name ? 'champion' : isChallenger ? 'challenger' : null;
  const figure = (key: string): number | null => {
    const value = about[key];
    return typeof value === 'number' ? value : null;
  };
  return {
    ...{ card: name, kind, version, role },
    origin: String(about['origin'] ?? ''),
    samples: figure('samples'),
    auc: figure('holdOutAuc'),
    gini: figure('holdOutGini'),
    ks: figure('holdOutKs'),
    outOfTimeAuc: figure('outOfTimeAuc'),
  };
}

function cardRoute({ pool }: ScorecardRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/scorecards/:card',
    permission: 'credit.read',
    params: Type.Object({ card: Type.String({ maxLength: 60 }) }),
    handle: async ({ params: { card: name } }): Promise<ScorecardAnswer> => {
      const [cards, inForce] = [await readAllCards(pool), await readCardsInForce(pool)];
      const card = cards.get(name);
      if (card === undefined) throw new Refusal('not_found', { text: 'No such scorecard' });
      const { kind, about, basePoints } = card;
      const months = await readKeptMonths(pool, MONTHS);
      return {
        ...listed(card, inForce),
        about,
        basePoints,
        characteristics: card.characteristics.map(({ name: of, bins, never, reason }) => ({
          name: of,
          meaning: characteristic(of).meaning,
          reason,
          bins,
          never: never ?? null,
        })),
        plots: plotsOf(card),
        months: months.filter((month) => month.kind === kind).map((month) => onWire(month)),
      };
    },
  });
}

function monitorRoute({ pool, clock, wireTime, config }: ScorecardRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/monitor',
    permission: 'credit.read',
    query: Type.Object(
      { days: Type.Optional(Type.String({ pattern: String.raw`^\d{1,2}$` })) },
      { additionalProperties: false },
    ),
    handle: async ({ query }): Promise<CreditMonitorAnswer> => {
      const days = Number(query.days ?? DEFAULT_DAYS);
      if (days < 1 || days > MAX_DAYS) {
        throw new Refusal('invalid_field', {
          field: 'days',
          text: `days must be 1 to ${MAX_DAYS}`,
        });
      }
      const { timeZone } = config;
      const usage = await readUsage(pool, { days, now: clock.now(), timeZone, wireTime });
      const months = await readKeptMonths(pool, MONTHS);
      return { ...usage, months: months.map((month) => onWire(month)) };
    },
  });
}
