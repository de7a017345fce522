import { Type } from 'typebox';
import type { Static } from 'typebox';
import { readRequests } from '../parties/request-log.ts';
import { parameter } from '../platform/http/parameter.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { nullable } from '../platform/http/schemas.ts';
import { readPage } from './page.ts';
import { requestView } from './request-view.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { instant, pageOf, paging } from './schemas.ts';

const request = Type.Object({
  request_id: Type.String({ description: 'The id in the header `X-Request-Id`.' }),
  at: instant('When the request was answered.'),
  operation: nullable(
    Type.String({ description: 'Name of the operation.', examples: ['createTransaction'] }),
  ),
  method: Type.String({ examples: ['POST'] }),
  path: Type.String({
    description: 'The path without the query string.',
    examples: ['/transaction/create'],
  }),
  status: Type.Integer({ description: 'HTTP status.', examples: [200] }),
  error_code: nullable(
    Type.String({ description: 'The code of the refusal; null: the request was not refused.' }),
  ),
  duration_ms: Type.Number({ examples: [3.25] }),
  key_id: nullable(
    Type.String({
      description:
        'The key that signed; null: the signature was invalid, or the operation is not signed, so anybody may have sent the request.',
    }),
  ),
});

const NAME = 'listRequests';

interface Position {
  readonly at: string;
  readonly requestId: string;
}

export function listRequests(deps: SelfServiceDeps): AnyResource {
  const { operationAt } = deps;
  return resource(deps, {
    name: NAME,
    method: 'GET',
    path: '/requests',
    summary: 'List requests',
    description:
      'The requests of the last seven days with your `vid`, newest first, without parameters and bodies. The last second may be missing. Of more than 500 requests in a second, only a sample is listed.',
    query: Type.Object({
      only: Type.Optional(
        parameter(/^refused$/, 'refused', 'Refused requests only.', { examples: ['refused'] }),
      ),
      ...paging,
    }),
    response: Type.Object(pageOf(request)),
    refusals: {},
    example: {
      query: { only: 'refused' },
      answer: {
        items: [EXAMPLE],
        next_cursor: null,
      },
    },
    handle: async ({ query }, context) =>
      await readPage(
        deps,
        { list: NAME, owner: context.signer.vid, query, reader: readerOf(context) },
        {
          read: async (after: Position | undefined, limit) =>
            await readRequests(deps.pool, deps.clock, context.signer.vendorId, {
              onlyRefused: query.only === 'refused',
              before: after && { at: new Date(after.at), requestId: after.requestId },
              limit,
            }),
          positionOf: ({ at, requestId }) => ({ at: at.toISOString(), requestId }),
          view: (row) => ({
            ...requestView(row),
            operation: operationAt(row.method, row.route) ?? null,
          }),
        },
      ),
  });
}

const EXAMPLE: Static<typeof request> = {
  request_id: '7477dc19-0156-4574-8899-9abe564c620f',
  at: '2026-11-21T06:15:00.000Z',
  operation: 'createTransaction',
  method: 'POST',
  path: '/transaction/create',
  status: 400,
  error_code: 'amount_below_minimum',
  duration_ms: 1.25,
  key_id: '0199e3c0-7d3a-8000-8000-2b6a1f0c9d11',
};
