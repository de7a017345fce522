import { escapeMarkup } from '../base/markup.ts';
import type { Block, Drawing, ReportDocument, Shape, TableBlock } from './document.ts';

/** The one style sheet of all pages: a content security policy can allow it by its hash. */
export const STYLE = `body{font:16px/1.5 system-ui,"Segoe UI","Noto Sans",sans-serif;color:#1d2733;background:#fff;max-width:60rem;margin:0 auto;padding:1.5rem}h1{font-size:1.8rem;line-height:1.2;margin:0 0 1rem}h2{font-size:1.2rem;margin:2rem 0 .5rem;padding-bottom:.25rem;border-bottom:2px solid #dfe5ec}p{margin:.5rem 0}dl{display:grid;grid-template-columns:minmax(10rem,16rem) 1fr;gap:.25rem 1rem;margin:.5rem 0}dt{color:#55616e}dd{margin:0}ul{margin:.5rem 0;padding-left:1.25rem}.note{border-left:4px solid #2563a8;background:#f2f6fb;padding:.6rem 1rem;margin:1rem 0}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.875rem}th,td{text-align:left;padding:.35rem .5rem;border-bottom:1px solid #dfe5ec;vertical-align:top}th{border-bottom:2px solid #b9c4d0}td:first-child{overflow-wrap:anywhere;min-width:7rem}.right{text-align:right;font-variant-numeric:tabular-nums}span.figure{white-space:nowrap}svg{display:block;width:100%;max-width:40rem;height:auto;margin:.75rem 0}@media(max-width:36rem){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}}@media print{body{max-width:none;padding:0;font-size:11px}h2{break-after:avoid}tr,svg{break-inside:avoid}}`;

/** A self-contained page: no script, and no external font or picture. */
export function htmlOf(document: ReportDocument): string {
  const { title, language, blocks } = document;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeMarkup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeMarkup(title)}</h1>
${blocks.map(blockHtml).join('\n')}
</body>
</html>
`;
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h2>${escapeMarkup(block.text)}</h2>`;
    case 'paragraph':
      return `<p>${escapeMarkup(block.text)}</p>`;
    case 'note':
      return `<p class="note">${escapeMarkup(block.text)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeMarkup(item)}</li>`).join('')}</ul>`;
    case 'facts': {
      const rows = block.rows.map(
        ([label, value]) => `<dt>${escapeMarkup(label)}</dt><dd>${escapeMarkup(value)}</dd>`,
      );
      return `<dl>${rows.join('')}</dl>`;
    }
    case 'table':
      return tableHtml(block);
    case 'chart':
      return svgOf(block.drawing);
  }
}

/** Dates, times and amounts stay on one line. */
const FIGURE = /^[\d.,: -]+$/;

function tableHtml({ columns, rows, empty }: TableBlock): string {
  if (rows.length === 0) return `<p>${escapeMarkup(empty)}</p>`;
  const classOf = (index: number): string =>
    columns[index]?.align === 'right' ? ' class="right"' : '';
  const head = columns.map(
    ({ title }, index) => `<th scope="col"${classOf(index)}>${escapeMarkup(title)}</th>`,
  );
  const body = rows.map((row) => {
    const cells = row.map((value, index) => {
      const text = FIGURE.test(value)
        ? `<span class="figure">${value}</span>`
        : escapeMarkup(value);
      return `<td${classOf(index)}>${text}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

function svgOf({ width, height, description, shapes }: Drawing): string {
  return `<svg viewBox="0 0 ${width} ${round(height)}" role="img" aria-label="${escapeMarkup(description)}" xmlns="http://www.w3.org/2000/svg">${shapes.map(shapeSvg).join('')}</svg>`;
}

const ANCHORS = { left: 'start', middle: 'middle', right: 'end' } as const;

function shapeSvg(shape: Shape): string {
  if (shape.kind === 'box') {
    const { x, y, width, height, colour } = shape;
    return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${colour}"/>`;
  }
  const { x, y, text, size, align, bold, colour = '#1d2733' } = shape;
  const weight = bold === true ? ' font-weight="700"' : '';
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" text-anchor="${ANCHORS[align]}" fill="${colour}"${weight}>${escapeMarkup(text)}</text>`;
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
