import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { formatMoney } from '../../platform/base/money.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { setBiller } from '../billers/administer.ts';
import type { BillerChange } from '../billers/administer.ts';
import { removeRoute, setRoute } from '../billers/administer-routes.ts';
import type { RouteChange } from '../billers/administer-routes.ts';
import { AMOUNT_RULES } from '../billers/product.ts';
import { listRouteRows } from '../billers/routes-store.ts';
import type { RouteRow } from '../billers/routes-store.ts';
import { findBiller } from '../billers/store.ts';
import { code, present } from './fields.ts';
import { setting } from './setting.ts';

const cents = Type.String({ pattern: '^[0-9]{1,15}$' });
const optional = Type.Optional;

const billerChange = strict({
  name: optional(filledText(200)),
  category: optional(filledText(200)),
  operatorCode: optional(code),
  minimumCents: optional(cents),
  maximumCents: optional(orNull(cents)),
  secondaryAccount: optional(Type.Boolean()),
  validatesAccounts: optional(Type.Boolean()),
  accountFormat: optional(Type.String({ maxLength: 1_000 })),
  accountLabel: optional(filledText(200)),
  amounts: optional(Type.Enum([...AMOUNT_RULES])),
  position: optional(Type.Integer()),
});

const VERIFIED = [
  { label: 'Payments that were sent', text: 'are verified with the operator that got them' },
];

/** A biller: the accounts and amounts that can be paid, and the operators that execute it. */
export const BILLER = setting({
  ...{ name: 'biller', label: 'Biller', topic: 'billers' },
  key: strict({ billerCode: code }),
  change: billerChange,
  target: ({ billerCode }) => billerCode,
  read: async (db, { billerCode }) => {
    const row = await findBiller(db, billerCode);
    if (row === undefined) return null;
    return {
      Name: row.name,
      Category: row.category,
      Operator: row.operatorCode,
      // The former operator’s own terms, if it has some, keep it as a route; the new one may have some already.
      Routes: await routesText(db, billerCode),
      Minimum: formatMoney(row.minimumCents),
      Maximum: moneyText(row.maximumCents),
      'Phone number': row.secondaryAccount ? 'required' : 'not asked for',
      'Validates accounts': row.validatesAccounts ? 'yes' : 'no',
      'Format of accounts': row.accountFormat,
      'Name of accounts': row.accountLabel,
      Amounts: row.amounts,
      Position: String(row.listPosition),
    };
  },
  remarks: () => VERIFIED,
  apply: async (db, { key: { billerCode }, change }) =>
    await setBiller(db, billerCode, withCents(change)),
});

const routeTerms = strict({
  position: optional(Type.Integer()),
  weight: optional(Type.Integer()),
  minimumCents: optional(orNull(cents)),
  maximumCents: optional(orNull(cents)),
  dailyLimitCents: optional(orNull(cents)),
  status: optional(Type.Enum(['ONLINE', 'OFFLINE'])),
});

/** An operator that may execute a biller’s payments. Terms of null remove it. */
export const ROUTE = setting({
  ...{ name: 'route', label: 'Route', topic: 'billers' },
  key: strict({ billerCode: code, operatorCode: code }),
  change: strict({ terms: orNull(routeTerms) }),
  target: ({ billerCode, operatorCode }) => `${billerCode} through ${operatorCode}`,
  read: async (db, { billerCode, operatorCode }) => {
    const row = (await listRouteRows(db)).find(
      (one) => one.billerCode === billerCode && one.operatorCode === operatorCode,
    );
    if (row === undefined) return null;
    return {
      Position: String(row.position),
      Weight: String(row.weight),
      Minimum: moneyText(row.minimumCents),
      Maximum: moneyText(row.maximumCents),
      'Limit of a day': moneyText(row.dailyLimitCents),
      Status: row.status,
    };
  },
  remarks: () => VERIFIED,
  apply: async (db, { key, change: { terms } }) => {
    if (terms === null) return await removeRoute(db, key);
    return await setRoute(db, key, withCents(terms));
  },
});

async function routesText(db: Queryable, billerCode: string): Promise<string> {
  const rows = (await listRouteRows(db)).filter((row) => row.billerCode === billerCode);
  return rows.map(routeText).join('; ');
}

function routeText(row: RouteRow): string {
  const { minimumCents: minimum, maximumCents: maximum, dailyLimitCents: daily } = row;
  return [
    `${row.operatorCode} at position ${row.position} with weight ${row.weight}`,
    ...(minimum === null ? [] : [`from ${formatMoney(minimum)}`]),
    ...(maximum === null ? [] : [`up to ${formatMoney(maximum)}`]),
    ...(daily === null ? [] : [`at most ${formatMoney(daily)} a day`]),
    ...(row.status === 'ONLINE' ? [] : [row.status]),
  ].join(', ');
}

const moneyText = (amount: bigint | null): string => (amount === null ? '' : formatMoney(amount));

/** The amounts of a change, which are text in JSON, as cents. */
function withCents(change: Static<typeof billerChange>): BillerChange;
function withCents(change: Static<typeof routeTerms>): RouteChange;
function withCents(change: object): object {
  return Object.fromEntries(
    Object.entries(change).map(([name, value]: [string, unknown]) => [
      name,
      name.endsWith('Cents') && typeof value === 'string' ? BigInt(value) : value,
    ]),
  );
}

/** The reverse, for the content of a proposal. */
export function changeJson(change: BillerChange | RouteChange): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(present(change)).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? String(value) : value,
    ]),
  );
}
