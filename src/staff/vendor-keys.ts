import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { SecretOf } from '../payments/vendor-secrets/vendor-secret.ts';
import { changing } from './changing.ts';
import { action, view } from './definition.ts';
import type { AnyAction, AnyView } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, text, textOrNull } from './fields.ts';
import { NOTHING_PROPOSED, proposedInstead } from './proposal-schema.ts';
import { keyView, keyViewOf, overlap, settingReason } from './signer-schema.ts';
import { secondsOf } from '../platform/base/times.ts';

const core = async () => ({
  ...(await import('../parties/administer.ts')),
  ...(await import('../parties/read-keys.ts')),
  ...(await import('../payments/events/administer.ts')),
  ...(await import('../payments/events/tell-vendor.ts')),
  ...(await import('../payments/vendor-secrets/rotate.ts')),
  ...(await import('../parties/require-vendor.ts')),
  ...(await import('./proposal-core.ts')),
});

const vid = fields.vid({ argument: true });
const keys = Type.Object({ keys: Type.Array(keyView) });
export type KeyList = Static<typeof keys>;

/** A new key or secret. */
const newSecret = Type.Object({
  vid: text({ title: 'Vendor' }),
  /** Null: another person has to approve it first. */
  secret: textOrNull({ title: 'Key', secret: true, nullText: 'not created yet' }),
  overlap_seconds: Type.Integer({ title: 'Seconds for which the former one stays valid' }),
  ...proposedInstead,
});
export type NewSecret = Static<typeof newSecret>;

/** The words in which a security key and a webhook’s secret differ. */
interface Words {
  readonly of: SecretOf;
  readonly noun: 'vendor' | 'webhook';
  readonly what: 'key' | 'secret';
  readonly path: `/${string}`;
  readonly rotates: string;
  readonly overlap: string;
  readonly retires: string;
}

const holderOf = (of: SecretOf, holder: string) => ({ holderKind: of, holder }) as const;

/** Makes a new one, and ends a former one early. */
export const secretActions = (words: Words): AnyAction[] => [
  rotateAction(words),
  retireAction(words),
];

function rotateAction({ of, noun, what, path, ...words }: Words): AnyAction {
  return action(core, {
    name: `${noun}.rotate-${what}`,
    summary: words.rotates,
    route: `POST ${path}`,
    permission: 'integration.act',
    ownVendor: true,
    proposes: 'vendor_secret',
    actsAlone: true,
    input: inputOf({ vid, overlap: overlap(words.overlap), reason: settingReason }),
    output: newSecret,
    handle: async ({ core: loaded, input, deps, viewer }) => {
      const { pool } = deps;
      const vendor = await loaded.requireVendor(pool, input.vid);
      const sealing = { masterKeys: await deps.masterKeys(), certain: true };
      const overlapSeconds = secondsOf(input.overlap, 'overlap');
      if (viewer.vendor !== undefined) {
        const signer = { holderKind: 'vendor', holder: vendor.vid } as const;
        const secret =
          of === 'vendor'
            ? await loaded.rotateKey(pool, signer, { ...sealing, overlapSeconds })
            : await loaded.rotateSecret(pool, vendor, { sealing, overlapSeconds });
        const made = { vid: vendor.vid, secret, overlap_seconds: overlapSeconds };
        return { result: { ...made, ...NOTHING_PROPOSED }, audit: { after: { overlapSeconds } } };
      }
      const asked = { vendor, of, overlapSeconds, by: viewer.actor, note: input.reason };
      const by = { pool, proposals: await deps.proposals() };
      const { row, secret = null, ...made } = await loaded.rotateAsStaff(by, asked, sealing);
      const result = { vid: vendor.vid, secret, overlap_seconds: made.overlapSeconds };
      const proposed = await loaded.instead(row, deps, viewer);
      return { result: { ...result, ...proposed }, audit: loaded.auditOf(row) };
    },
  });
}

function retireAction({ of, noun, what, path, retires }: Words): AnyAction {
  return changing(core, {
    name: `${noun}.retire-${what}`,
    summary: retires,
    route: `POST ${path}/:key_id/retire`,
    permission: 'integration.act',
    actsAlone: 'always',
    ownVendor: true,
    input: inputOf({ vid, key_id: fields.idOf('key'), reason: settingReason }),
    output: keys,
    kept: ({ keys: valid }) => ({ keys: valid.map(({ key_id: id }) => id) }),
    now: async ({ core: { listKeysOf, requireVendor }, input, deps: { pool } }) => {
      const { vid: holder } = await requireVendor(pool, input.vid);
      return { keys: (await listKeysOf(pool, holderOf(of, holder))).map(keyViewOf) };
    },
    change: async ({ core: loaded, input, deps: { pool }, viewer }) => {
      const vendor = await loaded.requireVendor(pool, input.vid);
      const change = of === 'vendor' ? 'security_key_ended' : 'webhook_secret_ended';
      const tell = loaded.tellOfStaff(viewer, vendor.vendorId, change);
      await loaded.retireKey(pool, holderOf(of, vendor.vid), input.key_id, tell);
    },
  });
}

/** A vendor’s security keys. */
export const VENDOR_KEYS: readonly (AnyAction | AnyView)[] = [
  view(core, {
    name: 'vendor.keys',
    summary: 'The vendor’s valid security keys, the current one first.',
    route: 'GET /vendors/:vid/keys',
    permission: 'integration.read',
    ownVendor: true,
    input: inputOf({ vid }),
    output: keys,
    rows: 'keys',
    empty: 'no keys',
    handle: async ({ core: { listKeysOf, requireVendor }, input, deps: { pool } }) => {
      const { vid: holder } = await requireVendor(pool, input.vid);
      return { keys: (await listKeysOf(pool, holderOf('vendor', holder))).map(keyViewOf) };
    },
  }),
  ...secretActions({
    ...{ of: 'vendor', noun: 'vendor', what: 'key', path: '/vendors/:vid/keys' },
    rotates:
      'Create a new security key. It is shown once, after another person approved it: then repeat this.',
    overlap: 'how long the former key stays valid',
    retires: 'End a former security key before its time.',
  }),
];
