import type { FastifyInstance } from 'fastify';
import scalar from '@scalar/fastify-api-reference';

/** `/openapi.json`, generated from the operations' schemas, and the interactive page at `/docs`. */
export async function addReferencePage(app: FastifyInstance): Promise<void> {
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      title: 'Malipo API reference',
      url: '/openapi.json',
      // Everything the page needs comes from this server.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
    },
  });
}
