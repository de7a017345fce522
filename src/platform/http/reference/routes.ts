import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { DEMO_KEYS } from '../openapi-examples.ts';
import { introduction } from '../openapi-introduction.ts';
import { compressText, sendCompressed } from './compressed.ts';
import type { CompressedText } from './compressed.ts';

const PAGE_FOLDER = path.join(import.meta.dirname, 'page');

/** By file; the page itself is at the folder's own address. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['index.html', 'text/html; charset=utf-8'],
  ['style.css', 'text/css; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
  ...[
    'main',
    'dom',
    'examples',
    'fields',
    'markdown',
    'operation',
    'operations',
    'request',
    'signing',
  ].map((name) => [`${name}.js`, 'text/javascript; charset=utf-8'] as const),
]);
const JSON_TYPE = 'application/json; charset=utf-8';

interface ReferenceOptions {
  /** The demo vendors exist: the page says so and knows their keys, which are public. */
  readonly isSandbox: boolean;
}

/** `/openapi.json`, generated from the operations' schemas, and the interactive page at `/docs/`. */
export async function addReferencePage(
  app: FastifyInstance,
  { isSandbox }: ReferenceOptions,
): Promise<void> {
  let document: Promise<CompressedText> | undefined;
  addFile(app, '/openapi.json', async () => {
    document ??= compressText(describe(app, isSandbox), JSON_TYPE);
    return await document;
  });
  const settings = JSON.stringify({ keys: isSandbox ? DEMO_KEYS : {} });
  const compressedSettings = await compressText(Buffer.from(settings), JSON_TYPE);
  addFile(app, '/docs/settings.json', () => compressedSettings);
  for (const [name, type] of FILES) {
    const text = await compressText(await readFile(path.join(PAGE_FOLDER, name)), type);
    addFile(app, name === 'index.html' ? '/docs/' : `/docs/${name}`, () => text);
  }
  // Relative, so that a prefix that a proxy adds stays.
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) => {
    return await reply.redirect('docs/');
  });
}

function addFile(
  app: FastifyInstance,
  url: string,
  textOf: () => CompressedText | Promise<CompressedText>,
): void {
  app.get(url, { schema: { hide: true } }, async (request, reply) =>
    sendCompressed(request, reply, await textOf()),
  );
}

function describe(app: FastifyInstance, isSandbox: boolean): Buffer {
  const document = app.swagger();
  const info = { ...document.info, description: introduction({ isSandbox }) };
  return Buffer.from(JSON.stringify({ ...document, info }));
}
