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
