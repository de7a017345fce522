import { readAllCards, readCardsInForce } from '../governance/cards.ts';
import { plotsOf } from './card-plots.ts';
import { readKeptMonths } from './read-months.ts';
import { characteristic } from '../scorecards/characteristics.ts';
import { cardName } from '../scorecards/scorecard.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import type { Queryable } from '../../platform/db/pool.ts';

/** By kind, the highest version first. */
export async function listedCards(db: Queryable) {
  const all = await readAllCards(db);
  const inForce = await readCardsInForce(db);
  return [...all.values()]
    .map((card) => listed(card, inForce))
    .toSorted((a, b) => a.kind.localeCompare(b.kind) || b.version - a.version);
}

/** Undefined: there is no such card. */
export async function shownCard(db: Queryable, name: string, maxMonths: number) {
  const card = (await readAllCards(db)).get(name);
  if (card === undefined) return undefined;
  const { kind, about, basePoints, characteristics } = card;
  const months = await readKeptMonths(db, maxMonths);
  return {
    ...listed(card, await readCardsInForce(db)),
    ...{ about, basePoints },
    characteristics: characteristics.map(({ name: of, bins, never, reason }) => ({
      ...{ name: of, meaning: characteristic(of).meaning, reason, bins },
      never: never ?? null,
    })),
    plots: plotsOf(card),
    months: months.filter((month) => month.kind === kind),
  };
}

function listed(
  card: Scorecard,
  { champions, challengers }: Awaited<ReturnType<typeof readCardsInForce>>,
) {
  const { kind, version, about } = card;
  const name = cardName(card);
  const challenger = challengers[kind];
  const isChallenger = challenger !== undefined && cardName(challenger) === name;
  const isChampion = cardName(champions[kind]) === name;
  const role = isChampion ? ('champion' as const) : isChallenger ? ('challenger' as const) : null;
  const figure = (key: string): number | null => {
    const value = about[key];
    return typeof value === 'number' ? value : null;
  };
  return {
    ...{ card: name, kind, version },
    role,
    ...{ auc: figure('holdOutAuc'), gini: figure('holdOutGini'), ks: figure('holdOutKs') },
    ...{ outOfTimeAuc: figure('outOfTimeAuc'), samples: figure('samples') },
    origin: String(about['origin'] ?? ''),
  };
}
