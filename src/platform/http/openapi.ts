import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import type { AnyOperation } from './operation.ts';
import { describeResource } from './openapi-resource.ts';
import { commonRefusalResponses, refusalResponses } from './openapi-responses.ts';
import type { Components } from './openapi-responses.ts';
import { templateOf } from './resource.ts';
import type { AnyResource } from './resource.ts';
import { resourceRefusalSchema } from './resource-refusals.ts';
import { refusalSchema } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** Everything that the document describes. */
export interface Contract {
  readonly operations: readonly AnyOperation[];
  readonly resources: readonly AnyResource[];
}

/** The parts of the document other than the operations. */
export interface ContractInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly license: Json;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

/** JSON first, so that the reference page offers whole bodies to try. */
const BODY_FORMS = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const;

/** The OpenAPI document of the operations: every body format, named schemas, signed examples. */
export function openApiDocument(
  { operations, resources }: Contract,
  { tags, ...info }: ContractInfo,
): Json {
  const components: Components = {
    schemas: new Map<string, unknown>([
      ['Refusal', refusalSchema],
      ['ResourceRefusal', resourceRefusalSchema],
    ]),
    responses: new Map(commonRefusalResponses()),
  };
  const paths = new Map(
    operations.map((operation) => [operation.path, describeOperation(operation, components)]),
  );
  for (const resource of resources) {
    const path = templateOf(resource);
    const described = describeResource(resource, components);
    paths.set(path, { ...paths.get(path), [resource.method.toLowerCase()]: described });
  }
  return {
    openapi: '3.1.0',
    info,
    components: {
      responses: byName(components.responses),
      schemas: byName(components.schemas),
    },
    paths: Object.fromEntries(paths),
    // Relative to the document's own URL, so that any host and proxy works.
    servers: [{ url: '/', description: 'This server' }],
    tags,
  };
}

function byName(components: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** By method. */
function describeOperation(operation: AnyOperation, { schemas, responses }: Components): Json {
  const { name, summary, description, example } = operation;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  schemas.set(`${title}Answer`, operation.response);
  schemas.set(
    `${title}Request`,
    'file' in operation
      ? Type.String({ description: operation.file.description })
      : requestSchema(operation),
  );
  const answer = {
    schema: { $ref: `#/components/schemas/${title}Answer` },
    example: example.answer,
  };
  const all = {
    200: { description: 'Success.', content: { 'application/json': answer } },
    ...refusalResponses(operation, responses),
  };
  const schema = { $ref: `#/components/schemas/${title}Request` };
  const described = (own: Json): Json => ({
    operationId: name,
    summary,
    tags: [operation.tag],
    description,
    ...own,
    responses: all,
  });
  if ('file' in operation) {
    const requestBody = describeFile(operation.file.example, schema);
    return { post: described({ parameters: describeParameters(operation), requestBody }) };
  }
  const requestBody = describeBody(operation, schema);
  if (operation.method === 'POST') return { post: described({ requestBody }) };
  return {
    get: described({ parameters: describeParameters(operation) }),
    post: described({
      operationId: `${name}_post`,
      summary: `${summary} (by POST)`,
      description: `The same as GET, with the parameters in the body. ${description}`,
      requestBody,
    }),
  };
}

/** The example's request as it is sent, signed if the operation is signed. */
function signedExample({ signedBy, example }: AnyOperation): Json {
  return signedBy === undefined ? example.request : signedBy.signExample(example.request);
}

/** The parameters' schemas without our own properties, which the validator reads. */
function parametersOf({ request, signedBy }: AnyOperation): Map<string, Json> {
  const all: Readonly<
    Record<string, TSchema & { readonly form?: string; readonly refusesEmpty?: boolean }>
  > = {
    ...request.properties,
    ...signedBy?.parameters,
  };
  return new Map(
    Object.entries(all).map(([name, { form: _form, refusesEmpty: _refusesEmpty, ...schema }]) => [
      name,
      schema,
    ]),
  );
}

function requiredOf({ request, signedBy }: AnyOperation): string[] {
  const required: readonly string[] | undefined = request.required;
  return [...(required ?? []), ...Object.keys(signedBy?.parameters ?? {})];
}

/** An operation without a signature ignores unknown parameters; all others refuse them. */
function requestSchema(operation: AnyOperation): Json {
  return {
    type: 'object',
    required: requiredOf(operation),
    properties: Object.fromEntries(parametersOf(operation)),
    ...(operation.signedBy === undefined ? {} : { additionalProperties: false }),
  };
}

function describeParameters(operation: AnyOperation): Json[] {
  const example = signedExample(operation);
  const required = requiredOf(operation);
  return [...parametersOf(operation)].map(
    ([name, { description, examples: _examples, ...schema }]) => ({
      schema,
      in: 'query',
      name,
      required: required.includes(name),
      description,
      example: example[name],
    }),
  );
}

function describeBody(operation: AnyOperation, schema: Json): Json {
  const media = { schema, example: signedExample(operation) };
  return { required: true, content: Object.fromEntries(BODY_FORMS.map((form) => [form, media])) };
}

/** A file as the body itself, or as the part `file`. */
function describeFile(example: string, schema: Json): Json {
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
