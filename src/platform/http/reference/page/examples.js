// What to send first: examples that are this page's own, so that they collide with nobody's, and
// values that come from the answers to earlier requests.

/** @typedef {import('./operations.js').Operation} Operation */

const REFERENCES = new Set([
  'collect.reference',
  'createTransaction.merchant_reference',
  'bulkCreate.batch_reference',
  'batchScore.batchReference',
  'idDecision.requestReference',
  'genericScore.requestReference',
  'mobileLoanScore.requestReference',
  'rotateKey.idempotency_key',
  'rotateWebhookSecret.idempotency_key',
]);

/** @type {ReadonlyMap<string, (at: Date) => string>} */
const TIMES = new Map([
  ['fund.time', (at) => String(Math.floor(at.getTime() / 1000))],
  ['collect.paid_at', (at) => at.toISOString().replace(/\.\d+/, '')],
]);

/**
 * Parameters that name what another operation made: that operation, and where its answer has it.
 * @type {ReadonlyMap<string, { from: string, field: string }>}
 */
const FROM_ANSWERS = new Map([
  ['transactionStatus.reference', { from: 'createTransaction', field: 'ipay_reference' }],
  ['getPayment.reference', { from: 'createTransaction', field: 'ipay_reference' }],
  ['bulkStatus.batch_reference', { from: 'bulkCreate', field: 'batch_reference' }],
  ['bulkResult.batch_reference', { from: 'bulkCreate', field: 'batch_reference' }],
  ['batchScoreStatus.batchReference', { from: 'batchScore', field: 'batchReference' }],
  ['batchScoreResult.batchReference', { from: 'batchScore', field: 'batchReference' }],
  ['watchCustomer.requestReference', { from: 'genericScore', field: 'requestReference' }],
  ['unwatchCustomer.requestReference', { from: 'genericScore', field: 'requestReference' }],
]);

/**
 * The operations that have to come before one, as long as this page has not sent them.
 * @param {Operation} operation
 * @param {ReadonlyMap<string, string>} values what is about to be sent
 */
export function neededBefore(operation, values) {
  if (operation.id === 'createTransaction') return ['fund'];
  if (values.has('merchant_reference') || values.has('ipay_reference')) return [];
  const missing = operation.parameters.filter(({ name }) => !values.has(name));
  return missing.flatMap(({ name }) => sourceOf(operation, name)?.from ?? []);
}

/** Letters and digits that nobody else uses. */
export function uniquePart() {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return `${Date.now().toString(36)}${random.toString(36).padStart(7, '0')}`;
}

/** 128 random bits in hexadecimal digits. */
function unguessable() {
  const parts = [...crypto.getRandomValues(new Uint32Array(4))];
  return parts.map((part) => part.toString(16).padStart(8, '0')).join('');
}

/**
 * Whether nobody may be able to guess the reference.
 * @param {string} name
 */
export function isSecretReference(name) {
  return name === 'idempotency_key';
}

/**
 * @param {Operation} operation
 * @param {string} name
 */
export function isReference(operation, name) {
  return REFERENCES.has(`${operation.id}.${name}`);
}

/**
 * A parameter that has to be the current time; undefined for others.
 * @param {Operation} operation
 * @param {string} name
 */
export function currentTime(operation, name) {
  return TIMES.get(`${operation.id}.${name}`)?.(new Date());
}

/**
 * @param {Operation} operation
 * @param {string} name
 */
export function sourceOf(operation, name) {
  return FROM_ANSWERS.get(`${operation.id}.${name}`);
}

/**
 * What a parameter starts with; empty: it is not sent.
 * @param {Operation} operation
 * @param {{ name: string, example: string | undefined }} parameter
 */
export function firstValue(operation, { name, example = '' }) {
  if (sourceOf(operation, name) !== undefined) return '';
  const time = currentTime(operation, name);
  if (time !== undefined) return time;
  if (!isReference(operation, name)) return example;
  if (isSecretReference(name)) return unguessable();
  const word = /^[a-z]+/i.exec(example)?.[0] ?? 'ref';
  return name === 'requestReference' ? `${word}${uniquePart()}` : `${word}-${uniquePart()}`;
}

/**
 * The example file with references of its own, in the form of the content type.
 * @param {string} csv
 * @param {string} contentType
 */
export function exampleFile(csv, contentType) {
  const part = uniquePart();
  const [head = '', ...rows] = csv.trim().split('\n');
  const own = rows.map((row) => `${row}-${part}`);
  if (contentType !== 'application/x-ndjson') return `${[head, ...own].join('\n')}\n`;
  const names = head.split(',');
  const lines = own.map((row) => {
    const cells = row.split(',');
    return JSON.stringify(Object.fromEntries(names.map((name, index) => [name, cells[index]])));
  });
  return `${lines.join('\n')}\n`;
}
