import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { HASH_FIELD } from '../base/canonical.ts';
import { EXAMPLES, requestExample } from './openapi-examples.ts';
import { introduction } from './openapi-introduction.ts';
import { COMMON_REFUSALS, refusalResponse, refusalResponses } from './openapi-refusals.ts';

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Json };
  readonly responses: Readonly<Record<string, { readonly content?: Json }>>;
}

/** What operations refer to, by name. */
interface Components {
  readonly schemas: Map<string, unknown>;
  readonly responses: Map<string, unknown>;
}

/** How an operation's POST twin is told from its GET. */
const TWIN_SUFFIX = '_post';

/** JSON first: the reference page then offers whole bodies to try. */
const BODY_FORMS = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const;

/** Collects the routes' schemas. Add it before the routes; `app.swagger()` gives the document. */
export async function addOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    // Health, metrics and the operators' callbacks are no part of the vendors' contract.
    hideUntagged: true,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Malipo',
        version: '2.0.0',
        description: introduction({ isSandbox: true }),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      // Relative to where the document was read from, whatever host and proxy that is.
      servers: [{ url: '/', description: 'This server' }],
      tags: [
        { name: 'Funding', description: 'From collected income to the float.' },
        { name: 'Billing', description: 'Billers and payments.' },
        { name: 'Scoring', description: 'Credit information about a customer.' },
      ],
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? (describe(document.openapiObject as unknown as Json) as typeof document.openapiObject)
        : document.swaggerObject,
  });
}

/**
 * From what the schemas give to what a reader needs: every body form, named schemas, refusals with
 * examples, a signed example for each operation.
 */
function describe(document: Json): Json {
  const components: Components = { schemas: new Map(), responses: new Map() };
  components.responses.set('Refusal', refusalResponse(COMMON_REFUSALS));
  const paths = Object.entries(document['paths'] as Record<string, Record<string, Operation>>).map(
    ([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          describeOperation(operation, components),
        ]),
      ),
    ],
  );
  return {
    ...document,
    components: {
      responses: byName(components.responses),
      schemas: byName(components.schemas),
    },
    paths: Object.fromEntries(paths),
  };
}

function byName(components: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function formOf(operation: Operation, answer: Json) {
  return {
    atTopLevel: 'text' in ((answer['properties'] ?? {}) as Json),
    hasBureauCode: operation.tags.includes('Scoring'),
  };
}

function describeOperation(operation: Operation, { schemas, responses: named }: Components): Json {
  const isTwin = operation.operationId.endsWith(TWIN_SUFFIX);
  const name = isTwin ? operation.operationId.slice(0, -TWIN_SUFFIX.length) : operation.operationId;
  const { requestBody, parameters, responses, ...rest } = operation;
  const answer = jsonSchemaOf(responses['200']?.content);
  const refusal = jsonSchemaOf(responses['default']?.content);
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  schemas.set(`${title}Answer`, answer);
  schemas.set('Refusal', refusal);
  const isFile = EXAMPLES[name]?.file !== undefined;
  if (requestBody !== undefined) {
    schemas.set(
      `${title}Request`,
      isFile
        ? withoutOwnKeywords(fileSchemaOf(requestBody.content))
        : requestSchemaOf(requestBody.content),
    );
  }
  return {
    ...rest,
    ...(isTwin
      ? {
          summary: `${operation.summary} (by POST)`,
          description: `The same as GET, with the parameters in the body. ${operation.description}`,
        }
      : {}),
    ...(parameters === undefined ? {} : { parameters: parameters.map(describeParameter(name)) }),
    ...(requestBody === undefined ? {} : { requestBody: describeBody(name, `${title}Request`) }),
    responses: {
      200: {
        description: 'Success.',
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${title}Answer` },
            ...(EXAMPLES[name] === undefined ? {} : { example: EXAMPLES[name].answer }),
          },
        },
      },
      ...refusalResponses(name, formOf(operation, answer), named),
    },
  };
}

function describeParameter(name: string): (parameter: Json) => Json {
  const example = requestExample(name);
  return (parameter) => {
    const value = example?.[String(parameter['name'])];
    return {
      ...parameter,
      schema: withoutOwnKeywords(parameter['schema'] as Json),
      ...(value === undefined ? {} : { example: value }),
    };
  };
}

function describeBody(name: string, schemaName: string): Json {
  const file = EXAMPLES[name]?.file;
  if (file !== undefined) return describeFile(file, schemaName);
  const example = requestExample(name);
  const media = {
    schema: { $ref: `#/components/schemas/${schemaName}` },
    ...(example === undefined ? {} : { example }),
  };
  return { required: true, content: Object.fromEntries(BODY_FORMS.map((form) => [form, media])) };
}

/** A file as the body itself, or as the part `file`. */
function describeFile(example: string, schemaName: string): Json {
  const schema = { $ref: `#/components/schemas/${schemaName}` };
  return {
    required: true,
    content: {
      'text/csv': { schema, example },
      'application/x-ndjson': { schema },
      'multipart/form-data': {
        schema: { type: 'object', properties: { file: schema }, required: ['file'] },
      },
    },
  };
}

function fileSchemaOf(content: Json): Json {
  return (content['text/csv'] as { readonly schema: Json }).schema;
}

function jsonSchemaOf(content: Json | undefined): Json {
  const media = content?.['application/json'] as { readonly schema: Json } | undefined;
  if (media === undefined) throw new Error('an operation of the contract has no JSON schema');
  return withoutOwnKeywords(media.schema);
}

/** An operation without a signature ignores what it does not know; all others refuse it. */
function requestSchemaOf(content: Json): Json {
  const schema = jsonSchemaOf(content);
  const isSigned = HASH_FIELD in (schema['properties'] as Json);
  return isSigned ? { ...schema, additionalProperties: false } : schema;
}

/** `form` is our own: the half sentence that refusals are made of. */
function withoutOwnKeywords(schema: Json): Json {
  const { form: _form, ...rest } = schema;
  const clean: Record<string, unknown> = { ...rest };
  for (const keyword of ['properties', 'patternProperties']) {
    const children = clean[keyword] as Record<string, Json> | undefined;
    if (children === undefined) continue;
    clean[keyword] = Object.fromEntries(
      Object.entries(children).map(([name, child]) => [name, withoutOwnKeywords(child)]),
    );
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const children = clean[keyword] as Json[] | undefined;
    if (children !== undefined) clean[keyword] = children.map(withoutOwnKeywords);
  }
  if (clean['items'] !== undefined) clean['items'] = withoutOwnKeywords(clean['items'] as Json);
  return clean;
}
