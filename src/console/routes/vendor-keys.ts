import { Type } from 'typebox';
import { retireKey, rotateKey } from '../../parties/administer.ts';
import { listKeysOf } from '../../parties/store.ts';
import { tellOfStaff } from '../../payments/events/tell-vendor.ts';
import type { KeyRow } from '../../parties/store.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { rotateAsStaff } from '../../payments/vendor-secrets/rotate.ts';
import type { SecretOf } from '../../payments/vendor-secrets/vendor-secret.ts';
import type { VendorRow } from '../../parties/store.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import type { KeyView, KeysAnswer, NewSecret } from '../vendor-answers.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import { onlyReason, reason } from './reason.ts';
import { requireVendor, vendorParams as params } from './vendor.ts';

export interface VendorKeyRoutesOptions {
  readonly pool: Pool;
  readonly proposals: Proposals;
  readonly masterKeys: MasterKeys;
  readonly ledgerMac: Mac;
}

const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** What a rotation is asked for. */
export const rotation = Type.Object(
  {
    /** How long the former one stays valid. 0: it ends now. */
    overlapSeconds: Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_SECONDS }),
    reason,
  },
  { additionalProperties: false },
);

/** A vendor's security keys. A new one is shown once. */
export function vendorKeyRoutes(options: VendorKeyRoutesOptions): AnyRoute[] {
  const { pool, masterKeys } = options;
  return [
    route({
      method: 'GET',
      path: '/vendors/:vid/keys',
      permission: 'integration.read',
      params,
      handle: async (input): Promise<KeysAnswer> => {
        const { vid } = await requireVendor(pool, input.params.vid);
        const keys = await listKeysOf(pool, { holderKind: 'vendor', holder: vid });
        return { keys: keys.map(keyView) };
      },
    }),
    route({
      method: 'POST',
      path: '/vendors/:vid/keys',
      permission: 'integration.act',
      action: 'vendor.rotate-key',
      params,
      body: rotation,
      handle: async (input, { viewer }) => {
        const vendor = await requireVendor(pool, input.params.vid);
        const { vid } = vendor;
        const { overlapSeconds } = input.body;
        if (viewer.vendor === undefined) {
          return await newSecretByStaff(options, viewer, { ...input.body, vendor, of: 'vendor' });
        }
        const sealing = { masterKeys, certain: true };
        const holder = { holderKind: 'vendor', holder: vid } as const;
        const secret = await rotateKey(pool, holder, { ...sealing, overlapSeconds });
        // The key itself is a secret, so the audit log does not keep it.
        const answer: NewSecret = { secret, overlapSeconds, proposal: null };
        return new Audited(answer, { after: { overlapSeconds } });
      },
    }),
    route({
      method: 'POST',
      path: '/vendors/:vid/keys/:keyId/retire',
      permission: 'integration.act',
      action: 'vendor.retire-key',
      params: Type.Object({ ...params.properties, keyId: Type.String({ maxLength: 36 }) }),
      body: onlyReason,
      handle: async ({ params: { vid: named, keyId } }, { viewer }) => {
        const { vid, vendorId } = await requireVendor(pool, named);
        const tell = tellOfStaff(viewer, vendorId, 'security_key_ended');
        await retireKey(pool, { holderKind: 'vendor', holder: vid }, keyId, tell);
      },
    }),
  ];
}

/** A new secret for staff: shown once after another person's approval. */
export async function newSecretByStaff(
  { pool, proposals, masterKeys }: VendorKeyRoutesOptions,
  viewer: Viewer,
  asked: {
    readonly vendor: VendorRow;
    readonly of: SecretOf;
    readonly overlapSeconds: number;
    readonly reason: string;
  },
): Promise<Audited> {
  const { reason: note, ...about } = asked;
  const request = { ...about, by: actorOf(viewer), note };
  const sealing = { masterKeys, certain: true };
  const made = await rotateAsStaff({ pool, proposals }, request, sealing);
  const { row, secret = null, overlapSeconds } = made;
  const answer: NewSecret = { secret, overlapSeconds, proposal: row.proposalId };
  return auditedOf(row, answer);
}

/** What may be shown of a key. */
export function keyView({ keyId, createdAt, validUntil }: KeyRow): KeyView {
  return {
    keyId,
    createdAt: createdAt.toISOString(),
    validUntil: validUntil?.toISOString() ?? null,
  };
}
