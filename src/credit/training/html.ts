import { escapeMarkup } from '../../platform/base/markup.ts';
/** Text that is already markup; all other text is escaped when it is inserted into a page. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Markup | readonly Content[];

/** Markup with its values escaped: the only way that text enters a report. */
export function html(pieces: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(
    pieces.map((piece, at) => piece + (at < values.length ? textOf(values[at]!) : '')).join(''),
  );
}

function textOf(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(textOf).join('');
  return escapeMarkup(String(content));
}

/** Rows under a heading row; the first column is text, the others numbers. */
export function table(headings: readonly Content[], rows: readonly (readonly Content[])[]): Markup {
  return html`<table>
    <thead>
      <tr>
        ${headings.map((one) => html`<th>${one}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((one) => html`<td>${one}</td>`)}
          </tr> `,
      )}
    </tbody>
  </table>`;
}

/** `0.1234` → `12.3 %`. */
export function percent(share: number): string {
  return Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : '–';
}

export function decimal(value: number, digits = 3): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}
