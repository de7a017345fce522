import { ERRORS } from '../platform/base/errors.ts';
import type { ErrorCode } from '../platform/base/errors.ts';
import { resourceRefusalSchema } from '../platform/http/resource-refusals.ts';
import { propertiesOf } from '../staff/definition.ts';
import type { AnyAction, Definition, Noun } from '../staff/definition.ts';
import { httpRoutesOf, partsOf } from '../staff/http.ts';
import { jobView } from '../staff/job-schema.ts';
import type { HttpRoute } from '../staff/http.ts';
import { sessionView, signInBody, startedView } from './session-routes.ts';

type Json = Readonly<Record<string, unknown>>;

/** JSON schema and OpenAPI know these; everything else is for our own surfaces. */
const KNOWN = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'enum', 'const'],
  ...['pattern', 'patternProperties', 'format', 'description', 'default', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'title'],
]);

/** The OpenAPI document of the staff API, made of the definitions. */
export function staffDocument({
  nouns,
  version,
}: {
  readonly nouns: readonly Noun[];
  readonly version: string;
}): Json {
  const paths: Record<string, Record<string, unknown>> = { '/admin/v1/session': session() };
  for (const noun of nouns) {
    for (const route of httpRoutesOf(noun.definitions)) {
      const path = `/admin/v1${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(noun, route) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Malipo staff API',
      version,
      description:
        'What the operating company’s people see and do, for its own programs. Send a token in `Authorization: Bearer …`: a program’s, which an administrator makes with `malipo token add`, or a person’s, which `POST /admin/v1/session` returns. A program reads and proposes; a person decides. Amounts are decimal text in KES, times ISO 8601 in UTC.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ token: [] }],
    tags: nouns.map(({ command, summary }) => ({ name: command, description: summary })),
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Refusal: plain(resourceRefusalSchema) },
    },
  };
}

function operation({ command }: Noun, { of, method, format }: HttpRoute): Json {
  const { params, query, body } = partsOf(of);
  const isAction = of.kind === 'action';
  const file = fileType(of, format);
  return {
    operationId: `${of.name}${format === undefined ? '' : `.${format}`}`,
    summary: of.summary,
    tags: [command],
    description: `Permission: \`${of.permission}\`.${isAction ? ` ${whoMay(of)}` : ''}`,
    parameters: [
      ...parameters('path', params),
      ...parameters('query', query ?? {}),
      ...(format === undefined ? [] : [COLUMNS]),
      ...(isAction ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body !== undefined && method === 'POST' && { requestBody: json(body) }),
    ...(of.file !== undefined && { requestBody: SENT_FILE }),
    responses: {
      200: {
        description: file === undefined ? 'Success.' : 'The file.',
        content: file === undefined ? contentOf(of) : { [file]: {} },
      },
      ...REFUSALS,
    },
  };
}

function fileType(of: Definition, format: HttpRoute['format']): string | undefined {
  if (of.kind === 'download') return 'application/octet-stream';
  if (format === undefined) return undefined;
  return format === 'csv'
    ? 'text/csv'
    : 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
}

function contentOf(of: Definition): Json {
  if (!('output' in of)) return {};
  const answer = of.kind === 'action' && of.isJob === true ? jobView : of.output;
  return json(answer)['content'] as Json;
}

function whoMay({ proposes, decides, programsMay }: AnyAction): string {
  if (decides === true) return 'A person decides, not a program.';
  if (proposes !== undefined) return 'Another person decides about the proposal.';
  return programsMay === true ? '' : 'A person does this, not a program.';
}

const json = (schema: object): Json => ({
  required: true,
  content: { 'application/json': { schema: plain(schema) } },
});

const SENT_FILE: Json = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

const COLUMNS: Json = {
  name: 'columns',
  in: 'query',
  required: false,
  description: 'The columns, by their names and separated by commas. Default: all.',
  schema: { type: 'string' },
};

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Chosen by you. A repeat within a day returns the first answer again, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
};

const CODES: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['malformed_request', 'ambiguous_request', 'unknown_field', 'missing_field'] as const),
  ...(['invalid_field', 'not_signed_in', 'sign_in_failed', 'code_required'] as const),
  ...([
    'not_permitted',
    'not_confirmed',
    'console_read_only',
    'not_found',
    'unknown_path',
  ] as const),
  ...(['unknown_vendor', 'reference_reused', 'changed_meanwhile', 'too_many_requests'] as const),
  ...(['internal_error', 'outcome_unknown', 'overloaded', 'unavailable'] as const),
]);

/** Everything that may be refused, by status. */
const REFUSALS: Json = Object.fromEntries(
  [400, 401, 403, 404, 409, 429, 500, 503].map((status) => [
    status,
    {
      description: Object.entries(ERRORS)

        .filter(([code, error]) => error.status === status && CODES.has(code))
        .map(([code]) => `\`${code}\``)
        .join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
    },
  ]),
);

function parameters(place: 'path' | 'query', schema: object): Json[] {
  const { required = [] } = schema as { readonly required?: readonly string[] };
  return propertiesOf(schema).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required.includes(name) && property.default === undefined),
    ...(property.description !== undefined && { description: property.description }),
    schema: plain(property),
  }));
}

/** The schema without our own keywords. A property with a default is not required. */
function plain(schema: object): unknown {
  if (Array.isArray(schema)) return schema.map((each: unknown) => plainValue(each));
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> };
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => KNOWN.has(name))
      .map(([name, value]: [string, unknown]) => {
        if (name === 'properties' || name === 'patternProperties') {
          const own = Object.entries(value as Record<string, unknown>);
          return [name, Object.fromEntries(own.map(([key, each]) => [key, plainValue(each)]))];
        }
        if (name === 'required') {
          const names = value as readonly string[];
          return [name, names.filter((each) => properties[each]?.default === undefined)];
        }
        return [name, name === 'default' ? value : plainValue(value)];
      }),
  );
}

const plainValue = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? plain(value) : value;

function session(): Record<string, unknown> {
  const tags = ['session'];
  const answers = (schema: object): Json => ({
    200: { description: 'Success.', content: json(schema)['content'] as Json },
    ...REFUSALS,
  });
  return {
    get: {
      ...{ operationId: 'session.show', summary: 'Whose token it is, and what it may.', tags },
      responses: answers(sessionView),
    },
    post: {
      ...{ operationId: 'session.start', tags, security: [] },
      summary: 'A person’s token, for the login, the password and a one-time code.',
      requestBody: json(signInBody),
      responses: answers(startedView),
    },
    delete: {
      ...{ operationId: 'session.end', summary: 'Ends the person’s token.', tags },
      responses: { 204: { description: 'Ended.' }, ...REFUSALS },
    },
  };
}
