import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import type { CollectorScope } from '../parties/vendor.ts';
import { changing } from './changing.ts';
import { view } from './definition.ts';
import type { AnyAction, Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text, textOrNull, titled } from './fields.ts';
import { setting } from './proposing.ts';
import {
  keysColumn,
  keysOf,
  overlap,
  settingReason as reason,
  signature,
  STATUSES,
} from './signer-schema.ts';
import { secondsOf } from '../platform/base/times.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/administer.ts')),
  ...(await import('../parties/read-collectors.ts')),
  ...(await import('../parties/read-keys.ts')),
  ...(await import('../parties/keys.ts')),
  ...(await import('../payments/settings/collectors.ts')),
  ...(await import('../payments/settings/fields.ts')),
  ...(await import('../payments/settings/sealed.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

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
    fields.listOf(fields.vid(), {
      ...{ option: 'vendor', placeholder: 'vid', form: 'a vendor ID', maxItems: 1000 },
      description: 'a vendor whose income it may report; repeatable',
      read: (given) => (VID.test(given) ? given : undefined),
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

const newKey = {
  /** Valid once the proposal is approved. Null: a program proposed it. */
  secret: textOrNull({ title: 'Key', secret: true, nullText: 'not shown to a program' }),
};

async function sealedKey(loaded: Core, collectorId: string, { masterKeys }: StaffDeps) {
  const key = loaded.newSecurityKey();
  const of = loaded.collectorSealed(collectorId);
  return { secret: loaded.sealSecret(key, of, await masterKeys()), also: { secret: key } };
}

const SETS = {
  permission: 'vendors.act',
  proposes: 'party_setting',
  actsAlone: true,
} as const;

export const COLLECTORS: Noun = {
  command: 'collector',
  summary: 'Collectors report the income they collect for vendors.',
  definitions: [
    setting(core, {
      ...SETS,
      name: 'collector.add',
      summary: 'Add a collector. Its security key is shown once.',
      route: 'POST /collectors',
      needsOne: ['vendors', 'all_vendors'],
      input: { collector, name: fields.displayName(), ...scope },
      also: newKey,
      change: async ({ core: loaded, input, deps }) => {
        const { collector: id, name } = input;
        const { secret, also } = await sealedKey(loaded, id, deps);
        const change = { added: { name, secret }, scope: scopeOf(input) };
        return { setting: loaded.COLLECTOR, key: { collector: id }, change, also };
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
          collectors: found.map(({ vids: vendors, ...row }) => ({
            ...{ ...wireOf(row), vendors, keys: keysOf(keys, row.collector) },
          })),
        };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'collector.set',
      summary: 'Change settings of a collector. Other settings stay.',
      route: 'POST /collectors/:collector',
      needsOne: ['signature', 'vendors', 'all_vendors'],
      input: { collector, signature: Type.Optional(signature()), ...scope },
      change: async ({ core: { present, COLLECTOR }, input }) => {
        const change = present({ signature: input.signature, scope: scopeOf(input) });
        return { setting: COLLECTOR, key: { collector: input.collector }, change };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'collector.rotate-key',
      summary: 'Create a new security key. It is shown once.',
      route: 'POST /collectors/:collector/keys',
      input: { collector, overlap: overlap('how long the former key stays valid') },
      also: newKey,
      change: async ({ core: loaded, input: { collector: id, overlap: kept }, deps }) => {
        const { secret, also } = await sealedKey(loaded, id, deps);
        const change = { secret, overlapSeconds: secondsOf(kept, 'overlap') };
        return { setting: loaded.COLLECTOR_KEY, key: { collector: id }, change, also };
      },
    }),
    statusAction('suspend', 'Refuse the collector’s reports.'),
    statusAction('resume', 'Accept a suspended collector’s reports again.'),
  ],
};

function statusAction(verb: 'suspend' | 'resume', summary: string): AnyAction {
  return changing(core, {
    name: `collector.${verb}`,
    summary,
    route: `POST /collectors/:collector/${verb}`,
    permission: 'vendors.act',
    actsAlone: 'always',
    input: inputOf({ collector, reason }),
    output: Type.Object({ collector: text({ title: 'Collector' }), status }),
    kept: ({ status: is }) => ({ status: is }),
    now: async ({ core: { requireCollector }, input, deps: { pool } }) => {
      const { collector: of, status: is } = await requireCollector(pool, input.collector);
      return { collector: of, status: is };
    },
    change: async ({ core: { changeCollector }, input, deps: { pool } }) =>
      await changeCollector(pool, input.collector, {
        status: verb === 'suspend' ? 'suspended' : 'active',
      }),
  });
}
