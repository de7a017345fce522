import { createHash, createHmac, randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import collection from '../../docs/reference/malipo.postman_collection.json' with { type: 'json' };
import document from '../../openapi.json' with { type: 'json' };
import { DEMO_KEYS } from '../../src/parties/http/demo-signers.ts';
import { operationsOf } from '../../src/platform/http/reference/page/operations.js';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { send } from '../support/vendor-client.ts';
import type { WireRequest } from '../support/vendor-client.ts';

// The scripts of the collection run here as Postman and Bruno run them, with as much of the two
// programs as the scripts use. What they sign is sent to a real sandbox.

interface Header {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Item {
  readonly name: string;
  readonly event?: readonly Script[];
  readonly request: {
    readonly method: string;
    readonly header: readonly Header[];
    readonly url: { readonly raw: string };
    readonly body?: { readonly raw: string };
  };
}

interface Script {
  readonly listen: string;
  readonly script: { readonly exec: readonly string[] };
}

type Program = 'Postman' | 'Bruno';
type Variables = Map<string, string>;

const FOLDERS = collection.item as unknown as readonly { readonly item: readonly Item[] }[];
const ITEMS = FOLDERS.flatMap(({ item }) => item);
const [SIGN] = collection.event as readonly Script[];

/** What both programs offer to scripts. */
const CRYPTO = {
  SHA256: (text: string) => createHash('sha256').update(text).digest('hex'),
  HmacSHA256: (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex'),
};

const DYNAMIC: Readonly<Record<string, () => string>> = {
  $guid: () => randomUUID(),
  $timestamp: () => String(Math.floor(Date.now() / 1000)),
  $isoTimestamp: () => new Date().toISOString(),
};

const fixture = new SandboxFixture();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await fixture.start();
}, 180_000);
afterAll(async () => await fixture.cleanUp());

/** A variable may name others. What is no variable stays as it is. */
function fillIn(text: string, variables: Variables): string {
  return text.replaceAll(/\{\{([\w$]+)\}\}/g, (written, name: string) => {
    const value = DYNAMIC[name]?.() ?? variables.get(name);
    return value === undefined ? written : fillIn(value, variables);
  });
}

function variablesFor(vid: 'demo' | 'demo2'): Variables {
  const own = { origin: sandbox.origin, vid, key: DEMO_KEYS[vid] };
  const declared = collection.variable.map(({ key, value }) => [key, value] as const);
  return new Map([...declared, ...Object.entries(own)]);
}

function run({ script }: Script, globals: object): void {
  const required = (name: string) => (name === 'crypto-js' ? CRYPTO : undefined);
  // Declared by Postman, so that a script must not declare it at its top.
  const lines = ['const CryptoJS = undefined;', ...script.exec];
  runInNewContext(lines.join('\n'), { ...globals, require: required });
}

/** What the program sends after it has run the collection’s script. */
function signIn(program: Program, { request }: Item, variables: Variables): WireRequest {
  if (SIGN === undefined) throw new Error('the collection has no script');
  const headers = new Map(
    request.header.flatMap(({ key, value, disabled }) =>
      disabled === true ? [] : [[key, value] as const],
    ),
  );
  let url = request.url.raw;
  const body = request.body === undefined ? undefined : { ...request.body };
  if (program === 'Postman') {
    const asked = {
      method: request.method,
      url: { toString: () => url, update: (value: string) => (url = value) },
      body,
      headers: {
        all: () => request.header,
        upsert: ({ key, value }: Header) => headers.set(key, value),
      },
    };
    const variablesOf = { replaceIn: (text: string) => fillIn(text, variables) };
    run(SIGN, { pm: { request: asked, variables: variablesOf } });
  } else {
    const req = {
      getMethod: () => request.method,
      getUrl: () => url,
      setUrl: (value: string) => (url = value),
      getBody: () => body?.raw,
      setBody: (raw: string) => Object.assign(body ?? {}, { raw }),
      getHeader: (name: string) => headers.get(name),
      setHeader: (name: string, value: string) => headers.set(name, value),
    };
    run(SIGN, { req, bru: { interpolate: (text: string) => fillIn(text, variables) } });
  }
  return {
    method: request.method,
    path: url.slice(sandbox.origin.length),
    headers: Object.fromEntries(headers),
    ...(body !== undefined && { body: body.raw }),
  };
}

/** The rest of a send: the answer, and what the request’s own script keeps of it. */
async function sendSigned(item: Item, request: WireRequest, variables: Variables) {
  const answer = await send(sandbox.origin, request);
  for (const script of item.event ?? []) {
    run(script, {
      pm: {
        response: { json: () => JSON.parse(answer.text) as object },
        collectionVariables: { set: (name: string, value: string) => variables.set(name, value) },
      },
    });
  }
  return answer;
}

function itemOf(name: string): Item {
  const found = ITEMS.find((item) => item.name === name);
  if (found === undefined) throw new Error(`${name} is not in the collection`);
  return found;
}

test('the collection has every operation, with a folder for each tag', () => {
  const operations = operationsOf(document);
  expect(ITEMS.map(({ name }) => name)).toEqual(operations.map(({ title }) => title));
  expect(collection.item.map(({ name }) => name)).toEqual(document.tags.map(({ name }) => name));
});

/** About what a new vendor does not have: invoices, events, a webhook, a former key. Everything else succeeds. */
const NOT_FOUND = [
  ...['One invoice', 'Invoice as PDF', 'Invoice as CSV'],
  ...['One event', 'Send one event again', 'Send events again', 'The webhook'],
  ...['Enable the webhook', 'Disable the webhook', 'Send a test event'],
  ...['Rotate the webhook’s secret', 'End a former secret of the webhook'],
  'End a former security key',
];

describe.each([
  ['Postman', 'demo'],
  ['Bruno', 'demo2'],
] as const)('in %s', (program, vid) => {
  test('every request is accepted as signed, one after the other', async () => {
    const variables = variablesFor(vid);
    const refused: (readonly [string, string])[] = [];
    for (const item of ITEMS) {
      const answer = await sendSigned(item, signIn(program, item, variables), variables);
      if (answer.status !== 200) refused.push([item.name, answer.text]);
    }
    expect(refused).toEqual(
      NOT_FOUND.map((name) => [name, expect.stringContaining('"code":"not_found"')]),
    );
  }, 120_000);

  const AWKWARD = `order 1 + 'x' "y" é 50% a=b?c`;

  test('values are signed as they arrive, however they are written', async () => {
    const variables = variablesFor(vid);
    const list = itemOf('List payments');
    const url = { raw: `{{origin}}/v1/payments?vid={{vid}}&merchant_reference=${AWKWARD}` };
    const asked = { ...list, request: { ...list.request, url } };
    const listed = await sendSigned(asked, signIn(program, asked, variables), variables);
    expect([listed.status, listed.text]).toEqual([200, expect.stringContaining('"items":[]')]);

    const parameters = { vid: '{{vid}}', prefix: '722', hash: '{{hash}}' };
    const lookup = itemOf('Phone lookup');
    const body = { raw: `${JSON.stringify(parameters, undefined, 4)}\n` };
    const found = { ...lookup, request: { ...lookup.request, body } };
    expect((await sendSigned(found, signIn(program, found, variables), variables)).status).toBe(
      200,
    );
  });

  test('`hash` alone signs without the header; a wrong key is refused', async () => {
    const variables = variablesFor(vid);
    const balance = itemOf('Account balance');
    const withoutHeader = { ...balance, request: { ...balance.request, header: [] } };
    const request = signIn(program, withoutHeader, variables);
    expect(request.headers).toEqual({});
    expect((await sendSigned(balance, request, variables)).status).toBe(200);

    variables.set('key', 'another-key');
    for (const item of ITEMS) {
      if (!JSON.stringify(item.request).includes('X-Signature')) continue;
      if (item.name === 'Report collected income') continue;
      const answer = await sendSigned(item, signIn(program, item, variables), variables);
      expect([item.name, answer.status, answer.text]).toEqual([
        item.name,
        401,
        expect.stringContaining('signature_invalid'),
      ]);
    }
  });
});
