import { Type } from 'typebox';
import type { Static } from 'typebox';
import { PROTOCOL_NAMES } from '../connectors/operator.ts';
import { centsOf, formatMoney } from '../platform/base/money.ts';
import { intervalOf } from './activity-view.ts';
import { changing } from './changing.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text, textOrNull, titled } from './fields.ts';
import { floatOf, floatView } from './float-view.ts';
import { ASKS_OPERATORS } from './limits.ts';
import { operatorOf, operatorRow, operatorView } from './operator-view.ts';
import { product, productOf } from './product-schema.ts';
import { setting } from './proposing.ts';
import { settings, settingsOf } from './settings-input.ts';
import { settingReason as reason } from './signer-schema.ts';
import { secondsOf } from '../platform/base/times.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../connectors/probe.ts')),
  ...(await import('../connectors/registry.ts')),
  ...(await import('../payments/billers/administer-float.ts')),
  ...(await import('../payments/billers/float-forecasts.ts')),
  ...(await import('../payments/billers/open-connector.ts')),
  ...(await import('../payments/dispatch/ask-products.ts')),
  ...(await import('../payments/overview/figures.ts')),
  ...(await import('../payments/overview/operators.ts')),
  ...(await import('../payments/settings/operators.ts')),
  ...(await import('../payments/settings/sealed.ts')),
});
type Loaded = Awaited<ReturnType<typeof core>>;

const operator = fields.code({ argument: true, description: 'operator code' });

const sentences = (title: string) => Type.Array(Type.String(), { title });
const protocol = Type.Object({
  name: text({ title: 'Name' }),
  /** The provider and its API. */
  title: text({ title: 'Title' }),
  source: text({ title: 'Documented in', wide: true }),
  caller_key: text({ title: 'Our reference', wide: true }),
  result: text({ title: 'Result', wide: true }),
  status_by: text({ title: 'Asked by', wide: true }),
  callback_trust: text({ title: 'Callbacks', wide: true }),
  movements: text({ title: 'Movements', wide: true }),
  amounts: textOrNull({ title: 'Amounts', wide: true }),
  proof_of_non_execution: sentences('What proves that nothing was executed'),
  not_proof: sentences('What proves nothing'),
  to_try: sentences('To try in the provider’s sandbox first'),
  witnesses: sentences('Checked against'),
});

const list = Type.Object({ operators: Type.Array(operatorRow) });
export type OperatorList = Static<typeof list>;

const SAME =
  'the change reaches the same merchant account: open instructions are asked about with it. Without it, each is asked about where it was sent';

interface Changed {
  readonly same_account: boolean;
}

function openText(count: number, { same_account: isSame }: Changed): string {
  if (count === 0) return 'none';
  const where = isSame
    ? 'asked about with the new settings, at the same merchant account'
    : 'asked about where they were sent; if that is the same merchant account, say so with same_account alone';
  return `${count}, ${where}`;
}

/** What a change of an operator means for what was sent before. */
const changed = {
  open_instructions: Type.Integer({ title: 'Without a result', text: openText }),
  same_account: Type.Boolean(),
};

const SETS = { permission: 'billers.act', proposes: 'operator_setting', actsAlone: true } as const;
/** It sends requests under our key with the operator. */
const ASKS = { permission: 'billers.act', isNoted: true, limit: ASKS_OPERATORS } as const;

