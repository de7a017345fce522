import { codeBlock, element } from './dom.js';

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/**
 * Code, bold, emphasis and links inside a paragraph.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function inline(text) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, label, address] = match;
    parts.push(text.slice(end, match.index));
    if (code !== undefined) parts.push(element('code', {}, code));
    else if (strong !== undefined) parts.push(element('strong', {}, strong));
    else if (emphasis !== undefined) parts.push(element('em', {}, emphasis));
    else parts.push(element('a', { href: address }, label ?? ''));
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/**
 * The Markdown of the API's own descriptions: headings, paragraphs, lists, tables, code.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function markdown(text) {
  return text
    .trim()
    .split(/\n{2,}/)
    .map(block);
}

/** @param {string} text */
function block(text) {
  const lines = text.split('\n');
  const [first = ''] = lines;
  if (first.startsWith('```')) return codeBlock(lines.slice(1, -1).join('\n'), 'Example');
  if (first.startsWith('#')) return element('h3', {}, ...inline(first.replace(/^#+\s*/, '')));
  if (first.startsWith('|')) return table(lines);
  if (/^(\d+\.|[-*]) /.test(first)) {
    const items = lines.map((line) =>
      element('li', {}, ...inline(line.replace(/^(\d+\.|[-*])\s+/, ''))),
    );
    return element(/^\d/.test(first) ? 'ol' : 'ul', {}, ...items);
  }
  return element('p', {}, ...inline(lines.join(' ')));
}

/** @param {readonly string[]} lines the heading, the rule below it, rows */
function table(lines) {
  const rows = lines.map((line) => line.split('|').slice(1, -1));
  return element(
    'table',
    {},
    element('thead', {}, row(rows[0], 'th')),
    element('tbody', {}, ...rows.slice(2).map((cells) => row(cells, 'td'))),
  );
}

/**
 * @param {readonly string[] | undefined} cells
 * @param {'th' | 'td'} tag
 */
function row(cells = [], tag) {
  return element('tr', {}, ...cells.map((cell) => element(tag, {}, ...inline(cell.trim()))));
}
