import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import type { CollectorScope } from '../parties/vendor.ts';
import { action, view } from './definition.ts';
import type { AnyAction, Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text, textOrNull, titled } from './fields.ts';
import { proposalView } from './proposal-schema.ts';
import {
  keysColumn,
  keysOf,
  overlap,
  settingReason as reason,
  signature,
  STATUSES,
} from './signer-schema.ts';
import { secondsOf } from './times.ts';

const core = async () => ({
  ...(await import('../parties/administer.ts')),
  ...(await import('../parties/read-collectors.ts')),
  ...(await import('../parties/read-keys.ts')),
  ...(await import('../parties/keys.ts')),
  ...(await import('../payments/settings/collectors.ts')),
  ...(await import('../payments/settings/fields.ts')),
  ...(await import('../payments/settings/sealed.ts')),
  ...(await import('./setting-core.ts')),
});

const status = Type.Enum([...STATUSES], { title: 'Status' });

interface Scope {
  readonly all_vendors: boolean;
}

const collectorView = Type.Object({
  ...titled({ collector: text, name: text }),
  status,
  signature: signature({ title: 'Signature' }),
  all_vendors: Type.Boolean(),
  vendors: Type.Array(Type.String(), {
    title: 'Vendors',
    text: (vids: readonly string[], { all_vendors: isAll }: Scope) =>
      isAll ? 'all' : vids.join(', '),
  }),
  keys: keysColumn('Keys'),
  created_at: fields.time(),
});

const collector = fields.vid({ argument: true, description: 'collector ID' });
const VID = /^[A-Za-z0-9_.-]{1,64}$/;
const scope = {
  vendors: Type.Optional(
    Type.Array(fields.vid(), {
      maxItems: 1000,
      description: 'a vendor whose income it may report; repeatable',
      spelt: [
        {
          ...{ option: 'vendor', placeholder: 'vid', form: 'a vendor ID' },
          read: (given: string) => (VID.test(given) ? given : undefined),
        },
      ],
    }),
  ),
  all_vendors: Type.Optional(
    Type.Boolean({ description: 'it may report income for every vendor' }),
  ),
};

/** Throws: `invalid_field`. */
function scopeOf({
  vendors,
  all_vendors: isAll = false,
}: {
  readonly vendors?: readonly string[];
  readonly all_vendors?: boolean;
}): CollectorScope | undefined {
  if (!isAll) return vendors && [...new Set(vendors)];
  if (vendors === undefined) return 'all';
  const problem = 'vendors must not be given with all_vendors';
  throw new Refusal('invalid_field', { field: 'vendors', text: problem });
}

const withKey = Type.Object({
  ...proposalView.properties,
  /** Valid once the proposal is approved. Null: a program proposed it. */
  secret: textOrNull({ title: 'Key', secret: true, nullText: 'not shown to a program' }),
});

const SETS = {
  permission: 'vendors.act',
  proposes: 'party_setting',
  actsAlone: true,
} as const;

export const COLLECTORS: Noun = {
  command: 'collector',
  summary: 'Collectors report the income they collect for vendors.',
  definitions: [
    action(core, {
      ...SETS,
      name: 'collector.add',
      summary: 'Add a collector. Its security key is shown once.',
      route: 'POST /collectors',
      needsOne: ['vendors', 'all_vendors'],
      input: inputOf({ collector, name: fields.displayName(), ...scope, reason }),
      output: withKey,
      handle: async ({ core: loaded, ...asked }) => {
        const { collector: id, name } = asked.input;
        const key = loaded.newSecurityKey();
        const masterKeys = await asked.deps.masterKeys();
        const secret = loaded.sealSecret(key, loaded.collectorSealed(id), masterKeys);
        const { result, audit } = await loaded.changedSetting(asked, {
          ...{ setting: loaded.COLLECTOR, key: { collector: id } },
          change: { added: { name, secret }, scope: scopeOf(asked.input) },
        });
        return { result: { ...result, secret: key }, audit };
      },
    }),
    view(core, {
      name: 'collector.list',
      summary: 'All collectors.',
      route: 'GET /collectors',
      permission: 'vendors.read',
      input: NOTHING,
      output: Type.Object({ collectors: Type.Array(collectorView) }),
      rows: 'collectors',
      empty: 'no collectors',
      handle: async ({ core: { listKeys, listCollectors }, deps }) => {
        const keys = await listKeys(deps.pool, ['collector']);
        const found = await listCollectors(deps.pool);
        return {
          collectors: found.map(({ vids, allVendors, createdAt, ...row }) => ({
            ...row,
            all_vendors: allVendors,
            vendors: vids,
            keys: keysOf(keys, row.collector),
            created_at: createdAt.toISOString(),
          })),
        };
      },
    }),
    action(core, {
      ...SETS,
      name: 'collector.set',
      summary: 'Change settings of a collector. Other settings stay.',
      route: 'POST /collectors/:collector',
      needsOne: ['signature', 'vendors', 'all_vendors'],
      input: inputOf({ collector, signature: Type.Optional(signature()), ...scope, reason }),
      output: proposalView,
      handle: async ({ core: { changedSetting, present, COLLECTOR }, ...asked }) => {
        const { collector: id, signature: version } = asked.input;
        const change = present({ signature: version, scope: scopeOf(asked.input) });
        return await changedSetting(asked, {
          ...{ setting: COLLECTOR, key: { collector: id }, change },
        });
      },
    }),
    action(core, {
      ...SETS,
      name: 'collector.rotate-key',
      summary: 'Create a new security key. It is shown once.',
      route: 'POST /collectors/:collector/keys',
      input: inputOf({
        collector,
        overlap: overlap('how long the former key stays valid'),
        reason,
      }),
      output: withKey,
      handle: async ({ core: loaded, ...asked }) => {
        const { collector: id, overlap: kept } = asked.input;
        const key = loaded.newSecurityKey();
        const masterKeys = await asked.deps.masterKeys();
        const secret = loaded.sealSecret(key, loaded.collectorSealed(id), masterKeys);
        const { result, audit } = await loaded.changedSetting(asked, {
          ...{ setting: loaded.COLLECTOR_KEY, key: { collector: id } },
          change: { secret, overlapSeconds: secondsOf(kept, 'overlap') },
        });
        return { result: { ...result, secret: key }, audit };
      },
    }),
    statusAction('suspend', 'Refuse the collector’s reports.'),
    statusAction('resume', 'Accept a suspended collector’s reports again.'),
  ],
};

function statusAction(verb: 'suspend' | 'resume', summary: string): AnyAction {
  const wanted = verb === 'suspend' ? 'suspended' : 'active';
  return action(core, {
    name: `collector.${verb}`,
    summary,
    route: `POST /collectors/:collector/${verb}`,
    permission: 'vendors.act',
    actsAlone: 'always',
    input: inputOf({ collector, reason }),
    output: Type.Object({ collector: text({ title: 'Collector' }), status }),
    handle: async ({ core: { findCollector, changeCollector }, input, deps }) => {
      const before = await findCollector(deps.pool, input.collector);
      await changeCollector(deps.pool, input.collector, { status: wanted });
      const result = { collector: input.collector, status: wanted } as const;
      const after = { status: wanted };
      return { result, audit: { before: { status: before?.status }, after } };
    },
  });
}
