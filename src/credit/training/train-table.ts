import { aboutFit, aboutSamples } from './about.ts';
import type { Definition } from './definition.ts';
import { TrainingError } from './error.ts';
import { requireEnough } from './fit.ts';
import type { Table } from './read-table.ts';
import { assumptionOf, inferRejected } from './reject-inference.ts';
import { selectSamples } from './samples.ts';
import type { Samples } from './samples.ts';
import { pointsOfColumn, scoreOfPoints, tableCard } from './table-card.ts';
import type { TableCard } from './table-card.ts';
import { fitTable } from './table-fit.ts';
import type { TableFit } from './table-fit.ts';
import { splitSamples, validateCard } from './validation.ts';
import type { ValidatedCard, SplitSamples, Validation } from './validation.ts';

export interface TableTraining {
  readonly card: TableCard;
  readonly fit: TableFit;
  readonly validation: Validation;
}

/**
 * Makes a card from a table and validates it on rows that the fit has not seen, like
 * `trainScorecard` for the registry.
 * Throws: `TrainingError` if no card can be made from the table.
 */
export function trainTable(
  table: Table,
  definition: Definition,
  made: { readonly identity: Pick<TableCard, 'id' | 'version' | 'about'>; readonly seed: number },
): TableTraining {
  const split = splitSamples(table.samples, made.seed, definition.outOfTimeFrom);
  if (split.holdOut.bad.every((one) => one === 0)) {
    throw new TrainingError('The hold-out part has no bad row to judge the card by.');
  }
  requireEnough(split.development);
  const rejected = rejectedBefore(table.rejected, split);
  const { rejectInference } = definition;
  const fit = fitTable(
    split.development,
    definition,
    rejectInference === undefined
      ? undefined
      : inferRejected(rejected, rejectInference.badOddsFactor),
  );
  const { categories } = table;
  const card = tableCard(fit, { identity: made.identity, definition, categories });
  const validation = validateCard(
    judgedTableCard(card, categories),
    atPopulationRate(split, definition),
    made.seed,
  );
  const about = {
    ...made.identity.about,
    ...aboutSamples(table.samples, definition.date !== undefined),
    ...(definition.populationBadPercent === undefined
      ? {}
      : { populationBadPercent: definition.populationBadPercent }),
    ...aboutFit(fit, validation),
    ...(rejectInference === undefined
      ? {}
      : { rejectInference: assumptionOf(rejectInference, rejected.count) }),
  };
  return { card: { ...card, about }, fit, validation };
}

/** Rejected applicants of the months that the card is made from. */
function rejectedBefore(rejected: Samples, { outOfTime }: SplitSamples): Samples {
  const late = new Set(outOfTime.months);
  const rows = rejected.months.flatMap((month, row) => (late.has(month) ? [] : [row]));
  return selectSamples(rejected, rows);
}

export function judgedTableCard(card: TableCard, categories: Table['categories']): ValidatedCard {
  const columns = new Map(card.columns.map((column) => [column.name, column]));
  const pointsOf = (name: string, samples: Samples): Float64Array =>
    pointsOfColumn(columns.get(name)!, { samples, categories });
  return {
    names: [...columns.keys()],
    pointsOf,
    scores: (samples) => {
      const points = [...columns.keys()].map((name) => pointsOf(name, samples));
      return Uint16Array.from({ length: samples.count }, (_, row) =>
        scoreOfPoints(
          card,
          points.map((column) => column[row]!),
        ),
      );
    },
  };
}

/** Weights the parts so that the share of bads is that of the population the card is for. */
function atPopulationRate(split: SplitSamples, { populationBadPercent }: Definition): SplitSamples {
  if (populationBadPercent === undefined) return split;
  const population = populationBadPercent / 100;
  const reweigh = (samples: Samples): Samples => {
    const weightOf = (row: number): number => samples.weights?.[row] ?? 1;
    let [bads, all] = [0, 0];
    for (const [row, one] of samples.bad.entries()) {
      all += weightOf(row);
      bads += one * weightOf(row);
    }
    const [ofBad, ofGood] = [(population * all) / bads, ((1 - population) * all) / (all - bads)];
    const weights = Float64Array.from(
      samples.bad,
      (one, row) => weightOf(row) * (one === 1 ? ofBad : ofGood),
    );
    return { ...samples, weights };
  };
  const { development, holdOut, outOfTime } = split;
  return {
    development: reweigh(development),
    holdOut: reweigh(holdOut),
    outOfTime: reweigh(outOfTime),
  };
}
