import { HIGHEST_SCORE } from '../scorecards/scale.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import { Markup, decimal, html, percent, table } from './html.ts';
import type { Content } from './html.ts';
import { sum } from './measures.ts';
import type { ScoreCounts } from './measures.ts';
import { linePlot, percentAxis } from './plots.ts';
import type { Axis } from './plots.ts';
import { PARTS } from './validation.ts';
import type { Part, PartResult, Validation } from './validation.ts';

export const PART_NAMES: Readonly<Record<Part, string>> = {
  development: 'Development',
  holdOut: 'Hold-out',
  outOfTime: 'Out of time',
};

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --quiet: #667085; --line: #d5dae1; --first: #1769aa; --second: #c2571a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --paper: #14181e; --quiet: #98a2b3; --line: #353c47; --first: #6cb6f0; --second: #f0a26c; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 60rem; padding: 1.5rem; }
h1 { margin: 0 0 .25rem; } h2 { margin: 2.2rem 0 .5rem; border-bottom: 1px solid var(--line); } h3 { margin: 1.4rem 0 .3rem; }
p.quiet, figcaption { color: var(--quiet); } .plots { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; flex: 1 1 20rem; max-width: 29rem; } figcaption { font-size: 13px; text-align: center; }
svg { width: 100%; height: auto; } text { fill: var(--quiet); font: 11px system-ui, sans-serif; }
.grid { stroke: var(--line); } .axis { stroke: var(--quiet); } polyline { fill: none; stroke-width: 2; }
polyline.first { stroke: var(--first); } polyline.second { stroke: var(--second); } polyline.guide { stroke: var(--quiet); stroke-dasharray: 4 4; stroke-width: 1; }
circle.first, rect.first { fill: var(--first); } circle.second { fill: var(--second); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); } th:first-child, td:first-child { text-align: left; }
.key i { display: inline-block; width: 1.2rem; height: 3px; vertical-align: middle; margin: 0 .3rem 0 .8rem; }`;

interface Reported {
  readonly card: Pick<Scorecard, 'id' | 'version' | 'about'> & { readonly kind: string };
  readonly validation: Validation;
  /** The samples that the card is made from. */
  readonly section: Markup;
}

/** The validation report as one self-contained HTML page, including styles and plots. */
export function reportPage({ card, validation, section }: Reported): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Scorecard ${card.id}@${card.version}</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <h1>Scorecard ${card.id}@${card.version}</h1>
        <p class="quiet">
          Kind ${card.kind}. Score = 500 + 50·log2(odds of good to bad), 1 to 1000. A score should
          not be the sole reason to deny credit.
        </p>
        ${table(
          ['About', ''],
          Object.entries(card.about).map(([name, value]) => [ABOUT_NAMES[name] ?? name, value]),
        )}
        ${performanceSection(validation)} ${calibrationSection(validation)}
        ${stabilitySection(validation)} ${fairnessSection(validation)} ${section}
      </body>
    </html>`.text
  }\n`;
}

/** The card's information about itself, for readers. */
const ABOUT_NAMES: Readonly<Record<string, string>> = {
  origin: 'Origin',
  samples: 'Samples',
  badPercent: 'Bad, percent',
  observedFrom: 'Observed from',
  observedTo: 'Observed to',
  holdOutAuc: 'AUC, hold-out',
  holdOutGini: 'Gini, hold-out',
  holdOutKs: 'KS, hold-out',
  outOfTimeAuc: 'AUC, out of time',
  holdOutCalibrationSlope: 'Calibration slope, hold-out',
  shrinkage: 'Shrinkage by cross-validation',
  populationBadPercent: 'Bad in the population, percent',
  rejectInference: 'Reject inference',
  adverseImpactRatio: 'Adverse impact ratio',
};

/** The part that the report's figures about unseen samples come from. */
function unseen({ parts }: Validation): PartResult {
  return parts.holdOut ?? parts.development!;
}

function performanceSection(validation: Validation): Markup {
  const { parts, aucInterval, trueAuc } = validation;
  const rows = PARTS.flatMap((part): Content[][] => {
    const performance = parts[part]?.performance;
    if (performance === undefined) return [];
    const { samples, bads, auc, gini, ks, brier, calibrationError, calibrationSlope } = performance;
    return [
      [
        PART_NAMES[part],
        Math.round(samples),
        percent(bads / samples),
        ...[auc, gini, ks, brier].map((value) => decimal(value)),
        percent(calibrationError),
        decimal(calibrationSlope, 2),
      ],
    ];
  });
  const { counts } = unseen(validation);
  return html`<h2>How well it separates good from bad</h2>
    <div class="scroll">
      ${table(
        ['Part', 'Samples', 'Bad', 'AUC', 'Gini', 'KS', 'Brier', 'Calibration error', 'Slope'],
        rows,
      )}
    </div>
    <p>
      95 % interval of the hold-out AUC (bootstrap): ${decimal(aucInterval.low)} to
      ${decimal(aucInterval.high)}.
      ${
        trueAuc === undefined
          ? ''
          : `The probabilities that this synthetic population was generated with reach ${decimal(trueAuc)}: no card can do better.`
      }
    </p>
    <div class="plots">${rocPlot(counts)} ${distributionPlot(counts)}</div>
    <p class="key">
      <i style="background:var(--first)"></i>good <i style="background:var(--second)"></i>bad (right
      plot)
    </p>`;
}

function rocPlot({ goods, bads }: ScoreCounts): Markup {
  const [allGoods, allBads] = [sum(goods), sum(bads)];
  const points: [number, number][] = [[0, 0]];
  let [x, y] = [0, 0];
  for (let score = 1; score <= HIGHEST_SCORE; score++) {
    const here = goods[score]! + bads[score]!;
    if (here === 0) continue;
    x += goods[score]! / allGoods;
    y += bads[score]! / allBads;
    points.push([x, y]);
  }
  const diagonal = [
    [0, 0],
    [1, 1],
  ] as const;
  return linePlot(
    'ROC: bads found against goods refused',
    { x: percentAxis('goods at or below a score'), y: percentAxis('bads at or below it') },
    [
      { title: 'by chance', points: diagonal, style: 'guide' },
      { title: 'this card', points, style: 'first' },
    ],
  );
}

function distributionPlot({ goods, bads }: ScoreCounts): Markup {
  const [ofGoods, ofBads] = [sharesByBand(goods), sharesByBand(bads)];
  const max = Math.max(...[...ofGoods, ...ofBads].map(([, share]) => share));
  return linePlot(
    'Scores of goods and bads',
    { x: scoreAxis(), y: percentAxis('share', Math.ceil(max * 20) / 20) },
    [
      { title: 'good', points: ofGoods, style: 'first' },
      { title: 'bad', points: ofBads, style: 'second' },
    ],
  );
}

/** The share of samples in each band of 25 points, at the band’s middle. */
function sharesByBand(counts: Float64Array): (readonly [score: number, share: number])[] {
  const total = sum(counts);
  return Array.from({ length: HIGHEST_SCORE / 25 }, (_, band) => {
    const here = sum(counts.subarray(band * 25 + 1, band * 25 + 26));
    return [band * 25 + 13, here / total] as const;
  });
}

function scoreAxis(): Axis {
  const ticks = [0, 250, 500, 750, 1000].map((score) => [score, String(score)] as const);
  return { title: 'score', from: 0, to: HIGHEST_SCORE, ticks };
}

function calibrationSection(validation: Validation): Markup {
  const groups = unseen(validation).calibration;
  const max = Math.max(...groups.map(({ predicted, observed }) => Math.max(predicted, observed)));
  const axis = (title: string) => percentAxis(title, Math.ceil(max * 10) / 10);
  const end = axis('').to;
  return html`<h2>Calibration</h2>
    <div class="plots">
      ${linePlot(
        'Predicted and observed defaults, ten groups (hold-out)',
        { x: axis('predicted'), y: axis('observed') },
        [
          {
            title: 'as predicted',
            points: [
              [0, 0],
              [end, end],
            ],
            style: 'guide',
          },
          {
            title: 'groups',
            points: groups.map(({ predicted, observed }) => [predicted, observed]),
            style: 'first',
            dots: true,
          },
        ],
      )}
      <div>
        ${table(
          ['Scores', 'Samples', 'Predicted', 'Observed'],
          groups.map((group) => [
            `${group.fromScore}–${group.toScore}`,
            Math.round(group.samples),
            percent(group.predicted),
            percent(group.observed),
          ]),
        )}
      </div>
    </div>
    <h3>By grade</h3>
    ${table(
      ['Grade', 'Samples', 'Bad'],
      validation.grades.map(({ grade, samples, bads }) => [
        grade,
        Math.round(samples),
        percent(bads / samples),
      ]),
    )}`;
}

function stabilitySection({ months, scoreStability, characteristicStability }: Validation): Markup {
  const ticks = months.map(({ month }, at) => [at, at % 3 === 0 ? month : ''] as const);
  const x: Axis = { title: 'month', from: 0, to: Math.max(1, months.length - 1), ticks };
  return html`<h2>Stability</h2>
    <p>
      Stability index of the score between development and later samples: ${decimal(scoreStability)}
      (below 0.1 stable, from 0.25 another population).
    </p>
    <div class="plots">
      ${linePlot('AUC by month', { x, y: { ...percentAxis(''), title: 'AUC' } }, [
        {
          title: 'AUC',
          points: months.map(({ performance }, at) => [at, performance.auc]),
          style: 'first',
          dots: true,
        },
      ])}
      <div>
        ${table(
          ['Characteristic', 'Stability index'],
          [...characteristicStability].map(([name, value]) => [name, decimal(value)]),
        )}
      </div>
    </div>
    <div class="scroll">
      ${table(
        ['Month', 'Samples', 'Observed', 'Predicted', 'AUC', 'Stability index'],
        months.map(({ month, performance, predicted, stabilityIndex }) => [
          month,
          Math.round(performance.samples),
          percent(performance.bads / performance.samples),
          percent(predicted),
          decimal(performance.auc),
          decimal(stabilityIndex),
        ]),
      )}
    </div>`;
}

function fairnessSection({ groups, adverseImpactRatio }: Validation): Markup {
  if (groups.length === 0) {
    return html`<h2>Fairness</h2>
      <p>Not measured: the samples have no gender.</p>`;
  }
  return html`<h2>Fairness</h2>
    <p>
      Gender is no part of the card; it is used here only to see whether the card treats groups
      alike. Accepted: graded EE or better.
      ${
        adverseImpactRatio === undefined
          ? ''
          : `Adverse impact ratio ${decimal(adverseImpactRatio, 2)}; below 0.80 calls for a closer look.`
      }
    </p>
    ${table(
      ['Group', 'Samples', 'Accepted', 'Predicted', 'Observed', 'AUC'],
      groups.map(({ group, performance, predicted, accepted }) => [
        group,
        Math.round(performance.samples),
        percent(accepted),
        percent(predicted),
        percent(performance.bads / performance.samples),
        decimal(performance.auc),
      ]),
    )}`;
}
