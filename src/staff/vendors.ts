import { Type } from 'typebox';
import type { Static } from 'typebox';
import { ENQUIRY_POLICIES } from '../parties/vendor.ts';
import { centsOf, moneyOf } from '../platform/base/money.ts';
import { changing } from './changing.ts';
import { view } from './definition.ts';
import type { AnyAction, Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, moneyOrNull, orNull, paging } from './fields.ts';
import { pageOf } from './pages.ts';
import { setting } from './proposing.ts';
import { keysColumn, keysOf, settingReason, STATUSES } from './signer-schema.ts';
import { MOVING_VENDORS } from './moving-vendors.ts';
import { NEW_VENDORS } from './new-vendors.ts';
import { VENDOR_KEYS } from './vendor-keys.ts';
import { referenceRequired, sector, settings, settingsOfInput } from './vendor-settings.ts';
import { floatView, rowView, vendorRow, vendorView } from './vendor-view.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/administer.ts')),
  ...(await import('../parties/read-keys.ts')),
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('../payments/moving/read-references.ts')),
  ...(await import('../payments/settings/fields.ts')),
  ...(await import('../payments/settings/vendors.ts')),
  ...(await import('../payments/vendor-floats/administer.ts')),
  ...(await import('../payments/vendor-floats/read-floats.ts')),
  ...(await import('../parties/require-vendor.ts')),
  ...(await import('../payments/vendor-floats/vendor-figures.ts')),
  ...(await import('../payments/ledger/read-balances.ts')),
});

const vid = fields.vid({ argument: true });

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
        const rows = await loaded.readVendorFigures(deps.pool, shown, deps);
        const vids = rows.map((row) => row.vid);
        const keys = await loaded.listKeys(deps.pool, ['vendor'], vids);
        const vendors = rows.map((row) => ({
          ...{ ...fit(rowView, wireOf(row)), keys: keysOf(keys, row.vid) },
        }));
        return { vendors, next };
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
        const rows = await loaded.readVendorFigures(deps.pool, shown, deps);
        return { vendors: rows.map((row) => fit(floatView, wireOf(row))), next };
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
      handle: async ({ core: loaded, input, deps }) => {
        const vendor = await loaded.requireVendor(deps.pool, input.vid);
        const [row] = await loaded.readVendorFigures(deps.pool, [vendor], deps);
        if (row === undefined) throw new Error('a vendor has no figures');
        const reservedCents = await loaded.readBalance(deps.pool, row.vendorId, 'reserved');
        const billers = (await deps.catalogue()).billers();
        const prices = loaded.pricesFor(row.vendorId, billers, deps.clock.now().getTime());
        return fit(vendorView, wireOf({ ...row, reservedCents, prices }));
      },
    }),
    setting(core, {
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
      input: {
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
      },
      change: async ({ core: { present, requireVendor, VENDOR }, input, deps: { pool } }) => {
        const { vendorId, vid: of } = await requireVendor(pool, input.vid);
        const change = present({ name: input.name, ...settingsOfInput(input) });
        return { setting: VENDOR, key: { vendorId, vid: of }, change };
      },
    }),
    statusAction('suspend', 'Refuse the vendor’s requests. Open payments continue.'),
    statusAction('resume', 'Accept a suspended vendor’s requests again.'),
    changing(core, {
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
      kept: ({ low }) => ({ low }),
      now: async ({ core: loaded, input, deps: { pool, clock } }) => {
        const { vendorId, vid: of } = await loaded.requireVendor(pool, input.vid);
        const floats = await loaded.readVendorFloats(pool, [vendorId], clock.now());
        return { vid: of, low: moneyOf(floats.get(vendorId)?.lowCents ?? null) };
      },
      change: async ({
        core: { requireVendor, setVendorFloat },
        input,
        deps: { pool },
        viewer,
      }) => {
        const { vendorId } = await requireVendor(pool, input.vid);
        const lowCents = centsOf(input.low);
        await setVendorFloat(pool, { vendorId, lowCents, by: viewer.login });
      },
    }),
    ...VENDOR_KEYS,
  ],
};

function statusAction(verb: 'suspend' | 'resume', summary: string): AnyAction {
  return changing(core, {
    name: `vendor.${verb}`,
    summary,
    route: `POST /vendors/:vid/${verb}`,
    permission: 'vendors.act',
    actsAlone: 'always',
    input: inputOf({ vid, reason: settingReason }),
    output: Type.Object({ vid: vendorRow.vid, status: vendorRow.status }),
    kept: ({ status }) => ({ status }),
    now: async ({ core: { requireVendor }, input, deps: { pool } }) => {
      const { vid: of, status } = await requireVendor(pool, input.vid);
      return { vid: of, status };
    },
    change: async ({ core: loaded, input, deps: { pool, ledgerMac } }) => {
      const { vid: of, vendorId } = await loaded.requireVendor(pool, input.vid);
      if (verb === 'resume') await loaded.requireReferences(pool, await ledgerMac(), vendorId);
      const status = verb === 'suspend' ? 'suspended' : 'active';
      await loaded.changeVendor(pool, of, { status });
    },
  });
}
