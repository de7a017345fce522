import { rotateOwnSecret } from '../payments/events/administer.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { EXAMPLE_KEY, EXAMPLE_ROTATION, newKey, rotation } from './key-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { requireWebhook } from './webhook-view.ts';

const LIMIT = perMinute(5, 'rotations of secrets');

export function rotateWebhookSecret(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'rotateWebhookSecret',
    method: 'POST',
    path: '/webhook/secrets',
    summary: 'Rotate the webhook’s secret',
    description:
      'Makes a new secret. For `overlap_seconds`, events are signed with the former one as well; 0 ends it now.',
    body: rotation(0),
    response: newKey,
    refusals: { not_found: {}, reference_reused: { field: 'idempotency_key' } },
    example: {
      body: EXAMPLE_ROTATION,
      answer: {
        key_id: EXAMPLE_KEY.key_id,
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
        overlap_seconds: EXAMPLE_ROTATION.overlap_seconds,
      },
    },
    handle: async ({ body }, context) =>
      await act(deps, context, { action: 'webhook.rotate-secret', limit: LIMIT }, async () => {
        const { pool, masterKeys } = deps;
        const { overlap_seconds: overlapSeconds, idempotency_key: idempotencyKey } = body;
        await requireWebhook(pool, context.signer);
        const request = { overlapSeconds, idempotencyKey, signedWith: null };
        const sealing = { masterKeys, certain: true };
        const { keyId, secret } = await rotateOwnSecret(pool, context.signer, request, sealing);
        return {
          answer: { key_id: keyId, secret, overlap_seconds: overlapSeconds },
          change: { after: { overlapSeconds, key_id: keyId } },
        };
      }),
  });
}
