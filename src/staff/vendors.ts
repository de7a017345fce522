import { Type } from 'typebox';
import type { Static } from 'typebox';
import { ENQUIRY_POLICIES } from '../parties/vendor.ts';
import { centsOf, moneyOf } from '../platform/base/money.ts';
import { action, view } from './definition.ts';
import type { AnyAction, Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, moneyOrNull, orNull, paging } from './fields.ts';
import { pageOf } from './pages.ts';
import { proposalView } from './proposal-schema.ts';
import { keysColumn, keysOf, settingReason, STATUSES } from './signer-schema.ts';
import { MOVING_VENDORS } from './moving-vendors.ts';
import { NEW_VENDORS } from './new-vendors.ts';
import { VENDOR_KEYS } from './vendor-keys.ts';
import { referenceRequired, sector, settings, settingsOfInput } from './vendor-settings.ts';
import { floatView, vendorRow, vendorView } from './vendor-view.ts';

const core = async () => ({
  ...(await import('../parties/administer.ts')),
  ...(await import('../parties/read-keys.ts')),
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('../payments/moving/read-references.ts')),
  ...(await import('../payments/settings/fields.ts')),
  ...(await import('../payments/settings/vendors.ts')),
  ...(await import('../payments/vendor-floats/administer.ts')),
  ...(await import('./own-vendor.ts')),
  ...(await import('./setting-core.ts')),
  ...(await import('./vendor-core.ts')),
});

const vid = fields.vid({ argument: true });
const status = Type.Enum([...STATUSES], { title: 'Status' });

const listed = Type.Object({
  vendors: Type.Array(Type.Object({ ...vendorRow, keys: keysColumn('Keys') })),
  next: fields.next,
});
export type VendorList = Static<typeof listed>;

const inState = Type.Optional(Type.Enum([...STATUSES], { description: 'only in this state' }));
const ofVendors = { rows: 'vendors', empty: 'no vendors', permission: 'vendors.read' } as const;

/** A part of the vendors, by vid. */
async function pageOfVendors(
  { listVendorsAfter }: Awaited<ReturnType<typeof core>>,
  { pool }: StaffDeps,
  input: {
    readonly search?: string;
    readonly status?: (typeof STATUSES)[number];
    readonly cursor?: string;
    readonly limit: number;
  },
) {
  const { search = '', cursor: after = '', limit } = input;
  const asked = { search: search.trim(), status: input.status, after, limit: limit + 1 };
  return pageOf(await listVendorsAfter(pool, asked), limit, (last) => last.vid);
}

