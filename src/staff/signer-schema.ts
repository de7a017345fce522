import { Type } from 'typebox';
import type { Static } from 'typebox';
import { SIGNATURE_VERSIONS } from '../parties/vendor.ts';
import type { KeyRow } from '../parties/read-keys.ts';
import * as fields from './fields.ts';
import { text } from './fields.ts';

/** What vendors and collectors, who sign requests, have in common. */

export const STATUSES = ['active', 'suspended'] as const;

/** Why a setting is changed, as long as nobody says. */
export const settingReason = fields.reasonOr('no reason given');

export const signature = (options: fields.Options = {}) =>
  Type.Enum([...SIGNATURE_VERSIONS], {
    description: 'v2: refuse requests without the X-Signature header (initially v1)',
    placeholder: 'version',
    ...options,
  });

export const overlap = (description: string) =>
  fields.duration({ default: '24h', description: `${description}; 0: it ends now` });

/** A key or a secret, without its value. */
export const keyView = Type.Object({
  key_id: text({ title: 'Key' }),
  created_at: fields.time({ title: 'Created' }),
  valid_until: fields.timeOrNull({ title: 'Valid until', nullText: 'until it is replaced' }),
});
export type KeyView = Static<typeof keyView>;

/** The valid keys of a row, the current one first. */
export const keysColumn = (title: string) => Type.Array(keyView, { title, text: keysText });

function keysText(keys: readonly KeyView[], _: unknown, time: (iso: string) => string): string {
  if (keys.length === 0) return 'none';
  const until = keys.find(({ valid_until: each }) => each !== null)?.valid_until;
  return typeof until === 'string' ? `${keys.length}, one until ${time(until)}` : `${keys.length}`;
}

export function keyViewOf({ keyId, createdAt, validUntil }: KeyRow): KeyView {
  return {
    key_id: keyId,
    created_at: createdAt.toISOString(),
    valid_until: validUntil?.toISOString() ?? null,
  };
}

/** Lists a holder's valid keys, newest first, without their secrets. */
export function keysOf(rows: readonly KeyRow[], holder: string): KeyView[] {
  return rows.filter((row) => row.holder === holder).map((row) => keyViewOf(row));
}
