import { Type } from 'typebox';
import { changeVendor } from '../../parties/administer.ts';
import { listVendorsAfter } from '../../parties/store.ts';
import type { VendorRow } from '../../parties/store.ts';
import {
  DUPLICATE_CHECKS,
  ENQUIRY_POLICIES,
  SECTORS,
  SIGNATURE_VERSIONS,
  STATUS_TEXTS,
} from '../../parties/vendor.ts';
import type { BillerCatalogue } from '../../payments/billers/catalogue.ts';
import { addVendor } from '../../payments/ledger/add-vendor.ts';
import { proposeSetting } from '../../payments/settings/propose.ts';
import { VENDOR } from '../../payments/settings/vendors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import { setVendorFloat } from '../../payments/vendor-floats/administer.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import type { VendorAdded, VendorDetail, VendorSet, VendorsAnswer } from '../vendor-answers.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import { pageOf } from '../../staff/pages.ts';
import { onlyReason, reason } from './reason.ts';
import { requireVendor, vendorParams as params } from './vendor.ts';
import { settingsOf, vendorDetail, vendorViews } from './vendor-answer.ts';

export interface VendorRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly masterKeys: MasterKeys;
  readonly ledgerMac: Mac;
  readonly proposals: Proposals;
  readonly catalogue: Pick<BillerCatalogue, 'billers'>;
}

const PAGE = 50;

const name = Type.String({
  pattern: String.raw`^[^\p{Cc}\p{Cf}\s]([^\p{Cc}\p{Cf}]{0,98}[^\p{Cc}\p{Cf}\s])?$`,
});
const vid = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' });

/** Vendors: the list, one vendor, and what changes it. */
export function vendorRoutes(options: VendorRoutesOptions): AnyRoute[] {
  return [
    listRoute(options),
    addRoute(options),
    detailRoute(options),
    settingsRoute(options),
    statusRoute(options, 'suspend'),
    statusRoute(options, 'resume'),
    floatRoute(options),
  ];
}

function listRoute({ pool, clock, wireTime }: VendorRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/vendors',
    permission: 'vendors.read',
    query: Type.Object(
      {
        search: Type.Optional(Type.String({ maxLength: 100 })),
        status: Type.Optional(Type.Enum(['active', 'suspended'])),
        /** The vid of the last vendor of the page before. */
        cursor: Type.Optional(vid),
      },
      { additionalProperties: false },
    ),
    handle: async ({ query: { search = '', status, cursor = '' } }): Promise<VendorsAnswer> => {
      const page = { search: search.trim(), status, after: cursor, limit: PAGE + 1 };
      const found = await listVendorsAfter(pool, page);
      const { shown, next } = pageOf(found, PAGE, (last) => last.vid);
      return {
        vendors: await vendorViews(shown, { pool, wireTime, now: clock.now() }),
        next,
      };
    },
  });
}

function addRoute({ pool, masterKeys }: VendorRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/vendors',
    permission: 'vendors.act',
    action: 'vendor.add',
    body: Type.Object(
      { vid, name, sector: Type.Enum([...SECTORS]), reason },
      { additionalProperties: false },
    ),
    handle: async ({ body }) => {
      const { reason: _, ...vendor } = body;
      const { securityKey } = await addVendor(pool, vendor, { masterKeys, certain: true });
      const answer: VendorAdded = { vid: body.vid, secret: securityKey };
      return new Audited(answer, { target: body.vid, after: vendor });
    },
  });
}

function detailRoute(options: VendorRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/vendors/:vid',
    permission: 'vendor.read',
    params,
    handle: async (input) =>
      await detailOf(options, await requireVendor(options.pool, input.params.vid)),
  });
}

async function detailOf(
  { pool, clock, wireTime, catalogue }: VendorRoutesOptions,
  row: VendorRow,
): Promise<VendorDetail> {
  return await vendorDetail(row, catalogue.billers(), { pool, wireTime, now: clock.now() });
}

function settingsRoute(options: VendorRoutesOptions): AnyRoute {
  const { pool } = options;
  return route({
    method: 'PUT',
    path: '/vendors/:vid',
    permission: 'vendors.act',
    action: 'vendor.set',
    params,
    body: Type.Object(
      {
        name: Type.Optional(name),
        sector: Type.Optional(Type.Enum([...SECTORS])),
        duplicateCheck: Type.Optional(Type.Enum([...DUPLICATE_CHECKS])),
        referenceRequired: Type.Optional(Type.Boolean()),
        enquiryPolicy: Type.Optional(Type.Enum([...ENQUIRY_POLICIES])),
        statusText: Type.Optional(Type.Enum([...STATUS_TEXTS])),
        signature: Type.Optional(Type.Enum([...SIGNATURE_VERSIONS])),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async (input, { viewer }) => {
      const before = await requireVendor(pool, input.params.vid);
      const { reason: note, ...change } = input.body;
      const { vid: key, vendorId } = before;
      const { row } = await proposeSetting(options, {
        ...{ setting: VENDOR, key: { vid: key, vendorId }, change },
        ...{ by: actorOf(viewer), note },
      });
      const after = await requireVendor(pool, before.vid);
      const proposal = row.decision === null ? row.proposalId : null;
      const answer: VendorSet = { ...(await detailOf(options, after)), proposal };
      if (proposal !== null) return auditedOf(row, answer);
      return new Audited(answer, { before: settingsOf(before), after: settingsOf(after) });
    },
  });
}

function statusRoute(options: VendorRoutesOptions, verb: 'suspend' | 'resume'): AnyRoute {
  const { pool } = options;
  const status = verb === 'suspend' ? 'suspended' : 'active';
  return route({
    method: 'POST',
    path: `/vendors/:vid/${verb}`,
    permission: 'vendors.act',
    action: `vendor.${verb}`,
    params,
    body: onlyReason,
    handle: async (input) => {
      const before = await requireVendor(pool, input.params.vid);
      await changeVendor(pool, before.vid, { status });
      const after = await requireVendor(pool, before.vid);
      const change = { before: { status: before.status }, after: { status } };
      return new Audited(await detailOf(options, after), change);
    },
  });
}

/** The limit for the event `float.low`; the vendor itself may set it. */
function floatRoute(options: VendorRoutesOptions): AnyRoute {
  const { pool } = options;
  return route({
    method: 'PUT',
    path: '/vendors/:vid/float',
    permission: 'integration.act',
    action: 'vendor.set-float',
    params,
    body: Type.Object(
      {
        /** Null: no event. */
        low: Type.Union([Type.String({ maxLength: 16 }), Type.Null()]),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async (input, { viewer }) => {
      const row = await requireVendor(pool, input.params.vid);
      const before = await detailOf(options, row);
      const { low } = input.body;
      const lowCents = low === null ? null : parseMoney(low, 'low');
      await setVendorFloat(pool, { vendorId: row.vendorId, lowCents, by: viewer.login });
      const after = { low: lowCents === null ? null : formatMoney(lowCents) };
      return new Audited(await detailOf(options, row), { before: { low: before.low }, after });
    },
  });
}