export const VENDORS: Noun = {
  command: 'vendor',
  summary: 'Vendors: the merchants that pay bills.',
  definitions: [
    ...NEW_VENDORS,
    ...MOVING_VENDORS,
    view(core, {
      name: 'vendor.list',
      summary: 'Vendors with their settings and balances.',
      route: 'GET /vendors',
      ...ofVendors,
      input: inputOf({
        search: Type.Optional(
          Type.String({ maxLength: 100, description: 'whose ID or name has this text' }),
        ),
        status: inState,
        ...paging(100),
      }),
      output: listed,
      handle: async ({ core: loaded, deps, input }) => {
        const { shown, next } = await pageOfVendors(loaded, deps, input);
        const rows = await loaded.vendorRows(shown, deps);
        const vids = rows.map((row) => row.vid);
        const keys = await loaded.listKeys(deps.pool, ['vendor'], vids);
        return { vendors: rows.map((row) => ({ ...row, keys: keysOf(keys, row.vid) })), next };
      },
    }),
    view(core, {
      name: 'vendor.floats',
      summary:
        'The floats of vendors: their limits, how many hours they last, and how they are topped up.',
      route: 'GET /vendor-floats',
      ...ofVendors,
      input: inputOf({ status: inState, ...paging(100) }),
      output: Type.Object({ vendors: Type.Array(floatView), next: fields.next }),
      handle: async ({ core: loaded, deps, input }) => {
        const { shown, next } = await pageOfVendors(loaded, deps, input);
        const rows = await loaded.vendorRows(shown, deps);
        return {
          vendors: rows.map(({ vid: of, float, collected, low, ...row }) => ({
            ...{ vid: of, float, collected, low, float_state: row.float_state },
            ...{ hours_left: row.hours_left, top_ups: row.top_ups },
          })),
          next,
        };
      },
    }),
    view(core, {
      name: 'vendor.show',
      summary: 'A vendor with its settings, balances and prices.',
      route: 'GET /vendors/:vid',
      permission: 'vendor.read',
      ownVendor: true,
      input: inputOf({ vid }),
      output: vendorView,
      handle: async ({ core: { requireVendor, oneVendor }, input, deps }) =>
        await oneVendor(await requireVendor(deps.pool, input.vid), deps),
    }),
    action(core, {
      name: 'vendor.set',
      summary: 'Change settings of a vendor. Other settings stay.',
      route: 'POST /vendors/:vid',
      permission: 'vendors.act',
      proposes: 'party_setting',
      actsAlone: true,
      needsOne: [
        'name',
        'sector',
        'reference_required',
        'enquiry_policy',
        ...Object.keys(settings),
      ],
      input: inputOf({
        vid,
        name: Type.Optional(fields.displayName()),
        sector: Type.Optional(sector),
        ...settings,
        reference_required: Type.Optional(
          Type.Boolean({
            ...referenceRequired,
            shorthands: {
              'no-require-reference': {
                value: false,
                says: 'accept creates without merchant_reference',
              },
            },
          }),
        ),
        enquiry_policy: Type.Optional(
          Type.Enum([...ENQUIRY_POLICIES], {
            placeholder: 'policy',
            description:
              'strict: enquiries need names and consent, and a mismatch looks like an unknown subject; open: consent is optional, and a mismatch is reported',
          }),
        ),
        reason: settingReason,
      }),
      output: proposalView,
      handle: async ({ core: { changedSetting, present, requireVendor, VENDOR }, ...asked }) => {
        const { input } = asked;
        const { vendorId, vid: key } = await requireVendor(asked.deps.pool, input.vid);
        const change = present({ name: input.name, ...settingsOfInput(input) });
        return await changedSetting(asked, {
          ...{ setting: VENDOR, key: { vendorId, vid: key }, change },
        });
      },
    }),
    statusAction('suspend', 'Refuse the vendor’s requests. Open payments continue.'),
    statusAction('resume', 'Accept a suspended vendor’s requests again.'),
    action(core, {
      name: 'vendor.set-float',
      summary: 'Set when a vendor gets the event float.low.',
      route: 'POST /vendors/:vid/float',
      permission: 'integration.act',
      ownVendor: true,
      input: inputOf({
        vid,
        low: orNull(fields.amount(), {
          description: 'float below which the event is sent',
          placeholder: 'amount',
          shorthands: { 'no-low': { value: null, says: 'no limit, no event' } },
        }),
        reason: settingReason,
      }),
      output: Type.Object({
        vid: vendorRow.vid,
        low: moneyOrNull({ title: 'Low', nullText: 'not set' }),
      }),
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { requireVendor, setVendorFloat, oneVendor } = loaded;
        const row = await requireVendor(deps.pool, input.vid);
        const { low: before } = await oneVendor(row, deps);
        const lowCents = centsOf(input.low);
        const by = viewer.login;
        await setVendorFloat(deps.pool, { vendorId: row.vendorId, lowCents, by });
        const low = moneyOf(lowCents);
        return {
          result: { vid: row.vid, low },
          audit: { before: { low: before }, after: { low } },
        };
      },
    }),
    ...VENDOR_KEYS,
  ],
};

function statusAction(verb: 'suspend' | 'resume', summary: string): AnyAction {
  const wanted = verb === 'suspend' ? 'suspended' : 'active';
  return action(core, {
    name: `vendor.${verb}`,
    summary,
    route: `POST /vendors/:vid/${verb}`,
    permission: 'vendors.act',
    actsAlone: 'always',
    input: inputOf({ vid, reason: settingReason }),
    output: Type.Object({ vid: vendorRow.vid, status }),
    handle: async ({ core: { requireVendor, changeVendor, requireReferences }, input, deps }) => {
      const before = await requireVendor(deps.pool, input.vid);
      if (verb === 'resume') {
        await requireReferences(deps.pool, await deps.ledgerMac(), before.vendorId);
      }
      await changeVendor(deps.pool, before.vid, { status: wanted });
      const change = { before: { status: before.status }, after: { status: wanted } };
      return { result: { vid: before.vid, status: wanted } as const, audit: change };
    },
  });
}
