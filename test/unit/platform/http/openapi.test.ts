import { createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { inertOperations, inertResources } from '../../../../scripts/inert-api.ts';
import { findBreaks } from '../../../../scripts/openapi-compatibility.ts';
import type { OpenApiDocument } from '../../../../scripts/openapi-compatibility.ts';
import { generateReference, openApiDocument } from '../../../../scripts/reference-pages.ts';
import { ERRORS } from '../../../../src/platform/base/errors.ts';
import { canonicalText } from '../../../../src/platform/base/canonical.ts';
import { COMMON_REFUSALS, codesOf, refusalsOf } from '../../../../src/platform/http/refusals.ts';
import { COMMON_RESOURCE_REFUSALS } from '../../../../src/platform/http/resource-refusals.ts';
import { DEMO_KEYS } from '../../../../src/parties/http/demo-signers.ts';
import { sign } from '../../../../src/parties/signature.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

interface Media {
  readonly schema: { readonly $ref: string };
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, Media>> }>
  >;
}

interface Document {
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<
      Record<string, { readonly content: Readonly<Record<string, Media>> }>
    >;
  };
}

const document = openApiDocument() as Document;
const declared = new Map(inertOperations().map((operation) => [operation.name, operation]));
const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, url, ...operation })),
);

const resourceNames = new Set(inertResources().map(({ name }) => name));
const flatOperations = operations.filter(({ operationId }) => !resourceNames.has(operationId));

/** Whether the body is a file, and the parameters are in the query string. */
function isFile(operationId: string): boolean {
  const operation = declared.get(operationId);
  return operation !== undefined && 'file' in operation;
}

function fits(media: Media, value: unknown): boolean {
  const schema = document.components.schemas[media.schema.$ref.split('/').at(-1) ?? ''];
  if (schema === undefined) throw new Error(`${media.schema.$ref} leads nowhere`);
  return Compile(schema).Check(value);
}

/** Without what the formatter decides: line breaks, spaces, and the length of rules in tables. */
function unformatted(file: string, text: string): string {
  if (file.endsWith('.json')) return text === '' ? '' : JSON.stringify(JSON.parse(text));
  return text.replaceAll(/\s+/g, ' ').replaceAll(/-{2,}/g, '-').trim();
}

describe('generated references', () => {
  test('the generated references are what `npm run docs` writes', async () => {
    const stale: string[] = [];
    for (const { file, text } of await generateReference()) {
      const written = await readFile(file, 'utf8').catch(() => '');
      if (unformatted(file, written) !== unformatted(file, text))
        stale.push(path.relative(ROOT, file));
    }
    expect(stale).toEqual([]);
  });
});

describe('openapi.json', () => {
  test('openapi.json is valid OpenAPI 3.1, its references too', async () => {
    const copy = structuredClone(document) as unknown as Record<string, unknown>;
    const { valid, errors } = await new Validator().validate(copy);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(copy['openapi']).toMatch(/^3\.1\./);
  });

  test('does not break clients of the published contract', async () => {
    const file = path.join(ROOT, 'docs/reference/openapi-baseline.json');
    const published = JSON.parse(await readFile(file, 'utf8')) as OpenApiDocument;
    expect(findBreaks(published, document as unknown as OpenApiDocument)).toEqual([]);
  });

  test('has the operations of the specification, each once', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.map(({ method, url }) => `${method} ${url}`)).toEqual(
      expect.arrayContaining([
        'post /payments/v2/billing/fund',
        'get /billing/list',
        'get /billing/biller/status',
        'get /billing/biller/products',
        'post /transaction/create',
        'post /transaction/check/status',
        'post /billing/validate/account',
        'post /billing/phone/lookup',
        'get /billing/account/balance',
      ]),
    );
    expect(Object.keys(document.paths).filter((url) => url.startsWith('/callbacks'))).toEqual([]);
  });

  test('every body comes in all three forms', () => {
    for (const { operationId, requestBody } of flatOperations) {
      if (requestBody === undefined || isFile(operationId)) continue;
      expect([operationId, ...Object.keys(requestBody.content)]).toEqual([
        operationId,
        'application/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ]);
    }
  });
});

