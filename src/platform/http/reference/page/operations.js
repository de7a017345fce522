// From the OpenAPI document to what the page shows: each operation once, with its parameters, the
// forms it can be sent in, and its refusals.

/**
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string} [type]
 * @property {string} [pattern]
 * @property {string[]} [enum]
 * @property {string} [description]
 * @property {Record<string, Schema>} [properties]
 * @property {Record<string, Schema>} [patternProperties]
 * @property {string[]} [required]
 * @property {Schema} [items]
 * @property {Schema[]} [anyOf]
 *
 * @typedef {{ schema?: Schema, example?: unknown, examples?: Record<string, { summary: string, value: unknown }> }} Media
 * @typedef {{ $ref?: string, description?: string, content?: Record<string, Media> }} Response
 * @typedef {object} Described
 * @property {string} operationId
 * @property {string} summary
 * @property {string} description
 * @property {string[]} tags
 * @property {{ name: string, description: string, required?: boolean, schema: Schema, example?: string }[]} [parameters]
 * @property {{ content: Record<string, Media> }} [requestBody]
 * @property {Record<string, Response>} responses
 *
 * @typedef {object} OpenApiDocument
 * @property {{ title: string, version: string, description: string }} info
 * @property {{ name: string, description: string }[]} tags
 * @property {Record<string, Record<string, Described>>} paths
 * @property {{ schemas: Record<string, Schema>, responses: Record<string, Response> }} components
 *
 * @typedef {object} Parameter
 * @property {string} name
 * @property {string} description
 * @property {boolean} isRequired
 * @property {string | undefined} example
 * @property {readonly string[]} choices the only values, where there are few
 *
 * @typedef {object} Form how the parameters are sent
 * @property {string} method
 * @property {string} contentType empty: in the query string
 * @property {string} label
 *
 * @typedef {object} Refused
 * @property {string} code
 * @property {string} status
 * @property {string} when
 * @property {unknown} example
 *
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} title
 * @property {string} description
 * @property {string} tag
 * @property {string} method
 * @property {string} path
 * @property {readonly Parameter[]} parameters without `hash`
 * @property {boolean} isSigned
 * @property {readonly Form[]} forms
 * @property {string | undefined} file an example, where the body is a file
 * @property {unknown} answer an example
 * @property {readonly { name: string, description: string }[]} answerFields
 * @property {readonly Refused[]} refusals its own
 * @property {readonly Refused[]} commonRefusals
 */

const BODY_LABELS = new Map([
  ['application/json', 'JSON'],
  ['application/x-www-form-urlencoded', 'form'],
  ['multipart/form-data', 'multipart form'],
  ['text/csv', 'CSV file'],
  ['application/x-ndjson', 'JSON lines file'],
]);

/**
 * @param {OpenApiDocument} api
 * @returns {Operation[]}
 */
export function operationsOf(api) {
  return Object.entries(api.paths).flatMap(([path, methods]) => {
    const [method, described] =
      'get' in methods ? ['get', methods['get']] : ['post', methods['post']];
    // This page cannot sign a whole request.
    if (described === undefined || isSignedAsAWhole(described)) return [];
    return [describe(api, path, method.toUpperCase(), described)];
  });
}

/** @param {Described} described */
function isSignedAsAWhole({ parameters = [] }) {
  return parameters.some(({ name }) => name === 'X-Signature');
}

/**
 * @param {OpenApiDocument} api
 * @param {string} path
 * @param {string} method
 * @param {Described} described
 * @returns {Operation}
 */
function describe(api, path, method, described) {
  const all = parametersOf(api, described);
  const success = described.responses['200']?.content?.['application/json'];
  const { default: common, ...own } = described.responses;
  const file = described.requestBody?.content['text/csv']?.example;
  return {
    id: described.operationId,
    title: described.summary,
    description: described.description,
    tag: described.tags[0] ?? '',
    method,
    path,
    parameters: all.filter(({ name }) => name !== 'hash'),
    isSigned: all.some(({ name }) => name === 'hash'),
    forms: formsOf(method, api.paths[path]?.['post']),
    file: typeof file === 'string' ? file : undefined,
    answer: success?.example,
    answerFields: fieldsOf(api, success?.schema, ''),
    refusals: Object.entries(own).flatMap(([status, response]) =>
      status === '200' ? [] : refusalsOf(api, response),
    ),
    commonRefusals: common === undefined ? [] : refusalsOf(api, common),
  };
}

/**
 * @param {OpenApiDocument} api
 * @param {Described} described
 * @returns {Parameter[]}
 */
function parametersOf(api, described) {
  if (described.parameters !== undefined) {
    return described.parameters.map(({ name, description, required, schema, example }) => ({
      name,
      description,
      isRequired: required === true,
      example,
      choices: choicesOf(schema),
    }));
  }
  const media = described.requestBody?.content['application/json'];
  const schema = resolve(api, media?.schema);
  const examples = /** @type {Record<string, string>} */ (media?.example ?? {});
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    description: property.description ?? '',
    isRequired: schema?.required?.includes(name) ?? false,
    example: examples[name],
    choices: choicesOf(property),
  }));
}

/** @param {Schema} schema */
function choicesOf({ pattern = '' }) {
  return /^\^\(((?:\w+\|)+\w+)\)\$$/.exec(pattern)?.[1]?.split('|') ?? [];
}

/**
 * @param {string} method
 * @param {Described | undefined} post
 * @returns {Form[]}
 */
function formsOf(method, post) {
  const bodies = Object.keys(post?.requestBody?.content ?? {}).map((contentType) => ({
    method: 'POST',
    contentType,
    label: `POST, ${BODY_LABELS.get(contentType) ?? contentType}`,
  }));
  if (method === 'POST') return bodies;
  return [{ method, contentType: '', label: 'GET, query string' }, ...bodies];
}

/**
 * @param {OpenApiDocument} api
 * @param {Response} response
 * @returns {Refused[]}
 */
function refusalsOf(api, response) {
  const name = response.$ref?.split('/').at(-1) ?? '';
  const { description = '', content } = api.components.responses[name] ?? response;
  const reasons = new Map(
    [...description.matchAll(/^`(\w+)`: (.*)$/gm)].map(([, code = '', when = '']) => [code, when]),
  );
  return Object.entries(content?.['application/json']?.examples ?? {}).map(([code, example]) => ({
    code,
    status: String(/** @type {{ header_status?: number }} */ (example.value).header_status ?? ''),
    when: reasons.get(code) ?? example.summary,
    example: example.value,
  }));
}

/**
 * The fields that an answer has and what they mean, by their path.
 * @param {OpenApiDocument} api
 * @param {Schema | undefined} schema
 * @param {string} path
 * @returns {{ name: string, description: string }[]}
 */
function fieldsOf(api, schema, path) {
  const resolved = resolve(api, schema);
  if (resolved === undefined) return [];
  const own =
    path !== '' && resolved.description !== undefined
      ? [{ name: path, description: resolved.description }]
      : [];
  const children = Object.entries(resolved.properties ?? {}).flatMap(([name, child]) =>
    fieldsOf(api, child, path === '' ? name : `${path}.${name}`),
  );
  const others = (resolved.anyOf ?? []).flatMap((other) => fieldsOf(api, other, path));
  return [...own, ...children, ...others, ...fieldsOf(api, resolved.items, `${path}[]`)];
}

/**
 * @param {OpenApiDocument} api
 * @param {Schema | undefined} schema
 */
function resolve(api, schema) {
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : api.components.schemas[name];
}
