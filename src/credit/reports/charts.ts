import { GRADES, HIGHEST_SCORE, scoreOfPercent } from '../scorecards/scale.ts';
import type { Drawing, Shape } from '../../platform/documents/document.ts';

const WIDTH = 480;
const INK = '#1d2733';
const FAINT = '#dfe5ec';
const FILLED = '#2563a8';

/** From the best grade to the worst; the letters in the bands repeat what the colours show. */
const BAND_COLOURS = [
  '#1a7f4b',
  '#3f9a56',
  '#6fb163',
  '#a3c46a',
  '#d9d36c',
  '#edc45c',
  '#eaa650',
  '#e28447',
  '#d6613f',
  '#b93a34',
] as const;

/** Bands that are too dark for dark letters. */
const DARK_BANDS: ReadonlySet<string> = new Set(['AA', 'JJ']);

/** Where a score lies on the scale from 1 to 1000, with the bands of the grades. */
export function scoreScale(score: number, description: string): Drawing {
  const bar = { y: 34, height: 26 };
  const xOf = (value: number): number => (value / HIGHEST_SCORE) * WIDTH;
  const shapes: Shape[] = [];
  let to = HIGHEST_SCORE;
  for (const [index, { grade, belowPercent }] of GRADES.entries()) {
    const from = Number.isFinite(belowPercent) ? scoreOfPercent(belowPercent) : 0;
    const x = xOf(from);
    const width = xOf(to) - x;
    shapes.push(
      { kind: 'box', x, y: bar.y, width, height: bar.height, colour: BAND_COLOURS[index] ?? FAINT },
      {
        kind: 'text',
        x: x + width / 2,
        y: bar.y + 17,
        text: grade,
        size: 8,
        align: 'middle',
        ...(DARK_BANDS.has(grade) ? { colour: '#ffffff' } : {}),
      },
    );
    to = from;
  }
  const at = xOf(score);
  const labelX = Math.min(WIDTH - 22, Math.max(22, at));
  shapes.push(
    { kind: 'box', x: at - 1.5, y: bar.y - 8, width: 3, height: bar.height + 16, colour: INK },
    { kind: 'text', x: labelX, y: 20, text: String(score), size: 18, align: 'middle', bold: true },
    { kind: 'text', x: 0, y: bar.y + 42, text: '1', size: 8, align: 'left' },
    { kind: 'text', x: xOf(500), y: bar.y + 42, text: '500', size: 8, align: 'middle' },
    { kind: 'text', x: WIDTH, y: bar.y + 42, text: String(HIGHEST_SCORE), size: 8, align: 'right' },
  );
  return { width: WIDTH, height: 82, description, shapes };
}

interface Bar {
  readonly label: string;
  readonly points: number;
  readonly maxPoints: number;
}

const ROW_HEIGHT = 20;
const LABEL_WIDTH = 230;
const FIGURE_WIDTH = 56;

/** The contribution of each part of a score, compared with its maximum. */
export function pointBars(bars: readonly Bar[], description: string): Drawing {
  const most = Math.max(1, ...bars.map(({ maxPoints }) => maxPoints));
  const room = WIDTH - LABEL_WIDTH - FIGURE_WIDTH;
  const shapes = bars.flatMap(({ label, points, maxPoints }, index): Shape[] => {
    const y = index * ROW_HEIGHT;
    const box = (value: number, colour: string): Shape => ({
      kind: 'box',
      x: LABEL_WIDTH,
      y: y + 4,
      width: (Math.max(0, value) / most) * room,
      height: 11,
      colour,
    });
    return [
      { kind: 'text', x: 0, y: y + 13, text: label, size: 8.5, align: 'left' },
      box(maxPoints, FAINT),
      box(points, FILLED),
      {
        kind: 'text',
        x: WIDTH,
        y: y + 13,
        text: `${points} / ${maxPoints}`,
        size: 8.5,
        align: 'right',
      },
    ];
  });
  return { width: WIDTH, height: bars.length * ROW_HEIGHT + 4, description, shapes };
}
