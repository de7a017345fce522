import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { listKeysOf } from '../../parties/read-keys.ts';
import { compiled } from '../../platform/base/compiled.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { lockTopic } from '../../platform/db/settings-watch.ts';
import { mayActAlone } from '../../proposals/actors.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind, Line } from '../../proposals/kind.ts';
import { tellVendor } from '../events/tell-vendor.ts';

export const VENDOR_SECRET = 'vendor_secret';

/** `vendor`: the security key; `webhook`: the secret that signs events. Both as `security_keys` names them. */
export type SecretOf = 'vendor' | 'webhook';

const content = strict({
  vendorId: Type.Integer(),
  vid: Type.String({ minLength: 1, maxLength: 64 }),
  of: Type.Enum(['vendor', 'webhook']),
  /** The id of the secret that the new one replaces; null if the vendor has no secret. */
  replaces: Type.Union([Type.String({ minLength: 1, maxLength: 36 }), Type.Null()]),
  /** The current secret stays valid for so many seconds. */
  overlapSeconds: Type.Integer({ minimum: 0 }),
});
export type SecretContent = Static<typeof content>;

interface Facts {
  readonly currentId: string | null;
}

const NAMES = { vendor: 'Security key', webhook: 'Webhook secret' } as const;

const CHANGES = { vendor: 'security_key', webhook: 'webhook_secret' } as const;

/** Of two that replace the same secret at once, the second one gets this. */
export function replacedMeanwhile(vid: string): PlainError {
  return new PlainError(`The secret of ${vid} was replaced or removed meanwhile.`);
}

/**
 * Permits whoever proposes it to create a vendor's new secret (`rotate.ts`). The vendor is told.
 */
export const vendorSecretKind: AnyKind = kind<SecretContent, Facts, SecretContent>({
  name: VENDOR_SECRET,
  title: 'New key or secret of a vendor',
  content: compiled(content),
  proposedBy: 'integration.act',
  decidedBy: 'integration.act',
  expiresAfterDays: 7,
  actsAlone: mayActAlone,
  about: ({ vid, of }) => `${vid} ${of}`,
  vendorId: ({ vendorId }) => vendorId,
  describe: ({ vid, of, replaces, overlapSeconds }) => [
    { label: 'Vendor', text: vid },
    { label: 'Secret', text: NAMES[of] },
    { label: 'Replaces', text: replaces ?? '' },
    { label: 'Seconds for which the replaced one stays valid', text: String(overlapSeconds) },
  ],
  read: async (db, { vid, of }, { lock }) => {
    if (lock) await lockTopic(db, 'vendors');
    const [current] = await listKeysOf(db, { holderKind: of, holder: vid });
    return { currentId: current?.keyId ?? null };
  },
  check: ({ currentId }, { replaces, vid }) => {
    if (currentId !== replaces) throw replacedMeanwhile(vid);
  },
  plan: (_facts, { content: planned }) => planned,
  show: ({ vid, of }): readonly Line[] => [
    { label: 'Permits a new secret of the vendor', text: `${vid}: ${NAMES[of]}` },
  ],
  apply: async (db, { vendorId, of }) => await tellVendor(db, vendorId, { change: CHANGES[of] }),
});
