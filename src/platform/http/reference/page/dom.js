/**
 * An element with attributes and children. An attribute that is false or undefined is left out.
 * Text is never read as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, string | boolean | undefined>>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/**
 * Code that wraps instead of growing wider than the screen, and can be scrolled with the keyboard.
 * @param {Node | string} text
 * @param {string} label
 */
export function codeBlock(text, label) {
  const code = typeof text === 'string' ? element('code', {}, text) : text;
  return element('pre', { role: 'group', 'aria-label': label, tabindex: '0' }, code);
}

/**
 * @param {string} title
 * @param {...(Node | string)} children
 */
export function disclosure(title, ...children) {
  return element('details', {}, element('summary', {}, title), ...children);
}

/**
 * Finds an element of the page's own HTML.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}`);
  return found;
}
