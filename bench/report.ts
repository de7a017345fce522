import { writeFileSync } from 'node:fs';
import { verdict } from './ratios.ts';
import type { Figure, Ratio } from './ratios.ts';

interface MeasuredRatio {
  readonly ratio: Ratio;
  readonly value: number;
  /** Interval of the median, as a share of it; undefined after few rounds. */
  readonly interval: number | undefined;
}

/** Prints the results for people on stdout. */
export function printTable(
  measured: readonly MeasuredRatio[],
  figures: ReadonlyMap<string, Figure>,
): void {
  const rows = [...figures].map(([contestant, figure]) => [
    contestant,
    shown(figure.value),
    figure.unit ?? 'per second',
    shown(figure.nodeMicros),
    shown(figure.postgresMicros),
    shown(figure.p50Ms),
    shown(figure.p99Ms),
    figure.runs.map((value) => shown(value)).join(' '),
  ]);
  const heads = [
    'contestant',
    'median',
    '',
    'Node µs',
    'PostgreSQL µs',
    'p50 ms',
    'p99 ms',
    'runs',
  ];
  print([heads, ...rows]);
  print([
    ['ratio', 'value', '±', 'must', 'goal', '', 'what'],
    ...measured.map(({ ratio, value, interval }) => [
      ratio.name,
      shown(value),
      interval === undefined ? '' : `${(interval * 100).toFixed(1)} %`,
      bound(ratio, ratio.must),
      bound(ratio, ratio.goal),
      verdict(ratio, value),
      ratio.what,
    ]),
  ]);
}

function shown(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function bound(ratio: Ratio, value: number): string {
  return `${ratio.better === 'higher' ? '≥' : '≤'} ${value}`;
}

function print(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

const ROW_HEIGHT = 28;
const TOP = 56;
const LABEL_WIDTH = 210;
const BAR_WIDTH = 420;
/** A bar ends at this share of its goal. */
const MAX_OF_GOAL = 1.5;
const COLOURS = { goal: '#2b8a3e', must: '#e8920c', missed: '#c92a2a' };

/** Draws each ratio divided by its goal; if lower is better, the goal divided by the ratio. */
export function writeChart(
  file: string,
  measured: readonly MeasuredRatio[],
  machine: string,
): void {
  const height = TOP + measured.length * ROW_HEIGHT + 16;
  const width = LABEL_WIDTH + BAR_WIDTH + 190;
  const scale = BAR_WIDTH / MAX_OF_GOAL;
  const share = (ratio: Ratio, value: number): number =>
    Math.min(MAX_OF_GOAL, ratio.better === 'higher' ? value / ratio.goal : ratio.goal / value);
  const rows = measured.map(({ ratio, value }, index) => {
    const y = TOP + index * ROW_HEIGHT;
    const must = LABEL_WIDTH + share(ratio, ratio.must) * scale;
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${y + 15}" text-anchor="end">${ratio.name}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y + 3}" width="${(share(ratio, value) * scale).toFixed(1)}" height="16" fill="${COLOURS[verdict(ratio, value)]}"><title>${escaped(ratio.what)}</title></rect>`,
      `<line x1="${must.toFixed(1)}" x2="${must.toFixed(1)}" y1="${y}" y2="${y + 22}" stroke="#495057" stroke-width="2"/>`,
      `<text x="${LABEL_WIDTH + BAR_WIDTH + 8}" y="${y + 15}">${shown(value)} (goal ${bound(ratio, ratio.goal)})</text>`,
    ].join('');
  });
  const goal = LABEL_WIDTH + scale;
  writeFileSync(
    file,
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="12" y="20" font-weight="bold">Malipo: measured ratios as shares of their goals</text>
<text x="12" y="38" fill="#495057">${escaped(machine)}; the short line is what must be reached, the long one the goal</text>
${rows.join('\n')}
<line x1="${goal}" x2="${goal}" y1="${TOP - 6}" y2="${height - 12}" stroke="#2b8a3e" stroke-dasharray="4 3"/>
</svg>
`,
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
