// One request from its parameters: as `fetch` takes it, and as a line of curl.

/**
 * @typedef {object} Content
 * @property {ReadonlyMap<string, string>} values parameters, with `hash`
 * @property {string | undefined} file
 *
 * @typedef {object} Outgoing
 * @property {string} url
 * @property {{ method: string, headers: Record<string, string>, body?: string | FormData }} init
 * @property {string} curl
 */

/**
 * @param {string} address of the operation, absolute
 * @param {import('./operations.js').Form} form
 * @param {Content} content
 * @returns {Outgoing}
 */
export function buildRequest(address, form, { values, file }) {
  const { method, contentType } = form;
  const encoded = new URLSearchParams([...values]).toString();
  if (file !== undefined) return fileRequest(`${address}?${encoded}`, contentType, file);
  if (contentType === '') {
    const url = encoded === '' ? address : `${address}?${encoded}`;
    return { url, init: { method, headers: {} }, curl: `curl -sS ${quote(url)}` };
  }
  if (contentType === 'multipart/form-data') {
    const fields = [...values].map(
      ([name, value]) => ` \\\n  --form-string ${quote(`${name}=${value}`)}`,
    );
    // The boundary and the header with it are the browser's.
    const init = { method, headers: {}, body: formData(values) };
    return { url: address, init, curl: `curl -sS ${quote(address)}${fields.join('')}` };
  }
  const body =
    contentType === 'application/json' ? JSON.stringify(Object.fromEntries(values)) : encoded;
  return withBody(address, contentType, body);
}

/**
 * The request of an operation that is signed as a whole, without its signature.
 * @param {string} base address that the path is relative to
 * @param {import('./operations.js').Operation} operation
 * @param {ReadonlyMap<string, string>} values
 * @returns {{ url: string, method: string, body: string | undefined }}
 */
export function buildWholeRequest(base, { path, method, parameters, forms }, values) {
  const of = (/** @type {string} */ place) =>
    parameters.flatMap((parameter) => {
      const value = values.get(parameter.name);
      return parameter.place === place && value !== undefined ? [{ ...parameter, value }] : [];
    });
  let named = path.replace(/^\//, '');
  for (const { name, value } of of('path')) {
    named = named.replace(`{${name}}`, encodeURIComponent(value));
  }
  const query = new URLSearchParams(of('query').map(({ name, value }) => [name, value]));
  const fields = of('body').map(({ name, type, value }) => [name, jsonValue(type, value)]);
  const hasBody = forms[0]?.contentType !== '';
  return {
    url: new URL(`${named}?${query.toString()}`, base).href,
    method,
    body: hasBody ? JSON.stringify(Object.fromEntries(fields)) : undefined,
  };
}

/**
 * @param {string} type
 * @param {string} text of an array: its values, separated by commas
 */
function jsonValue(type, text) {
  if (type === 'array') return text.split(',').map((each) => each.trim());
  return type === 'integer' ? Number(text) : text;
}

/**
 * The request with its signature.
 * @param {ReturnType<typeof buildWholeRequest>} request
 * @param {string} signature
 * @returns {Outgoing}
 */
export function signedRequest({ url, method, body }, signature) {
  const header = `X-Signature: ${signature}`;
  const lines = [`curl -sS -X ${method} ${quote(url)}`, `-H ${quote(header)}`];
  /** @type {Record<string, string>} */
  const headers = { 'x-signature': signature };
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quote(body)}`);
  }
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  return { url, init, curl: lines.join(' \\\n  ') };
}

/**
 * @param {string} url
 * @param {string} contentType
 * @param {string} body
 * @returns {Outgoing}
 */
function withBody(url, contentType, body) {
  const curl = [`curl -sS ${quote(url)}`, `-H 'Content-Type: ${contentType}'`, `-d ${quote(body)}`];
  const init = { method: 'POST', headers: { 'content-type': contentType }, body };
  return { url, init, curl: curl.join(' \\\n  ') };
}

/**
 * @param {string} url
 * @param {string} contentType
 * @param {string} file
 * @returns {Outgoing}
 */
function fileRequest(url, contentType, file) {
  const input = `printf %s ${quote(file)} |\n  curl -sS ${quote(url)}`;
  if (contentType === 'multipart/form-data') {
    const body = new FormData();
    const type = file.startsWith('{') ? 'application/x-ndjson' : 'text/csv';
    body.set('file', new Blob([file], { type }), 'payments');
    const curl = `${input} \\\n  -F 'file=@-;filename=payments;type=${type}'`;
    return { url, init: { method: 'POST', headers: {}, body }, curl };
  }
  const init = { method: 'POST', headers: { 'content-type': contentType }, body: file };
  const curl = `${input} \\\n  -H 'Content-Type: ${contentType}' --data-binary @-`;
  return { url, init, curl };
}

/** @param {ReadonlyMap<string, string>} values */
function formData(values) {
  const form = new FormData();
  for (const [name, value] of values) form.set(name, value);
  return form;
}

/**
 * For a POSIX shell.
 * @param {string} text
 */
export function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
