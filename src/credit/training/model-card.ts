import { characteristic } from '../scorecards/characteristics.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import type { Definition } from './definition.ts';
import type { Fit } from './fit.ts';
import { decimal, percent } from './html.ts';
import { PART_NAMES } from './report.ts';
import type { TableTraining } from './train-table.ts';
import { PARTS } from './validation.ts';
import type { Validation } from './validation.ts';
import type { FittedCharacteristic } from './weights-fit.ts';

/** One page of Markdown to read before using a card of the registry. */
export function modelCard({ card, characteristics }: Fit, validation: Validation): string {
  return page({
    card,
    validation,
    leftOut: characteristics,
    use: `Gives the ${card.kind} score from 1 to 1000 of a person with at least one account on file, and the corresponding probability of default. A score should not be the sole reason to deny credit. The card is valid for people like those it was trained on: monitor the stability index, and train again when it exceeds 0.25.`,
    looksAt: card.characteristics.map(
      ({ name }) => `- \`${name}\`: ${characteristic(name).meaning}`,
    ),
    looksNotAt: [
      'It does not use age, gender, name, nationality, place or anything else about who somebody is; the scoring code does not receive them. A further default never raises the score, and repaying never lowers it.',
      '',
    ],
  });
}

/** One page of Markdown about a card that was made from a table. */
export function tableModelCard(
  { card, fit, validation }: TableTraining,
  definition: Definition,
): string {
  return page({
    card,
    validation,
    leftOut: fit.columns,
    use: 'Gives a score from 1 to 1000 for a row of a table, and the corresponding probability of the bad outcome. A score should not be the sole reason to deny credit. The card is valid for rows like those it was trained on. Columns about who somebody is (age, gender, origin) do not belong in a card: name them as `group` to test fairness.',
    looksAt: card.columns.map(({ name }) => {
      const { meaning = name, better = 'either' } = definition.columns.find(
        (one) => one.name === name,
      )!;
      return `- \`${name}\`: ${meaning}${better === 'either' ? '' : ` (${better} is better)`}`;
    }),
    looksNotAt: [],
  });
}

interface Page {
  readonly card: Pick<Scorecard, 'id' | 'version' | 'about'>;
  readonly validation: Validation;
  readonly use: string;
  readonly looksAt: readonly string[];
  readonly looksNotAt: readonly string[];
  readonly leftOut: readonly FittedCharacteristic[];
}

function page({ card, validation, use, looksAt, looksNotAt, leftOut: all }: Page): string {
  const { parts, aucInterval, adverseImpactRatio, scoreStability, trueAuc } = validation;
  const leftOut = all
    .filter((one) => one.leftOut !== undefined)
    .map((one) => `- \`${one.name}\`: ${one.leftOut}`);
  const performance = PARTS.flatMap((part) => {
    const found = parts[part]?.performance;
    if (found === undefined) return [];
    const { samples, bads, auc, ks, brier, calibrationError, calibrationSlope } = found;
    const cells = [
      PART_NAMES[part],
      String(Math.round(samples)),
      percent(bads / samples),
      ...[auc, ks, brier].map((value) => decimal(value)),
      percent(calibrationError),
      decimal(calibrationSlope, 2),
    ];
    return [cells];
  });
  return [
    `# Scorecard ${card.id}@${card.version}`,
    '',
    ...Object.entries(card.about).map(([name, value]) => `- ${name}: ${value}`),
    '',
    '## Use',
    '',
    use,
    '',
    '## Characteristics',
    '',
    ...looksAt,
    '',
    ...looksNotAt,
    ...(leftOut.length === 0 ? [] : ['Measured but left out:', '', ...leftOut, '']),
    '## Performance',
    '',
    ...markdownTable([
      ['Part', 'Samples', 'Bad', 'AUC', 'KS', 'Brier', 'Calibration error', 'Calibration slope'],
      ...performance,
    ]),
    '',
    `95 % interval of the hold-out AUC: ${decimal(aucInterval.low)} to ${decimal(aucInterval.high)}. Stability index of the score in later samples: ${decimal(scoreStability)}. A calibration slope below 1 says that the card exaggerates the differences between people.`,
    ...(trueAuc === undefined
      ? []
      : [
          `The samples are synthetic; the probabilities that they were generated with reach an AUC of ${decimal(trueAuc)}.`,
        ]),
    '',
    '## Fairness',
    '',
    adverseImpactRatio === undefined
      ? 'Not measured: the samples have no group such as gender, or too few samples of a second one.'
      : `Adverse impact ratio by group at grade EE and better: ${decimal(adverseImpactRatio, 2)} (below 0.80 calls for a closer look).`,
    '',
  ].join('\n');
}

/** Rows, the first as heading, in columns of equal width. */
function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const [heading, ...lines] = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`,
  );
  return [heading!, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines];
}
