// One operation on the page: what it is, its form, what is signed, the answer.

import { codeBlock, disclosure, element } from './dom.js';
import { Fields } from './fields.js';
import { inline } from './markdown.js';
import { buildRequest, buildWholeRequest, signedRequest } from './request.js';
import { canSign, canonicalText, hmacSha256, newNonce, requestText, sha256 } from './signing.js';

/**
 * @typedef {import('./operations.js').Operation} Operation
 *
 * @typedef {object} Page what operations share
 * @property {string} base address that paths are relative to, ending in a slash
 * @property {(values: ReadonlyMap<string, string>) => string} keyOf the signer's key; empty: none
 * @property {(operation: Operation, values: ReadonlyMap<string, string>) => Promise<void>} prepare
 *   sends what has to come first
 * @property {(operation: Operation, body: unknown) => void} onSuccess
 */

/** A section of the page that sends one operation. */
export class OperationView {
  #signed = element('code', {});
  #hash = element('code', { class: 'hash' });
  #curl = element('code', {});
  #answer = element('div', { class: 'answer', role: 'status', 'aria-live': 'polite' });
  #send = element('button', { type: 'submit', class: 'send' }, 'Send');
  #page;
  /** Counts refreshes: signing takes time, and only the last one may be shown. */
  #refreshes = 0;

  /**
   * @param {Operation} operation
   * @param {Page} page
   */
  constructor(operation, page) {
    this.operation = operation;
    this.#page = page;
    this.fields = new Fields(operation);
    const { id, title, method, path, description } = operation;
    this.element = element(
      'section',
      { id, 'aria-labelledby': `${id}-title`, class: 'operation' },
      element('h3', { id: `${id}-title` }, title),
      element('p', { class: 'path' }, element('span', { class: 'method' }, method), ' ', path),
      element('p', {}, ...inline(description)),
      this.#form(),
      ...documentation(operation),
    );
  }

  #form() {
    const form = element('form', { 'aria-label': this.operation.title }, this.fields.element);
    form.append(this.#send, this.#answer);
    const { signature } = this.operation;
    if (signature !== undefined) {
      const name = signature === 'hash' ? 'hash' : 'X-Signature';
      const text = codeBlock(this.#signed, 'Signed text');
      form.append(element('h4', {}, `Signed text and ${name}`), text, codeBlock(this.#hash, name));
    }
    form.append(element('h4', {}, 'With curl'), codeBlock(this.#curl, 'curl'));
    form.addEventListener('input', () => void this.refresh());
    form.addEventListener('change', () => void this.refresh());
    form.addEventListener('click', () => void this.refresh());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.send();
    });
    return form;
  }

  /** Signs what the form has now and shows it. Returns the request. */
  async refresh() {
    const turn = (this.#refreshes += 1);
    const { text, signature, outgoing } = await (this.operation.signature === 'header'
      ? this.#signWhole()
      : this.#signParameters());
    if (turn !== this.#refreshes) return outgoing;
    this.#signed.textContent = text;
    this.#hash.textContent =
      signature === '' ? 'Enter the security key under “Who signs”.' : signature;
    this.#curl.textContent = outgoing.curl;
    return outgoing;
  }

  async #signWhole() {
    const { values } = this.fields;
    const request = buildWholeRequest(this.#page.base, this.operation, values);
    const { pathname, search } = new URL(request.url);
    const [time, nonce] = [Math.floor(Date.now() / 1000), newNonce()];
    const key = this.#page.keyOf(values);
    const bodyDigest = canSign() ? await sha256(request.body ?? '') : '';
    const target = pathname + search;
    const text = requestText({ method: request.method, target, bodyDigest, time, nonce });
    const sig = key !== '' && canSign() ? await hmacSha256(key, text) : '';
    const signature = sig === '' ? '' : `v2,t=${time},nonce=${nonce},sig=${sig}`;
    return { text, signature, outgoing: signedRequest(request, signature) };
  }

  async #signParameters() {
    const { fields, operation } = this;
    const { file, form } = fields;
    const values = new Map(fields.values);
    if (file !== undefined && canSign()) {
      const digest = await sha256(file);
      values.set('sha256', digest);
      if (fields.values.get('sha256') !== digest) fields.set('sha256', digest);
    }
    const text = canonicalText(values);
    const key = this.#page.keyOf(values);
    let hash = '';
    if (operation.signature === 'hash' && key !== '' && canSign())
      hash = await hmacSha256(key, text);
    if (hash !== '') values.set('hash', hash);
    const address = this.#page.base + operation.path.replace(/^\//, '');
    return { text, signature: hash, outgoing: buildRequest(address, form, { values, file }) };
  }

  async send() {
    this.#send.disabled = true;
    this.#answer.replaceChildren(element('p', {}, 'Sending…'));
    try {
      await this.#page.prepare(this.operation, this.fields.values);
      this.fields.renewTimes();
      const { url, init } = await this.refresh();
      const start = performance.now();
      const answer = await fetch(url, init);
      const text = await answer.text();
      this.#show(answer, text, performance.now() - start);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#answer.replaceChildren(element('p', { class: 'failed' }, `No answer: ${reason}`));
    } finally {
      this.#send.disabled = false;
    }
  }

  /**
   * @param {Response} answer
   * @param {string} text
   * @param {number} ms
   */
  #show(answer, text, ms) {
    const state = element('strong', { class: answer.ok ? 'ok' : 'failed' }, String(answer.status));
    const replayed = answer.headers.has('idempotency-replayed') ? ', a replay' : '';
    const id = answer.headers.get('x-request-id') ?? '';
    const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json');
    /** @type {unknown} */
    const body = isJson ? JSON.parse(text) : undefined;
    const shown = isJson ? JSON.stringify(body, null, 2) : text;
    this.#answer.replaceChildren(
      element('h4', {}, 'Answer'),
      element('p', {}, state, ` in ${Math.round(ms)} ms${replayed}`),
      element('p', { class: 'about' }, `X-Request-Id: ${id}`),
      codeBlock(shown, 'Answer'),
    );
    this.#answer.dataset['status'] = String(answer.status);
    if (answer.ok) this.#page.onSuccess(this.operation, body);
  }
}

/** @param {Operation} operation */
function documentation(operation) {
  const { answer, answerFields, refusals, commonRefusals } = operation;
  const parts = [];
  if (answer !== undefined) {
    const example = codeBlock(JSON.stringify(answer, null, 2), 'Example of an answer');
    parts.push(disclosure('Example of an answer', example));
  }
  if (answerFields.length > 0) {
    const fields = answerFields.flatMap(({ name, description }) => [
      element('dt', {}, element('code', {}, name)),
      element('dd', {}, ...inline(description)),
    ]);
    parts.push(disclosure('Fields of the answer', element('dl', {}, ...fields)));
  }
  if (refusals.length > 0) parts.push(disclosure('Refusals', ...refusals.map(refusalView)));
  const common = commonRefusals.map(refusalView);
  return [...parts, disclosure('Refusals that every operation has', ...common)];
}

/** @param {import('./operations.js').Refused} refusal */
function refusalView({ code, status, when, example }) {
  const title = element('summary', {}, element('code', {}, code), ` ${status}`);
  const body = codeBlock(JSON.stringify(example, null, 2), `Example of ${code}`);
  return element('details', { class: 'refusal' }, title, element('p', {}, ...inline(when)), body);
}
