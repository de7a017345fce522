import { rotateOwnKey } from '../parties/administer.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { act, perMinute } from './action.ts';
import { EXAMPLE_KEY, EXAMPLE_ROTATION, newKey, rotation } from './key-view.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';

/**
 * If the answer is lost, the request is repeated with the former key, which must still be valid then. To
 * end a key at once, people use the console.
 */
const LEAST_OVERLAP_SECONDS = 600;
const LIMIT = perMinute(5, 'rotations of keys');

export function rotateKey(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'rotateKey',
    method: 'POST',
    path: '/keys',
    summary: 'Rotate the security key',
    description:
      'Makes a new security key. The former one stays valid for `overlap_seconds`, at least ten minutes; older ones end now. Only the current key can sign this, except for a repeat with the same `idempotency_key`.',
    body: rotation(LEAST_OVERLAP_SECONDS),
    response: newKey,
    refusals: {
      reference_reused: { field: 'idempotency_key' },
      changed_meanwhile: { field: 'X-Signature' },
    },
    example: {
      body: EXAMPLE_ROTATION,
      answer: {
        key_id: EXAMPLE_KEY.key_id,
        secret: 'hV3sZb0mXJb3o2kq1m4S9q7c8y5t6u7v8w9x0y1z2A4',
        overlap_seconds: EXAMPLE_ROTATION.overlap_seconds,
      },
    },
    handle: async ({ body }, context) =>
      await act(deps, context, { action: 'vendor.rotate-key', limit: LIMIT }, async () => {
        const { overlap_seconds: overlapSeconds, idempotency_key: idempotencyKey } = body;
        const { masterKeys } = deps;
        const request = { overlapSeconds, idempotencyKey, signedWith: context.keyId ?? '' };
        const sealing = { masterKeys, certain: true };
        const made = await rotateOwnKey(deps.pool, context.signer.vid, request, sealing);
        const { keyId, secret } = made;
        // The key itself is a secret, so the audit log does not keep it.
        return {
          answer: { key_id: keyId, secret, overlap_seconds: overlapSeconds },
          change: { after: { overlapSeconds, key_id: keyId } },
        };
      }),
  });
}