export const OPERATORS: Noun = {
  command: 'operator',
  summary: 'Operators: the companies that execute payments for billers.',
  definitions: [
    view(core, {
      name: 'operator.list',
      summary: 'All operators, with our floats and the payments of the last hour.',
      route: 'GET /operators',
      permission: 'billers.read',
      input: NOTHING,
      output: list,
      rows: 'operators',
      empty: 'no operators',
      isWatched: true,
      handle: async ({ core: { lastHourBy, readOperators }, deps }) => {
        const now = deps.clock.now();
        const of = await lastHourBy(deps.activity, now, (each) => each.operatorCode);
        const operators = await readOperators(deps.pool, now);
        return { operators: operators.map((one) => operatorOf(one, of(one.operatorCode))) };
      },
    }),
    view(core, {
      name: 'operator.show',
      summary: 'An operator with our float and the payments of the last hour.',
      route: 'GET /operators/:operator',
      permission: 'billers.read',
      input: inputOf({ operator }),
      output: operatorView,
      isWatched: true,
      handle: async ({ core: loaded, input: { operator: named }, deps }) => {
        const now = deps.clock.now();
        const one = await loaded.readOperator(deps.pool, named, now);
        const of = await loaded.lastHourBy(deps.activity, now, (each) => each.operatorCode);
        const isShown = ({ operatorCode }: { readonly operatorCode: string | null }) =>
          operatorCode === named;
        const intervals = await loaded.lastDayOf(deps.activity, now, isShown);
        return { ...operatorOf(one, of(named)), intervals: intervals.map(intervalOf) };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'operator.set',
      summary: 'Add an operator, or change the settings that are given.',
      route: 'POST /operators/:operator',
      needsOne: [
        ...['name', 'connector', 'base_url', 'settings', 'max_concurrency', 'max_per_second'],
        'same_account',
      ],
      input: {
        operator,
        name: Type.Optional(fields.displayName()),
        connector: Type.Optional(
          Type.Enum([...PROTOCOL_NAMES], {
            ...{ description: 'its protocol', placeholder: 'protocol' },
          }),
        ),
        base_url: Type.Optional(
          fields.line(2_000, { description: 'base URL of its API', placeholder: 'url' }),
        ),
        settings,
        max_concurrency: Type.Optional(
          Type.Integer({
            ...{ minimum: 1, maximum: 10_000, placeholder: 'count' },
            description: 'maximum number of calls at once',
          }),
        ),
        max_per_second: Type.Optional(
          fields.orNull(Type.Integer({ minimum: 1, maximum: 100_000 }), {
            ...{ description: 'maximum number of instructions per second', placeholder: 'count' },
            shorthands: {
              'no-max-per-second': { value: null, says: 'no limit on instructions per second' },
            },
          }),
        ),
        same_account: Type.Optional(Type.Boolean({ description: SAME })),
      },
      also: { ...changed, has_key: operatorRow.properties.has_key },
      change: async ({ core: loaded, input, deps }) => {
        const same = input.same_account ?? false;
        const change = loaded.operatorChangeJson({
          name: input.name,
          connector: input.connector,
          baseUrl: input.base_url,
          settings: settingsOf(input.settings),
          maxConcurrency: input.max_concurrency,
          maxPerSecond: input.max_per_second,
          sameAccount: same,
        });
        const now = await loaded.findListed(deps.pool, input.operator, deps.clock.now());
        return {
          ...{ setting: loaded.OPERATOR, key: { operatorCode: input.operator }, change },
          also: {
            ...{ open_instructions: now?.openInstructions ?? 0, same_account: same },
            has_key: now?.hasKey ?? false,
          },
        };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'operator.set-key',
      summary:
        'Set the secret shared with the operator. For http-json, a new one is created and shown once unless one is given.',
      route: 'POST /operators/:operator/key',
      input: {
        operator,
        key: Type.Optional(
          Type.String({
            ...{ minLength: 1, maxLength: 16_384, typed: true, placeholder: 'secret' },
            description: 'the secret to set, whsec_…',
          }),
        ),
        overlap: fields.duration({
          ...{ default: '0' },
          description: 'how long callbacks under the former key are still accepted',
        }),
        same_account: Type.Boolean({ default: false, description: SAME }),
      },
      also: {
        ...changed,
        /** Valid once the proposal is approved; null: it was given. */
        secret: textOrNull({ title: 'Key', secret: true, isOptional: true }),
      },
      change: async ({ core: loaded, input, deps }) => {
        const { operator: named, key: given, same_account: same } = input;
        const row = await loaded.readOperator(deps.pool, named, deps.clock.now());
        const secret = await loaded.secretToSet(deps.pool, row, given);
        const sealed = loaded.sealSecret(secret, loaded.sealedFor(named), await deps.masterKeys());
        const overlapSeconds = secondsOf(input.overlap, 'overlap');
        return {
          ...{ setting: loaded.OPERATOR_KEY, key: { operatorCode: named } },
          change: { secret: sealed, overlapSeconds, sameAccount: same },
          also: {
            ...{ open_instructions: row.openInstructions, same_account: same },
            secret: given === undefined ? secret : null,
          },
        };
      },
    }),
    view(core, {
      name: 'operator.floats',
      summary: 'Our float with each operator as it reports it, its limits, and how long it lasts.',
      route: 'GET /operator-floats',
      permission: 'billers.read',
      input: NOTHING,
      output: Type.Object({ floats: Type.Array(floatView) }),
      rows: 'floats',
      empty: 'no operator has reported our float',
      isWatched: true,
      handle: async ({ core: { listFloatForecasts }, deps }) => ({
        floats: (await listFloatForecasts(deps.pool, deps.clock.now())).map(floatOf),
      }),
    }),
    changing(core, {
      name: 'operator.set-float',
      summary: 'Set the limits of our float with an operator.',
      route: 'POST /operators/:operator/float',
      permission: 'billers.act',
      actsAlone: 'always',
      needsOne: ['low', 'stop', 'resume'],
      input: inputOf({
        operator,
        low: fields.positiveOrNone('low', 'below this balance people are alerted', 'no alert'),
        stop: fields.positiveOrNone(
          'stop',
          'at this balance or below, nothing more is sent through it',
          'send until the operator refuses',
        ),
        resume: Type.Optional(
          fields.positive({
            ...{ placeholder: 'amount' },
            description: 'from this balance on it is used again; above the one at which it stops',
          }),
        ),
        reason,
      }),
      output: floatView,
      now: async ({ core: { listFloatForecasts }, input, deps: { pool, clock } }) => {
        const all = await listFloatForecasts(pool, clock.now());
        const found = all.find(({ operatorCode }) => operatorCode === input.operator);
        return found && floatOf(found);
      },
      change: async ({ core: { setFloatLimits }, input, deps: { pool } }) =>
        await setFloatLimits(pool, input.operator, {
          lowCents: centsOf(input.low),
          stopCents: centsOf(input.stop),
          resumeCents: centsOf(input.resume),
        }),
    }),
    view(core, {
      name: 'operator.protocols',
      summary: 'The protocols that operators can speak.',
      route: 'GET /protocols',
      permission: 'billers.read',
      needsNothing: true,
      input: NOTHING,
      output: Type.Object({
        protocols: Type.Array(protocol, { title: 'Protocols' }),
      }),
      handle: async ({ core: { DECLARATIONS } }) => ({
        protocols: PROTOCOL_NAMES.map((name) => protocolOf(name, DECLARATIONS)),
      }),
    }),
    view(core, {
      name: 'operator.protocol',
      summary: 'A protocol, and what proves in it that nothing was executed.',
      route: 'GET /protocols/:protocol',
      permission: 'billers.read',
      needsNothing: true,
      input: inputOf({
        protocol: Type.Enum([...PROTOCOL_NAMES], { description: 'name of the protocol' }),
      }),
      output: protocol,
      handle: async ({ core: { DECLARATIONS }, input }) => protocolOf(input.protocol, DECLARATIONS),
    }),
    view(core, {
      ...ASKS,
      name: 'operator.test',
      summary:
        'Query the operator in every way that moves no money, and show the results. Never pays.',
      route: 'POST /operators/:operator/test',
      input: inputOf({
        operator,
        biller: Type.Optional(
          fields.code({ description: 'biller of the account', placeholder: 'code' }),
        ),
        account: Type.Optional(fields.line(100, { description: 'an account to ask about' })),
      }),
      output: Type.Object({
        operator: text({ title: 'Operator' }),
        protocol: protocol.properties.title,
        findings: Type.Array(
          Type.Object({
            ...titled({ question: text, is_established: Type.Boolean }),
            detail: text({ title: 'Answer', wrapped: true }),
          }),
          { title: 'Findings' },
        ),
        proof_of_non_execution: protocol.properties.proof_of_non_execution,
        to_try: protocol.properties.to_try,
      }),
      handle: async ({ core: { askConnector, probe }, input, deps }) => {
        const { operator: named, biller: billerCode = null, account = null } = input;
        return await askConnector(named, await askingBy(deps), async (connector) => ({
          operator: named,
          protocol: connector.declaration.title,
          findings: (await probe(connector, { billerCode, account })).map((one) => wireOf(one)),
          proof_of_non_execution: [...connector.declaration.proofOfNonExecution],
          to_try: [...connector.declaration.toTry],
        }));
      },
    }),
    view(core, {
      ...ASKS,
      name: 'operator.products',
      summary: 'Ask the operator what it sells now. Saves nothing.',
      route: 'GET /operators/:operator/products',
      input: inputOf({
        operator,
        search: Type.Optional(
          fields.line(100, {
            ...{ placeholder: 'text' },
            description: 'only products with this text in name, service or provider',
          }),
        ),
      }),
      output: Type.Object({ operator: text(), products: Type.Array(Type.Object(product)) }),
      rows: 'products',
      empty: 'no products',
      handle: async ({ core: { askProducts }, input: { operator: named, search = '' }, deps }) => {
        const wanted = search.toLowerCase();
        const all = await askProducts(named, await askingBy(deps));
        const found = all.filter(({ name, service, provider }) =>
          [name, service, provider].join(' ').toLowerCase().includes(wanted),
        );
        return { operator: named, products: found.map((one) => productOf(one)) };
      },
    }),
  ],
};

/** What a question to an operator needs. A connector is opened for it, wherever the definition runs. */
const askingBy = async ({ pool, publicUrl, masterKeys }: StaffDeps) => ({
  ...{ pool, publicUrl, masterKeys: await masterKeys() },
});

type Declared = Loaded['DECLARATIONS'][string];

function amountsOf(amounts: NonNullable<Declared['amounts']>): string {
  const { minimumCents, maximumCents, stepCents } = amounts;
  const [from, to, step] = [minimumCents, maximumCents, stepCents].map((cents) =>
    formatMoney(BigInt(cents)),
  );
  return `${from} to ${to}, multiples of ${step}`;
}

function protocolOf(name: string, declarations: Loaded['DECLARATIONS']) {
  const found = declarations[name];
  if (found === undefined) throw new Error(`no protocol ${name}`);
  const { amounts, ...rest } = found;
  return fit(protocol, { name, ...wireOf(rest), amounts: amounts && amountsOf(amounts) });
}
