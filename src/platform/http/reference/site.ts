import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Where `npm ci` builds the documentation. */
const BUILT = path.join(import.meta.dirname, '../../../../site/dist');

/** Files of this server only, nothing inline. The icons are `data:` images in a style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';');

/** The documentation at `/docs/`. Where it is not built, that leads to the interactive reference. */
export async function addDocumentationSite(app: FastifyInstance, built = BUILT): Promise<void> {
  // Relative, so that a prefix added by a proxy is kept.
  app.get('/docs', async (_request, reply) => await reply.redirect('docs/'));
  if (!existsSync(path.join(built, 'index.html'))) {
    app.get('/docs/', async (_request, reply) => await reply.redirect('api/'));
    return;
  }
  await app.register(async (site) => {
    site.addHook('onRequest', (_request, reply, done) => {
      void reply.header('content-security-policy', POLICY).header('cache-control', 'no-cache');
      done();
    });
    const options = { decorateReply: false, preCompressed: true };
    // Their names change with their content.
    const assets = {
      root: path.join(built, 'assets'),
      prefix: '/docs/assets/',
      index: false,
    } as const;
    await site.register(fastifyStatic, { ...options, ...assets, immutable: true, maxAge: '365d' });
    await site.register(fastifyStatic, {
      ...options,
      root: built,
      prefix: '/docs/',
      cacheControl: false,
    });
  });
}
