import { readAllCards, readCardsInForce } from '../credit/governance/cards.ts';
import { plotsOf } from '../credit/monitoring/card-plots.ts';
import { readKeptMonths } from '../credit/monitoring/read-months.ts';
import { characteristic } from '../credit/scorecards/characteristics.ts';
import { cardName } from '../credit/scorecards/scorecard.ts';
import type { Scorecard } from '../credit/scorecards/scorecard.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { MAX_MONTHS } from './credit-monitor.ts';
import type { ListedScorecard, ScorecardDetail } from './credit-scorecard-schema.ts';
import { wireOf } from './wire.ts';

/** By kind, the highest version first. */
export async function listedCards(db: Queryable): Promise<ListedScorecard[]> {
  const all = await readAllCards(db);
  const inForce = await readCardsInForce(db);
  return [...all.values()]
    .map((card) => listed(card, inForce))
    .toSorted((a, b) => a.kind.localeCompare(b.kind) || b.version - a.version);
}

/** Undefined: there is no such card. */
export async function shownCard(db: Queryable, name: string): Promise<ScorecardDetail | undefined> {
  const card = (await readAllCards(db)).get(name);
  if (card === undefined) return undefined;
  const { kind, about, basePoints, characteristics } = card;
  const months = await readKeptMonths(db, MAX_MONTHS);
  return {
    ...listed(card, await readCardsInForce(db)),
    ...{ about, base_points: basePoints },
    characteristics: characteristics.map(({ name: of, bins, never, reason }) => ({
      ...{ name: of, meaning: characteristic(of).meaning, reason, bins },
      never: never ?? null,
    })),
    plots: wireOf(plotsOf(card)),
    months: months.filter((month) => month.kind === kind).map(wireOf),
  };
}

function listed(
  card: Scorecard,
  { champions, challengers }: Awaited<ReturnType<typeof readCardsInForce>>,
): ListedScorecard {
  const { kind, version, about } = card;
  const name = cardName(card);
  const challenger = challengers[kind];
  const isChallenger = challenger !== undefined && cardName(challenger) === name;
  const isChampion = cardName(champions[kind]) === name;
  const figure = (key: string): number | null => {
    const value = about[key];
    return typeof value === 'number' ? value : null;
  };
  return {
    ...{ card: name, kind, version },
    role: isChampion ? 'champion' : isChallenger ? 'challenger' : null,
    ...{ auc: figure('holdOutAuc'), gini: figure('holdOutGini'), ks: figure('holdOutKs') },
    ...{ out_of_time_auc: figure('outOfTimeAuc'), samples: figure('samples') },
    origin: String(about['origin'] ?? ''),
  };
}
