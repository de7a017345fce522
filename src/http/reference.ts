import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { fetchSigned } from './reference-signing.ts';

// Signed texts and hashes are read in full.
const PAGE_CSS =
  '.markdown pre code.hljs { white-space: pre-wrap !important; overflow-wrap: anywhere; }';

/** `/openapi.json`, generated from the operations' schemas, and the interactive page at `/docs`. */
export async function addReferencePage(app: FastifyInstance): Promise<void> {
  let text: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify(app.swagger());
    return await reply.type('application/json; charset=utf-8').send(text);
  });
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      pageTitle: 'Malipo API reference',
      title: 'Malipo API reference',
      url: '/openapi.json',
      customFetch: fetchSigned,
      customCss: PAGE_CSS,
      // Everything the page needs comes from this server.
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      documentDownloadType: 'json',
      hideModels: true,
      defaultOpenAllTags: true,
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    },
  });
}
