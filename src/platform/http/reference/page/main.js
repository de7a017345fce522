// The interactive reference: reads the OpenAPI document and shows every operation with a form.

import { element, find } from './dom.js';
import { neededBefore, sourceOf } from './examples.js';
import { markdown } from './markdown.js';
import { OperationView } from './operation.js';
import { operationsOf } from './operations.js';
import { canSign } from './signing.js';

/**
 * @typedef {import('./operations.js').OpenApiDocument} OpenApiDocument
 * @typedef {import('./operations.js').Operation} Operation
 */

const documentUrl = new URL('../../openapi.json', location.href);
const signers = {
  vid: find('signer-vid', HTMLInputElement),
  vendorKey: find('signer-key', HTMLInputElement),
  collector: find('signer-collector', HTMLInputElement),
  collectorKey: find('signer-collector-key', HTMLInputElement),
};

/** Operations that were answered with success since the page was loaded. @type {Set<string>} */
const succeeded = new Set();
let isSandbox = false;

await start().catch((/** @type {unknown} */ error) => {
  const text = `The reference could not be loaded. ${String(error)}`;
  find('main', HTMLElement).prepend(element('p', { class: 'failed', role: 'alert' }, text));
});

async function start() {
  const [api, settings] = await Promise.all([
    /** @type {Promise<OpenApiDocument>} */ (load(documentUrl)),
    /** @type {Promise<{ keys: Record<string, string> }>} */ (
      load(new URL('settings.json', location.href))
    ),
  ]);
  const keys = new Map(Object.entries(settings.keys));
  prefillSigners(keys);
  find('introduction', HTMLElement).replaceChildren(...markdown(api.info.description));
  /** @type {OperationView[]} */
  const views = operationsOf(api).map((operation) => viewOf(operation, () => views));
  if (keys.size > 0) isSandbox = true;
  showOperations(api, views);
  followSigners(keys, views);
  addSearch(views);
  await Promise.all(views.map(async (view) => await view.refresh()));
  if (!canSign()) find('cannot-sign', HTMLElement).hidden = false;
  document.body.dataset['ready'] = 'true';
  // The section that the address names exists only now.
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/** @param {URL} url */
async function load(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname} answers ${answer.status}`);
  return /** @type {unknown} */ (await answer.json());
}

/**
 * @param {Operation} operation
 * @param {() => OperationView[]} all
 */
function viewOf(operation, all) {
  return new OperationView(operation, {
    base: new URL('.', documentUrl).href,
    keyOf: (values) => (values.has('collector') ? signers.collectorKey : signers.vendorKey).value,
    prepare: async (next, values) => await prepare(all(), next, values),
    onSuccess: (sent, body) => {
      succeeded.add(sent.id);
      // A file fills no form.
      if (body !== undefined) fillFromAnswer(all(), sent, body);
    },
  });
}

/**
 * In the sandbox, where it costs nothing, each operation can be tried first: what it needs is sent
 * before it, and shown where it belongs.
 * @param {OperationView[]} views
 * @param {Operation} next
 * @param {ReadonlyMap<string, string>} values
 */
async function prepare(views, next, values) {
  if (!isSandbox) return;
  for (const id of neededBefore(next, values)) {
    if (!succeeded.has(id)) await views.find(({ operation }) => operation.id === id)?.send();
  }
}

/**
 * The reference of what was just made goes to where it is asked about.
 * @param {OperationView[]} views
 * @param {Operation} sent
 * @param {unknown} body
 */
function fillFromAnswer(views, sent, body) {
  // Scoring operations answer at the top, the others in `msg`.
  const answer = /** @type {Record<string, unknown> & { msg?: Record<string, unknown> }} */ (body);
  const message = { ...answer, ...answer.msg };
  for (const { operation, fields } of views) {
    for (const { name } of operation.parameters) {
      const source = sourceOf(operation, name);
      const value = source?.from === sent.id ? message[source.field] : undefined;
      if (typeof value === 'string') fields.set(name, value);
    }
  }
}

/** @param {ReadonlyMap<string, string>} keys */
function prefillSigners(keys) {
  const vid = keys.has('demo') ? 'demo' : '';
  const collector = keys.has('demo-collector') ? 'demo-collector' : '';
  signers.vid.value = vid;
  signers.vendorKey.value = keys.get(vid) ?? '';
  signers.collector.value = collector;
  signers.collectorKey.value = keys.get(collector) ?? '';
}

/**
 * Every operation has the signer's name; a public key comes and goes with its name.
 * @param {ReadonlyMap<string, string>} keys
 * @param {OperationView[]} views
 */
function followSigners(keys, views) {
  const isPublic = (/** @type {string} */ key) => [...keys.values()].includes(key);
  const pairs = /** @type {const} */ ([
    ['vid', signers.vid, signers.vendorKey],
    ['collector', signers.collector, signers.collectorKey],
  ]);
  for (const [name, signer, key] of pairs) {
    const setNames = () => views.forEach(({ fields }) => fields.set(name, signer.value));
    signer.addEventListener('input', () => {
      const known = keys.get(signer.value);
      if (known !== undefined) key.value = known;
      else if (isPublic(key.value)) key.value = '';
      setNames();
    });
    key.addEventListener('input', () => views.forEach((view) => void view.refresh()));
    setNames();
  }
  find('signers', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault());
}

/**
 * @param {OpenApiDocument} api
 * @param {OperationView[]} views
 */
function showOperations(api, views) {
  const [list, main] = [find('operations', HTMLElement), find('main', HTMLElement)];
  for (const tag of api.tags) {
    const own = views.filter(({ operation }) => operation.tag === tag.name);
    const links = own.map(({ operation: { id, title } }) =>
      element('li', { 'data-operation': id }, element('a', { href: `#${id}` }, title)),
    );
    const heading = element('h2', {}, tag.name);
    list.append(element('section', {}, element('h2', {}, tag.name), element('ul', {}, ...links)));
    const group = element('section', {}, heading, element('p', {}, tag.description));
    group.append(...own.map((view) => view.element));
    main.append(group);
  }
}

/**
 * Shows the operations whose name, path, description or parameters have every word.
 * @param {OperationView[]} views
 */
function addSearch(views) {
  const search = find('search', HTMLInputElement);
  const count = find('search-count', HTMLElement);
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let found = 0;
    for (const { operation, element: section } of views) {
      const names = operation.parameters.map(({ name }) => name);
      const { id, title, path, description } = operation;
      const text = [id, title, path, description, ...names].join(' ').toLowerCase();
      const isFound = words.every((word) => text.includes(word));
      found += isFound ? 1 : 0;
      section.hidden = !isFound;
      const link = document.querySelector(`[data-operation="${id}"]`);
      link?.toggleAttribute('hidden', !isFound);
    }
    find('about', HTMLElement).hidden = search.value !== '';
    count.textContent = search.value === '' ? '' : `${found} of ${views.length} operations`;
    for (const group of document.querySelectorAll('nav section, main > section:has(.operation)')) {
      const isEmpty = group.querySelector('li:not([hidden]), .operation:not([hidden])') === null;
      group.toggleAttribute('hidden', isEmpty);
    }
  });
}
