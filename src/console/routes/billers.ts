import { Type } from 'typebox';
import { changeBillerStatus } from '../../payments/billers/administer.ts';
import { readBillerProducts } from '../../payments/billers/biller-products.ts';
import { listBillerHealth } from '../../payments/billers/health.ts';
import type { BillerHealth } from '../../payments/billers/health.ts';
import type { Range } from '../../connectors/operator.ts';
import { intervalsOf, sumActivity } from '../../payments/overview/activity.ts';
import { parseIsoTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { HomeFeed } from '../home-feed.ts';
import type {
  AmountRange,
  BillerDetail,
  BillerProductsAnswer,
  BillersAnswer,
} from '../operations-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { lastDay } from './last-day.ts';
import { billerView, intervalView, routeView } from './operations-views.ts';
import { onlyReason, reason } from './reason.ts';

export interface BillerRoutesOptions {
  readonly pool: Pool;
  readonly feed: Pick<HomeFeed, 'read'>;
}

const params = Type.Object({ code: Type.String({ maxLength: 40 }) });

/** Billers: their health, and taking them offline and back. */
export function billerRoutes(options: BillerRoutesOptions): AnyRoute[] {
  const { pool, feed } = options;
  return [
    route({
      method: 'GET',
      path: '/billers',
      permission: 'billers.read',
      handle: async (): Promise<BillersAnswer> => {
        const { house } = await feed.read(undefined);
        return { billers: (house?.billers ?? []).map((one) => billerView(one, one.lastHour)) };
      },
    }),
    route({
      method: 'GET',
      path: '/billers/:code',
      permission: 'billers.read',
      params,
      handle: async ({ params: { code } }) => await detailOf(options, code),
    }),
    route({
      method: 'GET',
      path: '/billers/:code/products',
      permission: 'billers.read',
      params,
      handle: async ({ params: { code } }) => await productsOf(pool, code),
    }),
    ...statusRoutes(options),
  ];
}

/** OFFLINE and ONLINE. The answers are the biller as it is then. */
function statusRoutes(options: BillerRoutesOptions): AnyRoute[] {
  const { pool } = options;
  const change = async (code: string, set: () => Promise<void>): Promise<Audited> => {
    const before = statusOf(await findHealth(pool, code));
    await set();
    const detail = await detailOf(options, code);
    return new Audited(detail, { before, after: statusOf(await findHealth(pool, code)) });
  };
  return [
    route({
      method: 'POST',
      path: '/billers/:code/offline',
      permission: 'billers.act',
      action: 'biller.offline',
      params,
      body: Type.Object({
        reason,
        /** ISO 8601; absent: until people set it ONLINE. */
        until: Type.Optional(Type.String({ maxLength: 40 })),
      }),
      handle: async ({ params: { code }, body }) => {
        const period = { reason: body.reason.trim(), until: readUntil(body.until) };
        return await change(code, () => changeBillerStatus(pool, code, 'OFFLINE', period));
      },
    }),
    route({
      method: 'POST',
      path: '/billers/:code/online',
      permission: 'billers.act',
      action: 'biller.online',
      params,
      body: onlyReason,
      handle: async ({ params: { code } }) =>
        await change(code, () => changeBillerStatus(pool, code, 'ONLINE')),
    }),
  ];
}

/** Throws: `not_found`. */
async function findHealth(pool: Pool, code: string): Promise<BillerHealth> {
  const health = (await listBillerHealth(pool)).find(({ biller }) => biller.billerCode === code);
  if (health === undefined) throw new Refusal('not_found', { text: 'Unknown biller' });
  return health;
}

async function detailOf({ pool, feed }: BillerRoutesOptions, code: string): Promise<BillerDetail> {
  const health = await findHealth(pool, code);
  const overview = await feed.read(undefined);
  const rows = overview.activity.filter(({ billerCode }) => billerCode === code);
  const { biller, routes } = health;
  const lastHour = rows.filter(({ begin }) => begin >= overview.lastHourSince);
  return {
    ...billerView(health, sumActivity(lastHour)),
    minimum: formatMoney(biller.minimumCents),
    maximum: biller.maximumCents === null ? null : formatMoney(biller.maximumCents),
    accountLabel: biller.accountLabel,
    accountFormat: biller.accountFormat,
    setStatus: biller.status,
    offlineUntil: biller.offlineUntil?.toISOString() ?? null,
    routes: routes.map(routeView),
    intervals: intervalsOf(rows, lastDay(overview.at)).map(intervalView),
  };
}

/** Throws: `not_found`. */
async function productsOf(pool: Pool, code: string): Promise<BillerProductsAnswer> {
  const found = await readBillerProducts(pool, code);
  if (found === undefined) throw new Refusal('not_found', { text: 'Unknown biller' });
  return {
    amounts: found.amounts,
    operators: found.listings.map(({ operatorCode, refreshedAt, error }) => ({
      operator: operatorCode,
      refreshedAt: refreshedAt?.toISOString() ?? null,
      error,
    })),
    products: found.products.map((one) => ({
      operator: one.operatorCode,
      code: one.productCode,
      name: one.name,
      value: one.value,
      amount: rangeView(one.amount),
      price: rangeView(one.price),
      validity: one.validity,
    })),
  };
}

function rangeView(range: Range | null): AmountRange | null {
  return (
    range && {
      minimum: formatMoney(range.minimumCents),
      maximum: formatMoney(range.maximumCents),
      currency: range.currency,
    }
  );
}

/** What the audit log keeps. */
function statusOf({ biller }: BillerHealth): object {
  const { status, offlineReason, offlineUntil } = biller;
  return { status, reason: offlineReason, until: offlineUntil?.toISOString() ?? null };
}

/** Throws: `invalid_field`. */
function readUntil(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const until = parseIsoTime(text);
  if (until !== undefined) return until;
  throw new Refusal('invalid_field', { field: 'until', text: 'until is not a valid time' });
}
