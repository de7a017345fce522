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
  addText(app, '/openapi.json', JSON_TYPE, () => Buffer.from(JSON.stringify(options.document())));
  const settings = Buffer.from(JSON.stringify({ keys: options.keys }));
  addText(app, '/docs/api/settings.json', JSON_TYPE, () => settings);
  for (const [name, type] of FILES) {
    const text = await readFile(path.join(PAGE_FOLDER, name));
    addText(app, name === 'index.html' ? '/docs/api/' : `/docs/api/${name}`, type, () => text);
  }
  // Links of a site that works without a server name the file.
  app.get('/docs/api/index.html', async (_request, reply) => await reply.redirect('./'));
  // Relative, so that a prefix added by a proxy is kept.
  app.get('/docs/api', async (_request, reply) => await reply.redirect('api/'));
}

/** Serves a text that is compressed at its first request, because that takes longer than a start should. */
function addText(app: FastifyInstance, url: string, type: string, read: () => Buffer): void {
  let text: Promise<CompressedText> | undefined;
  app.get(url, async (request, reply) => {
    text ??= compressText(read(), type);
    return sendCompressed(request, reply, await text);
  });
}
