import { propertiesOf, routeOf } from '../staff/definition.ts';
import type { Definition, Noun, Property } from '../staff/definition.ts';
import { httpRoutesOf, partsOf } from '../staff/http.ts';
import type { HttpRoute } from '../staff/http.ts';

type Json = Readonly<Record<string, unknown>>;

/** The staff API as a collection for Postman, in its format 2.1, which Bruno imports, too. Made of the definitions. */
export function staffCollection({ nouns }: { readonly nouns: readonly Noun[] }): Json {
  const definitions = nouns.flatMap((noun) => noun.definitions);
  const named = new Set(definitions.flatMap((of) => routeOf(of).names));
  return {
    info: {
      name: 'Malipo staff API',
      description:
        'Set the variables of the collection: `origin`, and `token`, which an administrator makes with `malipo token add`. Values that you have to give are empty; what may be left out is switched off in a query, and is not in a body.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: ['origin', 'token', ...named].map((key) => ({ key, value: '' })),
    item: nouns.map(({ command, summary, definitions: own }) => ({
      name: command,
      description: summary,
      item: httpRoutesOf(own)
        .filter(({ format }) => format !== 'xlsx')
        .map((route) => itemOf(route)),
    })),
  };
}

function itemOf({ of, method, path, format }: HttpRoute): Json {
  const { query, body } = partsOf(of);
  return {
    name: format === undefined ? of.name : `${of.name}.${format}`,
    request: {
      method,
      description: descriptionOf(of),
      ...(of.kind === 'action' && {
        header: [{ key: 'Idempotency-Key', value: '{{$guid}}', disabled: true }],
      }),
      url: urlOf(path, query === undefined ? [] : propertiesOf(query), query ?? {}),
      ...(of.file !== undefined && { body: { mode: 'file' } }),
      ...(body !== undefined && {
        body: {
          ...{ mode: 'raw', options: { raw: { language: 'json' } } },
          raw: JSON.stringify(bodyOf(body), undefined, 2),
        },
      }),
    },
  };
}

function descriptionOf({ summary, permission, input }: Definition): string {
  const lines = propertiesOf(input).map(
    ([name, { description = '' }]) => `- \`${name}\`: ${description}`,
  );
  return [summary, `Permission: \`${permission}\`.`, lines.join('\n')].join('\n\n');
}

const isNeeded = (schema: object, name: string, { default: usual }: Property): boolean =>
  usual === undefined &&
  ((schema as { readonly required?: readonly string[] }).required ?? []).includes(name);

function urlOf(path: string, query: readonly [string, Property][], schema: object): Json {
  const segments = `admin/v1${path}`.replaceAll(/:(\w+)/g, '{{$1}}').split('/');
  return {
    raw: `{{origin}}/${segments.join('/')}`,
    host: ['{{origin}}'],
    path: segments,
    query: query.map(([key, property]) => ({
      ...{ key, value: textOf(property.default), description: property.description },
      // Optional ones are there to be switched on.
      ...(!isNeeded(schema, key, property) && { disabled: true }),
    })),
  };
}

const textOf = (usual: unknown = ''): string =>
  typeof usual === 'string' ? usual : JSON.stringify(usual);

function bodyOf(schema: object): Json {
  const needed = propertiesOf(schema).filter(([name, property]) =>
    isNeeded(schema, name, property),
  );
  return Object.fromEntries(needed.map(([name, property]) => [name, emptyOf(property)]));
}

function emptyOf({ type, enum: [first] = [] }: Property): unknown {
  switch (type) {
    case 'array':
      return [];
    case 'object':
      return {};
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return first ?? '';
  }
}
