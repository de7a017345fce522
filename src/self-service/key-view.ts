import { Type } from 'typebox';
import type { Static } from 'typebox';
import { strict } from '../platform/base/json-fields.ts';
import type { KeyRow } from '../parties/read-keys.ts';
import { nullable } from '../platform/http/schemas.ts';
import { idempotencyKey, instant } from './schemas.ts';

/** A key or a secret without its value. */
export const key = Type.Object({
  key_id: Type.String({ examples: ['0199e3c0-7d3a-8000-8000-2b6a1f0c9d11'] }),
  created_at: instant('When the key was created.'),
  valid_until: nullable(instant('When the key becomes invalid; null: not before it is replaced.')),
  is_current: Type.Boolean({
    description:
      'Whether it is the current one. If not, a newer one has replaced it, and it ends soon.',
  }),
});

/** @param rows the current one first. */
export function keyViews(rows: readonly KeyRow[]): Static<typeof key>[] {
  return rows.map(({ keyId, createdAt, validUntil }, index) => ({
    key_id: keyId,
    created_at: createdAt.toISOString(),
    valid_until: validUntil?.toISOString() ?? null,
    is_current: index === 0,
  }));
}

export const keys = Type.Object({
  items: Type.Array(key, { description: 'The valid ones, the current one first.' }),
});

export const keyParams = Type.Object({
  key_id: Type.String({ description: 'The `key_id` of a former key or secret.' }),
});

const MAX_OVERLAP_SECONDS = 30 * 86_400;

export const rotation = (leastOverlapSeconds: number) =>
  strict({
    overlap_seconds: Type.Integer({
      minimum: leastOverlapSeconds,
      maximum: MAX_OVERLAP_SECONDS,
      description: 'How long the former key or secret stays valid, in seconds.',
      examples: [86_400],
    }),
    idempotency_key: idempotencyKey,
  });

export const newKey = Type.Object({
  key_id: Type.String(),
  secret: Type.String({ description: 'The secret. It is shown only once: store it now.' }),
  overlap_seconds: Type.Integer(),
});

export const EXAMPLE_ROTATION = {
  overlap_seconds: 86_400,
  idempotency_key: '8d7f6c1e-0b4a-4a57-9f0e-3d5b1c2a7e90',
};

export const EXAMPLE_KEY: Static<typeof key> = {
  key_id: '0199e3c0-7d3a-8000-8000-2b6a1f0c9d11',
  created_at: '2026-11-01T06:00:00.000Z',
  valid_until: null,
  is_current: true,
};
