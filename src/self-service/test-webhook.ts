import { Type } from 'typebox';
import { sendTestEvent } from '../payments/events/test-event.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { nullable } from '../platform/http/schemas.ts';
import { act, perMinute } from './action.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { EXAMPLE_WEBHOOK, requireWebhook } from './webhook-view.ts';

/** Each calls another server. People’s tests count as well. */
const LIMIT = perMinute(5, 'test events');
const MAX_ANSWER_LENGTH = 500;

export function testWebhook(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'testWebhook',
    method: 'POST',
    path: '/webhook/test',
    summary: 'Send a test event',
    description:
      'Sends one signed event of type `webhook.test` now, and returns what your receiver answered. The event is not in the list of events.',
    response: Type.Object({
      delivered: Type.Boolean({ description: 'Whether the receiver answered 2xx.' }),
      webhook_id: Type.String(),
      url: Type.String(),
      result: Type.String({ examples: ['HTTP 204'] }),
      answer: nullable(
        Type.String({ description: 'The beginning of what the receiver answered.' }),
      ),
      duration_ms: Type.Integer(),
    }),
    refusals: { not_found: {} },
    example: {
      answer: {
        delivered: true,
        webhook_id: 'evt_0199e3c0-7d3a-7000-8000-2b6a1f0c9d11',
        url: EXAMPLE_WEBHOOK.url,
        result: 'HTTP 204',
        answer: null,
        duration_ms: 85,
      },
    },
    handle: async (_asked, context) =>
      await act(deps, context, { action: 'webhook.test', limit: LIMIT }, async () => {
        await requireWebhook(deps.pool, context.signer);
        const sent = await sendTestEvent(deps.pool, context.signer, deps.masterKeys);
        const { url, webhookId, text: result, durationMs } = sent;
        const answer = sent.answer?.toString('utf8').slice(0, MAX_ANSWER_LENGTH) ?? '';
        return {
          answer: {
            delivered: sent.kind === 'delivered',
            webhook_id: webhookId,
            url,
            result,
            answer: answer === '' ? null : answer,
            duration_ms: durationMs,
          },
          change: { after: { url, result } },
        };
      }),
  });
}
