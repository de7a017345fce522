// The form of one operation: its parameters, its file, and the choice of how they are sent.

import { element } from './dom.js';
import { currentTime, exampleFile, firstValue, isReference, sourceOf } from './examples.js';
import { inline } from './markdown.js';

/**
 * @typedef {import('./operations.js').Operation} Operation
 * @typedef {import('./operations.js').Parameter} Parameter
 */

/** Parameters of the whole page, from the panel of keys. */
const SIGNERS = new Set(['vid', 'collector']);

/** The inputs of one operation. */
export class Fields {
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  #inputs = new Map();
  /** Made by the page and not changed by hand since. @type {Set<string>} */
  #untouched = new Set();
  /** @type {HTMLTextAreaElement | undefined} */
  #file;
  #fileIsOurs = true;
  #form = element('select', {});
  #operation;

  /** @param {Operation} operation */
  constructor(operation) {
    this.#operation = operation;
    const rows = operation.parameters.filter(isUsual).map((each) => this.#row(each));
    const optional = operation.parameters.filter((each) => !isUsual(each));
    this.element = element('div', { class: 'fields' }, ...rows);
    if (optional.length > 0) {
      const more = element('details', {}, element('summary', {}, 'Optional parameters'));
      more.append(...optional.map((each) => this.#row(each)));
      this.element.append(more);
    }
    if (operation.file !== undefined) this.element.append(this.#fileRow(operation.file));
    this.element.append(this.#formRow());
  }

  /** How the parameters are sent. */
  get form() {
    const form = this.#operation.forms[Number(this.#form.value)];
    if (form === undefined) throw new Error(`${this.#operation.id} can be sent in no form`);
    return form;
  }

  get file() {
    return this.#file?.value;
  }

  /** What is sent, without `hash`; a parameter that is empty is left out. */
  get values() {
    const filled = [...this.#inputs].filter(([, { value }]) => value !== '');
    return new Map(filled.map(([name, { value }]) => [name, value]));
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  set(name, value) {
    const input = this.#inputs.get(name);
    if (input === undefined) return;
    input.value = value;
    this.#untouched.add(name);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /**
   * A time that the page made is the time of sending, and its reference a new one: with another time it
   * is another request. What somebody changed stays, and so does what goes with it.
   */
  renewTimes() {
    const operation = this.#operation;
    const isTime = (/** @type {Parameter} */ { name }) =>
      currentTime(operation, name) !== undefined;
    if (operation.parameters.some(isTime)) this.#renewAll(isTime);
  }

  /** @param {(parameter: Parameter) => boolean} isRenewed in addition to references */
  #renewAll(isRenewed) {
    const operation = this.#operation;
    const renewed = operation.parameters.filter(
      (each) => isRenewed(each) || isReference(operation, each.name),
    );
    if (!renewed.every(({ name }) => this.#untouched.has(name))) return;
    for (const each of renewed) this.set(each.name, firstValue(operation, each));
  }

  /** @param {Parameter} parameter */
  #row(parameter) {
    const operation = this.#operation;
    const { name, description, choices, isRequired } = parameter;
    const id = `${operation.id}-${name}`;
    const about = { id, 'aria-describedby': `${id}-about`, 'data-parameter': name };
    const input =
      choices.length > 0
        ? element('select', about, ...['', ...choices].map((each) => element('option', {}, each)))
        : element('input', { ...about, ...PLAIN_TEXT, readonly: name === 'sha256' });
    input.value = firstValue(operation, parameter);
    this.#inputs.set(name, input);
    this.#untouched.add(name);
    input.addEventListener('input', (event) => {
      if (event.isTrusted) this.#untouched.delete(name);
    });
    const label = element('label', { for: id }, element('code', {}, name));
    if (isRequired) label.append(element('span', { class: 'required' }, 'required'));
    const row = element(
      'div',
      { class: 'field' },
      label,
      element('div', { class: 'value' }, input),
    );
    if (isReference(operation, name)) input.after(this.#newButton(parameter));
    const text = element('p', { id: `${id}-about`, class: 'about' }, ...inline(description));
    const note = noteOf(operation, name);
    if (note !== undefined) text.append(' ', note);
    row.append(text);
    return row;
  }

  /** @param {Parameter} parameter */
  #newButton(parameter) {
    const label = `New ${parameter.name}`;
    const button = element('button', { type: 'button', 'aria-label': label }, 'New');
    button.addEventListener('click', () => {
      this.set(parameter.name, firstValue(this.#operation, parameter));
      this.#renewFile();
    });
    return button;
  }

  /** @param {string} csv */
  #fileRow(csv) {
    const id = `${this.#operation.id}-file`;
    this.#file = element('textarea', { id, rows: '5', spellcheck: 'false', 'data-file': true });
    this.#file.value = exampleFile(csv, 'text/csv');
    this.#file.addEventListener('input', () => (this.#fileIsOurs = false));
    const about = 'The file itself. Its SHA-256 is computed from this text.';
    return element(
      'div',
      { class: 'field' },
      element('label', { for: id }, 'File'),
      this.#file,
      element('p', { class: 'about' }, about),
    );
  }

  #formRow() {
    const id = `${this.#operation.id}-form`;
    this.#form.id = id;
    const options = this.#operation.forms.map(({ label }, index) =>
      element('option', { value: String(index) }, label),
    );
    this.#form.append(...options);
    this.#form.addEventListener('change', () => this.#renewFile());
    return element(
      'div',
      { class: 'field' },
      element('label', { for: id }, 'Sent as'),
      element('div', { class: 'value' }, this.#form),
    );
  }

  /** The example file in the form that is chosen, unless somebody has changed it. */
  #renewFile() {
    const { file } = this.#operation;
    if (this.#file === undefined || file === undefined || !this.#fileIsOurs) return;
    // Another file is another batch.
    this.#renewAll(() => false);
    this.#file.value = exampleFile(file, this.form.contentType);
  }
}

/** @param {Parameter} parameter */
function isUsual({ isRequired, example }) {
  return isRequired || example !== undefined;
}

const PLAIN_TEXT = {
  type: 'text',
  spellcheck: 'false',
  autocomplete: 'off',
  autocapitalize: 'off',
};

/**
 * Where a value comes from, when that is not the person.
 * @param {Operation} operation
 * @param {string} name
 */
function noteOf(operation, name) {
  if (name === 'sha256') return 'Computed.';
  if (SIGNERS.has(name)) return 'Filled in from “Who signs”.';
  const source = sourceOf(operation, name);
  if (source === undefined) return undefined;
  const link = element('a', { href: `#${source.from}` }, source.from);
  return element('span', {}, 'Filled in from the answer to ', link, '.');
}
