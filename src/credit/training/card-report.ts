import { characteristic } from '../scorecards/characteristics.ts';
import { pointsOf } from '../scorecards/scorecard.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import type { Bin } from './binning.ts';
import type { Definition } from './definition.ts';
import type { Fit } from './fit.ts';
import { decimal, html, percent, table } from './html.ts';
import type { Markup } from './html.ts';
import { barPlot, percentAxis } from './plots.ts';
import { reportPage } from './report.ts';
import { pointsOfCell } from './table-card.ts';
import type { TableCardColumn } from './table-card.ts';
import type { TableTraining } from './train-table.ts';
import type { Validation } from './validation.ts';
import type { FittedCharacteristic } from './weights-fit.ts';

/** The report of a card of the registry. */
export function validationReport(fit: Fit, validation: Validation): string {
  return reportPage({ card: fit.card, validation, section: cardSection(fit) });
}

function cardSection({ card, characteristics }: Fit): Markup {
  return html`<h2>The card</h2>
    <p>Base ${card.basePoints} points. WOE: weight of evidence; IV: information value.</p>
    ${coefficientTable(characteristics)}
    ${characteristics
      .filter(({ coefficient }) => coefficient !== undefined)
      .map((one) => characteristicSection(one, card))}`;
}

function characteristicSection(
  { name, binning }: Fit['characteristics'][number],
  card: Scorecard,
): Markup {
  const row = card.characteristics.find((one) => one.name === name)!;
  const { meaning } = characteristic(name);
  const bins = binning.bins.map((bin, at) => ({
    ...bin,
    label: bin.below === Infinity ? 'more' : `< ${bin.below}`,
    points: pointsOf(row, binning.bins[at - 1]?.below ?? -Infinity),
  }));
  const never = binning.missing && { ...binning.missing, label: 'never', points: row.never! };
  const all = never === undefined ? bins : [...bins, never];
  return columnSection(`${name}: ${meaning}`, name, all);
}

/** The report of a card of a table. */
export function tableReport(
  { card, fit, validation }: TableTraining,
  definition: Definition,
): string {
  const section = html`<h2>The card</h2>
    <p>
      Base ${card.basePoints} points. WOE: weight of evidence; IV: information value. Coefficients
      are multiplied by ${decimal(fit.shrinkage, 2)}, which is how much of the differences held on
      rows that a fit had not seen.
    </p>
    ${coefficientTable(fit.columns)}
    ${card.columns.map((column) => {
      const { binning } = fit.columns.find(({ name }) => name === column.name)!;
      const { meaning } = definition.columns.find(({ name }) => name === column.name)!;
      const known = binning.bins.map((bin, at) => ({
        ...bin,
        ...labelledPoints(column, at, binning.bins[at - 1]?.below),
      }));
      const unknown = { ...binning.missing!, label: 'not known', points: column.unknown };
      return columnSection(
        meaning === undefined ? column.name : `${column.name}: ${meaning}`,
        column.name,
        [...known, unknown],
      );
    })}`;
  return reportPage({ card, validation, section });
}

function labelledPoints(
  column: TableCardColumn,
  at: number,
  from: number | undefined,
): { readonly label: string; readonly points: number } {
  if (column.type === 'category') {
    const { values, points } = column.bins[at]!;
    return { label: values.join(', '), points };
  }
  // Bins with equal points are joined in the card, so they are looked up by value.
  const points = pointsOfCell(column, String(from ?? -1e300));
  return { label: from === undefined ? 'lowest' : `from ${from}`, points };
}

function coefficientTable(characteristics: readonly FittedCharacteristic[]): Markup {
  return html`<div class="scroll">
    ${table(
      ['Characteristic', 'IV', 'Coefficient', 'Standard error', ''],
      characteristics.map((one) => [
        one.name,
        decimal(one.binning.informationValue),
        one.coefficient === undefined ? '' : decimal(one.coefficient),
        one.standardError === undefined ? '' : decimal(one.standardError),
        one.leftOut === undefined ? 'used' : `left out: ${one.leftOut}`,
      ]),
    )}
  </div>`;
}

type LabelledBin = Bin & { readonly label: string; readonly points: number };

function shareOf({ goods, bads }: Bin): number {
  return goods + bads === 0 ? 0 : bads / (goods + bads);
}

function columnSection(heading: string, name: string, bins: readonly LabelledBin[]): Markup {
  const max = Math.max(...bins.map(shareOf), 0.01);
  return html`<h3>${heading}</h3>
    <div class="plots">
      ${barPlot(
        `Defaults by ${name}`,
        percentAxis('bad', Math.ceil(max * 20) / 20),
        bins.map((bin) => ({ label: bin.label.slice(0, 12), value: shareOf(bin) })),
      )}
      <div>
        ${table(
          ['Value', 'Samples', 'Bad', 'WOE', 'Points'],
          bins.map((bin) => [
            bin.label,
            Math.round(bin.goods + bin.bads),
            percent(bin.bads / (bin.goods + bin.bads)),
            decimal(bin.woe, 2),
            bin.points,
          ]),
        )}
      </div>
    </div>`;
}