describe('the self-service API', () => {
  const resources = operations.filter(({ operationId }) => resourceNames.has(operationId));

  test('has an operation for each resource, with the header’s signature alone', () => {
    expect(resources.map(({ operationId }) => operationId).toSorted()).toEqual(
      [...resourceNames].toSorted(),
    );
    for (const { operationId, parameters = [] } of resources) {
      const named = parameters.map(({ name, in: place }) => `${place} ${name}`);
      expect([operationId, named]).toEqual([
        operationId,
        expect.arrayContaining(['query vid', 'header X-Signature']),
      ]);
      expect(named).not.toContain('query hash');
    }
  });

  test.each(resources)('$method $url has a request and an answer that fit', (operation) => {
    const { requestBody, responses, parameters = [] } = operation;
    const [[type, answer] = []] = Object.entries(responses['200']?.content ?? {});
    if (answer === undefined) throw new Error('no answer');
    if (type === 'application/json') expect(fits(answer, answer.example)).toBe(true);
    else expect(answer.example).toContain('\r\n');
    const [[form, body] = []] = Object.entries(requestBody?.content ?? {});
    if (body !== undefined) {
      expect(form).toBe('application/json');
      expect(fits(body, body.example)).toBe(true);
    }
    for (const { name, required, example } of parameters) {
      if (required === true) expect([name, typeof example]).toEqual([name, 'string']);
    }
  });

  test.each(resources)('$method $url has refusals that fit', ({ responses }) => {
    const { default: other, ...own } = responses;
    expect(other).toEqual({ $ref: '#/components/responses/ResourceRefusal' });
    for (const [status, response] of Object.entries(own)) {
      if (status === '200') continue;
      const named = document.components.responses[response.$ref?.split('/').at(-1) ?? ''];
      const media = named?.content['application/json'];
      if (media === undefined) throw new Error(`${status} leads nowhere`);
      for (const [code, { value }] of Object.entries(media.examples ?? {})) {
        expect(value).toMatchObject({ error: { code } });
        expect(fits(media, value)).toBe(true);
      }
    }
  });
});

describe('examples', () => {
  test.each(flatOperations)('$method $url has a request and an answer that fit', (operation) => {
    const answer = operation.responses['200']?.content?.['application/json'];
    if (answer === undefined) throw new Error('no JSON answer');
    expect(answer.example).toBeDefined();
    expect(fits(answer, answer.example)).toBe(true);
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      if (media.example === undefined && isFile(operation.operationId)) continue;
      expect(media.example).toBeDefined();
      expect(fits(media, media.example)).toBe(true);
    }
    for (const parameter of operation.parameters ?? []) {
      expect([parameter.name, typeof parameter.example]).toEqual([parameter.name, 'string']);
    }
  });

  test.each(flatOperations)('$method $url has refusals that fit', (operation) => {
    const { default: other, ...own } = operation.responses;
    expect(other).toEqual({ $ref: '#/components/responses/Refusal' });
    for (const [status, response] of Object.entries(own)) {
      if (status === '200') continue;
      const named = document.components.responses[response.$ref?.split('/').at(-1) ?? ''];
      const media = named?.content['application/json'];
      if (media === undefined) throw new Error(`${status} leads nowhere`);
      for (const { value } of Object.values(media.examples ?? {})) {
        expect(value).toMatchObject({ header_status: Number(status) });
        expect(fits(media, value)).toBe(true);
      }
    }
  });

  test('a signature holds wherever an operation has one', () => {
    for (const { operationId, requestBody, parameters = [] } of flatOperations) {
      const schema = requestBody?.content['application/json'];
      const names = [...parameters.map(({ name }) => name), ...Object.keys(schema?.example ?? {})];
      const name = operationId.replace(/_post$/, '');
      const { signedBy, example } = declared.get(name) ?? {};
      expect([operationId, signedBy !== undefined]).toEqual([operationId, names.includes('hash')]);
      if (signedBy === undefined || example === undefined) continue;
      const { hash, ...fields } = signedBy.signExample(example.request);
      const key = name === 'collect' ? DEMO_KEYS['demo-collector'] : DEMO_KEYS.demo;
      const text = canonicalText(new Map(Object.entries(fields)));
      expect(hash).toBe(sign(text, createSecretKey(key, 'utf8')));
    }
  });

  test('the introduction shows the guide’s worked example', () => {
    expect(document.info.description).toContain(
      'account=37200009901&amount=100&biller_name=kplc_prepaid&merchant_reference=order-1001&vid=demo',
    );
    expect(document.info.description).toContain(
      '605273d2264a9468bc8ca9e3528566c777c52936691f1751398c2d7518441e41',
    );
  });
});

describe('refusals', () => {
  test('every operation that changes something may leave its outcome unknown, and no other', () => {
    const queries = new Set(['phoneLookup', 'transactionStatus', 'validateAccount']);
    for (const operation of [...inertOperations(), ...inertResources()]) {
      const changes = operation.method !== 'GET' && !queries.has(operation.name);
      expect('outcome_unknown' in operation.refusals, operation.name).toBe(changes);
    }
  });

  test('every code occurs in an operation', () => {
    const declaredRefusals = [...inertOperations(), ...inertResources()].map(refusalsOf);
    const all = [COMMON_REFUSALS, COMMON_RESOURCE_REFUSALS, ...declaredRefusals];
    const said = new Set(all.flatMap(codesOf));
    // Add a new code to the `refusals` of the operations that return it.
    const published = Object.entries(ERRORS).filter(([, entry]) => !('consoleOnly' in entry));
    const codes = published.map(([code]) => code as keyof typeof ERRORS);
    expect(codes.filter((code) => !said.has(code))).toEqual([]);
  });
});
