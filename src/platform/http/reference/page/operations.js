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
 * @property {{ name: string, in: string, description: string, required?: boolean, schema: Schema, example?: string }[]} [parameters]
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
 * @property {'path' | 'query' | 'body'} place
 * @property {string} type of a value in JSON
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
 * @property {'hash' | 'header' | undefined} signature
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
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) =>
      // The same operation as GET, with its parameters in a body.
      described.operationId.endsWith('_post')
        ? []
        : [describe(api, path, method.toUpperCase(), described)],
    ),
  );
}

/**
 * The whole request is signed.
 * @param {Described} described
 */
function isSignedByHeader({ parameters = [] }) {
  return parameters.some((parameter) => parameter.in === 'header');
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
  const byHeader = isSignedByHeader(described);
  const [success] = Object.values(described.responses['200']?.content ?? {});
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
    signature: byHeader ? 'header' : all.some(({ name }) => name === 'hash') ? 'hash' : undefined,
    forms: byHeader ? [formOf(method, described)] : formsOf(method, api.paths[path]?.['post']),
    file: typeof file === 'string' ? file : undefined,
    answer: success?.example,
    answerFields: fieldsOf(api, success?.schema, ''),
    refusals: Object.entries(own).flatMap(([status, response]) =>
      status === '200' ? [] : refusalsOf(api, response, status),
    ),
    commonRefusals: common === undefined ? [] : refusalsOf(api, common, ''),
  };
}

/**
 * @param {OpenApiDocument} api
 * @param {Described} described
 * @returns {Parameter[]}
 */
function parametersOf(api, described) {
  const { parameters = [], requestBody } = described;
  const given = parameters.flatMap(({ name, in: place, description, required, schema, example }) =>
    place === 'header'
      ? []
      : {
          name,
          description,
          isRequired: required === true,
          example,
          choices: choicesOf(schema),
          place: /** @type {'path' | 'query'} */ (place),
          type: 'string',
        },
  );
  // The parameters of a file are in the query string.
  return requestBody === undefined || 'text/csv' in requestBody.content
    ? given
    : [...given, ...bodyParametersOf(api, described)];
}

/**
 * @param {OpenApiDocument} api
 * @param {Described} described
 * @returns {Parameter[]}
 */
function bodyParametersOf(api, described) {
  const media = described.requestBody?.content['application/json'];
  const schema = resolve(api, media?.schema);
  const examples = /** @type {Record<string, unknown>} */ (media?.example ?? {});
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    description: property.description ?? '',
    isRequired: schema?.required?.includes(name) ?? false,
    example: textOf(examples[name]),
    choices: choicesOf(property),
    place: 'body',
    type: property.type ?? 'string',
  }));
}

/**
 * As it is written into a field.
 * @param {unknown} example
 */
function textOf(example) {
  if (example === undefined || typeof example === 'string') return example;
  return Array.isArray(example) ? example.join(',') : JSON.stringify(example);
}

/** @param {Schema} schema */
function choicesOf({ pattern = '', enum: values }) {
  return values ?? /^\^\(((?:\w+\|)+\w+)\)\$$/.exec(pattern)?.[1]?.split('|') ?? [];
}

/**
 * The only form of an operation that is signed as a whole.
 * @param {string} method
 * @param {Described} described
 * @returns {Form}
 */
function formOf(method, { requestBody }) {
  return requestBody === undefined
    ? { method, contentType: '', label: method }
    : { method, contentType: 'application/json', label: `${method}, JSON` };
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
 * @param {string} status empty: as the example says
 * @returns {Refused[]}
 */
function refusalsOf(api, response, status) {
  const name = response.$ref?.split('/').at(-1) ?? '';
  const { description = '', content } = api.components.responses[name] ?? response;
  const reasons = new Map(
    [...description.matchAll(/^`(\w+)`: (.*)$/gm)].map(([, code = '', when = '']) => [code, when]),
  );
  return Object.entries(content?.['application/json']?.examples ?? {}).map(([code, example]) => ({
    code,
    status:
      status ||
      String(/** @type {{ header_status?: number }} */ (example.value).header_status ?? ''),
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
