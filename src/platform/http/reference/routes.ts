import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { compressText, sendCompressed } from './compressed.ts';
import type { CompressedText } from './compressed.ts';

const PAGE_FOLDER = path.join(import.meta.dirname, 'page');

/** By file name; the page itself is at the folder's URL. */
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
  /** The OpenAPI document; built on the first request. */
  readonly document: () => object;
  /** Keys that the page knows, by signer: the sandbox's, which are public. */
  readonly keys: Readonly<Record<string, string>>;
}

/** `/openapi.json`, generated from the operations' schemas, and the interactive page at `/docs/api/`. */
export async function addReferencePage(
  app: FastifyInstance,
  options: ReferenceOptions,
): Promise<void> {
  let document: Promise<CompressedText> | undefined;
  addFile(app, '/openapi.json', async () => {
    document ??= compressText(Buffer.from(JSON.stringify(options.document())), JSON_TYPE);
    return await document;
  });
  const settings = JSON.stringify({ keys: options.keys });
  const compressedSettings = await compressText(Buffer.from(settings), JSON_TYPE);
  addFile(app, '/docs/api/settings.json', () => compressedSettings);
  for (const [name, type] of FILES) {
    const text = await compressText(await readFile(path.join(PAGE_FOLDER, name)), type);
    addFile(app, name === 'index.html' ? '/docs/api/' : `/docs/api/${name}`, () => text);
  }
  // Links of a site that works without a server name the file.
  app.get('/docs/api/index.html', async (_request, reply) => await reply.redirect('./'));
  // Relative, so that a prefix added by a proxy is kept.
  app.get('/docs/api', async (_request, reply) => await reply.redirect('api/'));
}

function addFile(
  app: FastifyInstance,
  url: string,
  textOf: () => CompressedText | Promise<CompressedText>,
): void {
  app.get(url, async (request, reply) => sendCompressed(request, reply, await textOf()));
}
