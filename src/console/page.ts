import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Where `npm ci` builds the web console. */
const BUILT = path.join(import.meta.dirname, '../../console/dist');

/** Files of this server only, nothing inline; forms and the page's <base> may name the console itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(';');

const NOT_BUILT =
  '<!doctype html><title>Malipo</title><p>The console is not built. Run <code>npm ci</code> and restart the service.</p>';

/**
 * Serves the web console below `consolePath`: its files, and its page for every other path, so that
 * the address of a page can be opened and reloaded.
 */
export async function addConsolePage(app: FastifyInstance, consolePath: string): Promise<void> {
  const page = await readPage();
  // Relative, so that a prefix added by a proxy is kept.
  const name = consolePath.slice(consolePath.lastIndexOf('/') + 1);
  app.get(consolePath, async (_request, reply) => await reply.redirect(`${name}/`));
  if (page !== undefined) {
    await app.register(fastifyStatic, {
      root: path.join(BUILT, 'assets'),
      prefix: `${consolePath}/assets/`,
      // Their names change with their content.
      immutable: true,
      maxAge: '365d',
      index: false,
      decorateReply: false,
    });
    const icon = await readFile(path.join(BUILT, 'icon.svg'));
    app.get(`${consolePath}/icon.svg`, (_request, reply) => reply.type('image/svg+xml').send(icon));
  }
  app.get(`${consolePath}/*`, (request, reply) =>
    reply
      .code(page === undefined ? 503 : 200)
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(page?.(baseOf(request.url, consolePath)) ?? NOT_BUILT),
  );
}

/**
 * The way from a page back to the console's root, such as `../` for `/console/payments/1`. Relative,
 * so that it is right behind a proxy that adds a prefix.
 */
export function baseOf(url: string, consolePath: string): string {
  const below = url.split('?', 1)[0]?.slice(consolePath.length + 1) ?? '';
  const depth = below.split('/').length - 1;
  return depth === 0 ? './' : '../'.repeat(depth);
}

/** The page for a <base>. Undefined: not built. */
async function readPage(): Promise<((base: string) => string) | undefined> {
  try {
    const built = await readFile(path.join(BUILT, 'index.html'), 'utf8');
    return (base) => built.replace('<head>', `<head><base href="${base}">`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
