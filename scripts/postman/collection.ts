import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEMO_KEYS } from '../../src/parties/http/demo-signers.ts';
import {
  currentTime,
  isReference,
  isSecretReference,
  sourceOf,
} from '../../src/platform/http/reference/page/examples.js';
import { operationsOf } from '../../src/platform/http/reference/page/operations.js';

type OpenApi = Parameters<typeof operationsOf>[0];
type Operation = ReturnType<typeof operationsOf>[number];

/** Where the operations of a tag are, if not with the others. A live service may have three addresses. */
const ORIGINS: ReadonlyMap<string, string> = new Map([
  ['Funding', 'fund_origin'],
  ['Scoring', 'scoring_origin'],
]);

/** Parameters that have a variable of the same name. */
const VARIABLES: ReadonlySet<string> = new Set(['vid', 'collector', 'hash', 'sha256']);

/** Variables of Postman, which Bruno has too. */
const NOW_IN_SECONDS = '{{$timestamp}}';
const NOW = '{{$isoTimestamp}}';
const UNIQUE = '{{$guid}}';

/** The collection of all operations, in Postman’s format 2.1, for the vendors of the sandbox. */
export async function postmanCollection(document: object): Promise<object> {
  const api = document as OpenApi;
  const operations = operationsOf(api);
  const sign = await readFile(path.join(import.meta.dirname, 'sign.js'), 'utf8');
  return {
    info: {
      name: 'Malipo',
      description: INTRODUCTION,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: variablesOf(operations),
    event: [scriptOf('prerequest', sign)],
    item: api.tags.map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ tag }) => tag === name)
        .map((operation) => itemOf(operation, operations, bodyOf(api, operation))),
    })),
  };
}

const INTRODUCTION = `Every operation of Malipo, signed when it is sent. Generated from \`openapi.json\`.

Set the variables of the collection: \`origin\`, \`vid\` and \`key\`. They begin with the sandbox (\`npm start\`) and its vendor \`demo\`. \`fund_origin\` and \`scoring_origin\` are \`origin\` unless the company that runs the service gave you other addresses; \`collector\` and \`collector_key\` are for collectors only.

A script of the collection fills in \`hash\` and the header \`X-Signature\`. Switch the header off to sign with \`hash\` alone. Bodies are sent raw, as JSON or as a file. A reference that an answer contains goes into a variable, so that you can ask about what you have just made.`;

function variablesOf(operations: readonly Operation[]): object[] {
  const named = operations.flatMap((operation) =>
    operation.parameters.flatMap(({ name, place, example = '' }) => {
      const source = sourceOf(operation, name);
      if (source !== undefined) return [[source.field, example] as const];
      return place === 'path' ? [[name, example] as const] : [];
    }),
  );
  const values = new Map<string, string>([
    ['origin', 'http://127.0.0.1:8080'],
    ['fund_origin', '{{origin}}'],
    ['scoring_origin', '{{origin}}'],
    ['vid', 'demo'],
    ['key', DEMO_KEYS.demo],
    ['collector', 'demo-collector'],
    ['collector_key', DEMO_KEYS['demo-collector']],
    ...named,
  ]);
  return [...values].map(([key, value]) => ({ key, value }));
}

/** One request; after its answer, the reference of what it made is kept for those that ask about it. */
function itemOf(
  operation: Operation,
  operations: readonly Operation[],
  body: string | undefined,
): object {
  const { title, description, method } = operation;
  const contentType = operation.file === undefined ? 'application/json' : 'text/csv';
  const kept = new Set(
    operations.flatMap((other) =>
      other.parameters.flatMap(({ name }) => {
        const source = sourceOf(other, name);
        return source?.from === operation.id ? source.field : [];
      }),
    ),
  );
  return {
    name: title,
    ...(kept.size > 0 && { event: [...kept].map((field) => scriptOf('test', keeping(field))) }),
    request: {
      method,
      header: [
        ...(operation.signature === undefined
          ? []
          : [
              { key: 'X-Signature', value: '', description: 'Filled in when the request is sent.' },
            ]),
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: contentType }]),
      ],
      url: urlOf(operation),
      ...(body !== undefined && {
        body: {
          mode: 'raw',
          raw: body,
          options: { raw: { language: operation.file === undefined ? 'json' : 'text' } },
        },
      }),
      description,
    },
  };
}

/** Scoring operations answer at the top, the others in `msg`. */
function keeping(field: string): string {
  return `const answer = pm.response.json();
const value = { ...answer, ...answer.msg }.${field};
if (value) pm.collectionVariables.set('${field}', value);
`;
}

function urlOf(operation: Operation): object {
  const origin = `{{${ORIGINS.get(operation.tag) ?? 'origin'}}}`;
  const segments = operation.path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `{{${variableOf(operation, name)}}}`)
    .split('/');
  const query = operation.parameters
    .filter(({ place }) => place === 'query')
    .map(({ name, description, example, isRequired }) => ({
      key: name,
      value: valueOf(operation, name, example ?? ''),
      description,
      // Optional ones are there to be switched on.
      ...(example === undefined && !isRequired && { disabled: true }),
    }));
  if (query.length > 0 && operation.signature === 'hash') {
    query.push({ key: 'hash', value: '{{hash}}', description: 'Filled in when it is sent.' });
  }
  const sent = query.flatMap((one) => ('disabled' in one ? [] : `${one.key}=${one.value}`));
  return {
    raw: `${origin}/${segments.join('/')}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
    host: [origin],
    path: segments,
    ...(query.length > 0 && { query }),
  };
}

function variableOf(operation: Operation, name: string): string {
  return sourceOf(operation, name)?.field ?? name;
}

/** Value that a parameter is sent with: the example, or one that has to be new each time. */
function valueOf(operation: Operation, name: string, example: string): string {
  if (VARIABLES.has(name)) return `{{${name}}}`;
  const source = sourceOf(operation, name);
  if (source !== undefined) return `{{${source.field}}}`;
  if (currentTime(operation, name) !== undefined) {
    return /^\d+$/.test(example) ? NOW_IN_SECONDS : NOW;
  }
  if (!isReference(operation, name)) return example;
  if (isSecretReference(name)) return UNIQUE;
  const word = /^[a-z]+/i.exec(example)?.[0] ?? 'ref';
  // Of letters and digits only.
  return name === 'requestReference' ? `${word}${NOW_IN_SECONDS}` : `${word}-${UNIQUE}`;
}

/** The example of the body, with variables; undefined if there is none. */
function bodyOf(api: OpenApi, operation: Operation): string | undefined {
  if (operation.file !== undefined) return operation.file;
  const described = api.paths[operation.path]?.[operation.method.toLowerCase()];
  const example = described?.requestBody?.content['application/json']?.example;
  if (example === undefined) return undefined;
  const values = Object.entries(example as Record<string, unknown>).map(([name, value]) => [
    name,
    typeof value === 'string' ? valueOf(operation, name, value) : value,
  ]);
  return JSON.stringify(Object.fromEntries(values), undefined, 2);
}

function scriptOf(listen: 'prerequest' | 'test', text: string): object {
  return { listen, script: { type: 'text/javascript', exec: text.trimEnd().split('\n') } };
}
