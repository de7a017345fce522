import type { TObject, TSchema } from 'typebox';
import { refusalResponses } from './openapi-responses.ts';
import type { Components } from './openapi-responses.ts';
import type { AnyResource } from './resource.ts';

type Json = Readonly<Record<string, unknown>>;

/** One resource in the OpenAPI document: the parameters of path and query, a JSON body, the answer. */
export function describeResource(resource: AnyResource, { schemas, responses }: Components): Json {
  const { name, tag, summary, description, params, query, body, signedBy, example } = resource;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  const given: Json = { ...example.params, ...example.query };
  const of = (place: string, properties: Json, required: readonly string[]): Json[] =>
    Object.entries(properties).map(([own, schema]) =>
      describeParameter(schema as TSchema, {
        name: own,
        in: place,
        required: required.includes(own),
        // An optional parameter has one only if the operation's example sends it.
        example: given[own] ?? (required.includes(own) ? exampleOf(schema as TSchema) : undefined),
      }),
    );
  const signing = signedBy.parameters;
  return {
    operationId: name,
    summary,
    tags: [tag],
    description,
    parameters: [
      ...of('path', params?.properties ?? {}, Object.keys(params?.properties ?? {})),
      ...of('query', { ...signing, ...query?.properties }, [
        ...Object.keys(signing),
        ...requiredOf(query),
      ]),
      SIGNATURE,
    ],
    ...(body === undefined ? {} : { requestBody: describeBody(title, resource, schemas) }),
    responses: {
      200: { description: 'Success.', content: describeAnswer(title, resource, schemas) },
      ...refusalResponses(resource, responses),
    },
  };
}

const SIGNATURE: Json = {
  name: 'X-Signature',
  in: 'header',
  required: true,
  description:
    'Signature of the whole request, version 2: `v2,t=<epoch seconds>,nonce=<16 to 64 characters>,sig=<HMAC-SHA-256 in hexadecimal>`. See the guide “Sign the whole request”.',
  schema: {
    type: 'string',
    pattern: '^v2,t=\\d{1,12},nonce=[A-Za-z0-9_-]{16,64},sig=[0-9a-fA-F]{64}$',
  },
  example: `v2,t=1795413600,nonce=4f1c2a9e7b3d58604f1c2a9e7b3d5860,sig=${'0'.repeat(64)}`,
};

function requiredOf(schema: TObject | undefined): string[] {
  const required: readonly string[] | undefined = schema?.required;
  return [...(required ?? [])];
}

function exampleOf({ examples }: TSchema & { readonly examples?: unknown }): unknown {
  return Array.isArray(examples) ? examples[0] : undefined;
}

/** Without `form`, our own property that refusals quote. */
function describeParameter(schema: TSchema, about: Json): Json {
  const { description, examples: _examples, form: _form, ...rest } = schema as Json;
  const { example, ...place } = about;
  return { schema: rest, ...place, description, ...(example === undefined ? {} : { example }) };
}

function describeBody(
  title: string,
  { body, example }: AnyResource,
  schemas: Components['schemas'],
): Json {
  const properties = Object.entries(body?.properties ?? {}).map(([own, schema]) => {
    const { form: _form, ...rest } = schema as Json;
    return [own, rest] as const;
  });
  schemas.set(`${title}Request`, { ...body, properties: Object.fromEntries(properties) });
  const schema = { $ref: `#/components/schemas/${title}Request` };
  const isRequired = requiredOf(body).length > 0;
  return {
    required: isRequired,
    content: { 'application/json': { schema, example: example.body } },
  };
}

function describeAnswer(
  title: string,
  { response, example }: AnyResource,
  schemas: Components['schemas'],
): Json {
  if (typeof response === 'string') {
    return { [response]: { schema: { type: 'string' }, example: example.answer } };
  }
  schemas.set(`${title}Answer`, response);
  const schema = { $ref: `#/components/schemas/${title}Answer` };
  return { 'application/json': { schema, example: example.answer } };
}
