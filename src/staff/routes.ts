import { Type } from 'typebox';
import type { Static } from 'typebox';
import { centsOf, parseMoney } from '../platform/base/money.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, positiveOrNone, text, textOrNull } from './fields.ts';
import { setting } from './proposing.ts';
import { obstacleIn, onTrial, routeOf, routeView, STATES, terms } from './route-view.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/billers/lists.ts')),
  ...(await import('../payments/dispatch/try-route.ts')),
  ...(await import('../payments/settings/billers.ts')),
});

const biller = fields.code({ argument: true, description: 'biller code' });
const operator = fields.code({ argument: true, description: 'operator code' });

interface Outcome {
  readonly biller: string;
  readonly status: string;
  readonly reason: string | null;
}

const trial = Type.Object({
  biller: text(),
  status: text(),
  /** Null: nothing would be sent. */
  operator: textOrNull({
    title: 'Now',
    text: (through: string | null, { biller: code, status, reason: why }: Outcome) =>
      through === null
        ? `Nothing would be sent: ${code} is ${status} and waits for a route.`
        : `It would go through ${through}${why === null ? '' : ` (${why})`}.`,
  }),
  reason: textOrNull(),
  routes: Type.Array(
    Type.Object({
      operator: text({ title: 'Operator' }),
      ...terms,
      chosen: Type.Boolean(),
      obstacle: obstacleIn('Now'),
      ...onTrial,
    }),
    { title: 'Routes' },
  ),
});
export type RouteTrial = Static<typeof trial>;

const SETS = { permission: 'billers.act', proposes: 'operator_setting', actsAlone: true } as const;

export const ROUTES: Noun = {
  command: 'route',
  summary: 'Routes: the operators that may execute a biller’s payments.',
  definitions: [
    view(core, {
      name: 'route.try',
      summary:
        'Show where a payment would go now, and why. Changes nothing. Does not consider how busy the operators are.',
      route: 'GET /billers/:biller/route',
      permission: 'billers.read',
      isUsual: true,
      input: inputOf({
        biller,
        amount: fields.amount({ argument: true, description: 'amount of the payment' }),
      }),
      output: trial,
      handle: async ({ core: { tryRoutes }, input, deps }) => {
        const billerCode = input.biller;
        const amountCents = parseMoney(input.amount, 'amount');
        const payment = { billerCode, amountCents };
        const tried = await tryRoutes(deps.pool, payment, deps.timeZone);
        return {
          biller: billerCode,
          status: tried.availability,
          operator: tried.operatorCode,
          reason: tried.reason,
          routes: tried.routes.map(({ isOnTrial, ...route }) => ({
            ...wireOf(route),
            ...{ chosen: route.operatorCode === tried.operatorCode, on_trial: isOnTrial },
          })),
        };
      },
    }),
    view(core, {
      name: 'route.list',
      summary: 'All routes, by biller and in the order in which they are tried.',
      route: 'GET /routes',
      permission: 'billers.read',
      input: inputOf({
        biller: Type.Optional(
          fields.code({ description: 'only this biller', placeholder: 'code' }),
        ),
      }),
      output: Type.Object({ routes: Type.Array(routeView) }),
      rows: 'routes',
      empty: 'no routes',
      handle: async ({ core: { readRoutes }, input, deps }) => ({
        routes: (await readRoutes(deps.pool, input.biller)).map(routeOf),
      }),
    }),
    setting(core, {
      ...SETS,
      name: 'route.set',
      summary: 'Add a route to a biller, or change the terms that are given.',
      route: 'POST /routes/:biller/:operator',
      needsOne: ['position', 'weight', 'minimum', 'maximum', 'daily_limit', 'status'],
      input: {
        biller,
        operator,
        position: Type.Optional(
          Type.Integer({
            ...{ minimum: 0, maximum: 1_000, placeholder: 'number' },
            description: 'lower positions are tried first',
          }),
        ),
        weight: Type.Optional(
          Type.Integer({
            ...{ minimum: 1, maximum: 1_000, placeholder: 'number' },
            description: 'share among routes of the same position',
          }),
        ),
        minimum: positiveOrNone('minimum', 'smallest amount that it takes', 'no smallest amount'),
        maximum: positiveOrNone('maximum', 'largest amount that it takes', 'no largest amount'),
        daily_limit: positiveOrNone(
          'daily-limit',
          'how much may be sent through it in a day of TIME_ZONE',
          'no daily limit',
        ),
        status: Type.Optional(
          Type.Enum([...STATES], { description: 'whether payments may go through it' }),
        ),
      },
      change: async ({ core: { changeJson, ROUTE }, input }) => {
        const { position, weight, status } = input;
        const change = changeJson({
          ...{ position, weight, status, dailyLimitCents: centsOf(input.daily_limit) },
          ...{ minimumCents: centsOf(input.minimum), maximumCents: centsOf(input.maximum) },
        });
        return { setting: ROUTE, key: keyOf(input), change: { terms: change } };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'route.remove',
      summary:
        'Remove a route. Payments already sent through it are still verified with its operator.',
      route: 'POST /routes/:biller/:operator/remove',
      input: { biller, operator },
      change: async ({ core: { ROUTE }, input }) => ({
        ...{ setting: ROUTE, key: keyOf(input), change: { terms: null } },
      }),
    }),
  ],
};

const keyOf = (of: { readonly biller: string; readonly operator: string }) => ({
  ...{ billerCode: of.biller, operatorCode: of.operator },
});
