import { characteristic } from '../scorecards/characteristics.ts';
import type { Fit } from './fit.ts';
import { decimal, percent } from './html.ts';
import { PART_NAMES } from './report.ts';
import { PARTS } from './validation.ts';
import type { Validation } from './validation.ts';

/** What to know before using a card, as one page of Markdown. */
export function modelCard({ card, characteristics }: Fit, validation: Validation): string {
  const { parts, aucInterval, adverseImpactRatio, scoreStability, trueAuc } = validation;
  const used = card.characteristics.map(
    ({ name }) => `- \`${name}\`: ${characteristic(name).meaning}`,
  );
  const leftOut = characteristics
    .filter((one) => one.leftOut !== undefined)
    .map((one) => `- \`${one.name}\`: ${one.leftOut}`);
  const performance = PARTS.flatMap((part) => {
    const found = parts[part]?.performance;
    if (found === undefined) return [];
    const { samples, bads, auc, ks, brier, calibrationError } = found;
    const cells = [
      PART_NAMES[part],
      String(samples),
      percent(bads / samples),
      ...[auc, ks, brier].map((value) => decimal(value)),
      percent(calibrationError),
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
    `Gives the ${card.kind} score from 1 to 1000 of a person with at least one account on file, and the corresponding probability of default. A score should not be the sole reason to deny credit. The card is valid for people like those it was trained on: monitor the stability index, and train again when it exceeds 0.25.`,
    '',
    '## Characteristics',
    '',
    ...used,
    '',
    'It does not use age, gender, name, nationality, place or anything else about who somebody is; the scoring code does not receive them. A further default never raises the score, and repaying never lowers it.',
    '',
    ...(leftOut.length === 0 ? [] : ['Measured but left out:', '', ...leftOut, '']),
    '## Performance',
    '',
    ...markdownTable([
      ['Part', 'Samples', 'Bad', 'AUC', 'KS', 'Brier', 'Calibration error'],
      ...performance,
    ]),
    '',
    `95 % interval of the hold-out AUC: ${decimal(aucInterval.low)} to ${decimal(aucInterval.high)}. Stability index of the score in later samples: ${decimal(scoreStability)}.`,
    ...(trueAuc === undefined
      ? []
      : [
          `The samples are synthetic; the probabilities that they were generated with reach an AUC of ${decimal(trueAuc)}.`,
        ]),
    '',
    '## Fairness',
    '',
    adverseImpactRatio === undefined
      ? 'Not measured: the samples have no gender, or too few samples of a second one.'
      : `Adverse impact ratio by gender at grade EE and better: ${decimal(adverseImpactRatio, 2)} (below 0.80 calls for a closer look).`,
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
