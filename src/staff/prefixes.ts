import { Type } from 'typebox';
import type { Static } from 'typebox';
import { changing } from './changing.ts';
import { action, view } from './definition.ts';
import type { Asked, Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text, textOrNull } from './fields.ts';
import { settingReason as reason } from './signer-schema.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/billers/administer.ts')),
  ...(await import('../payments/billers/kenyan-prefixes.ts')),
  ...(await import('../payments/billers/lists.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const prefix = Type.String({
  pattern: String.raw`^\d{3}$`,
  form: 'exactly 3 digits without the leading 0, such as 722',
  description: 'three digits',
});

const prefixView = Type.Object({
  prefix: text({ title: 'Prefix' }),
  /** Null: nobody serves it. */
  biller: textOrNull({ title: 'Biller', nullText: 'none' }),
});

export type PrefixRow = Static<typeof prefixView>;

const SETS = { permission: 'billers.act', actsAlone: 'always' } as const;
const SHOWN = {
  output: prefixView,
  kept: ({ biller }: PrefixRow) => ({ biller }),
  now: async ({ core: loaded, input, deps }: Asked<Core, Pick<PrefixRow, 'prefix'>>) => ({
    ...{ prefix: input.prefix, biller: await loaded.billerOfPrefix(deps.pool, input.prefix) },
  }),
};

export const PREFIXES: Noun = {
  command: 'prefix',
  summary: 'Phone prefixes (three digits without the leading 0) and their airtime billers.',
  definitions: [
    view(core, {
      name: 'prefix.list',
      summary: 'All prefixes.',
      route: 'GET /prefixes',
      permission: 'billers.read',
      input: NOTHING,
      output: Type.Object({ prefixes: Type.Array(prefixView) }),
      rows: 'prefixes',
      empty: 'no prefixes',
      handle: async ({ core: { readPrefixes }, deps }) => {
        const prefixes = await readPrefixes(deps.pool);
        return {
          prefixes: prefixes.map(wireOf),
        };
      },
    }),
    changing(core, {
      ...SETS,
      name: 'prefix.set',
      summary: 'Set the biller of a prefix.',
      route: 'POST /prefixes/:prefix',
      input: inputOf({
        prefix,
        biller: fields.code({ argument: true, description: 'biller code' }),
        reason,
      }),
      ...SHOWN,
      change: async ({ core: { setPrefix }, input, deps }) =>
        await setPrefix(deps.pool, input.prefix, input.biller),
    }),
    changing(core, {
      ...SETS,
      name: 'prefix.remove',
      summary: 'Remove a prefix.',
      route: 'POST /prefixes/:prefix/remove',
      input: inputOf({ prefix, reason }),
      ...SHOWN,
      change: async ({ core: { dropPrefix }, input, deps }) =>
        await dropPrefix(deps.pool, input.prefix),
    }),
    action(core, {
      ...SETS,
      name: 'prefix.load-kenya',
      summary:
        'Set the prefixes of the Kenyan numbering plan for the billers safaricom, airtel, telkom and jtl, if they exist.',
      route: 'POST /kenyan-prefixes',
      input: inputOf({ reason }),
      output: Type.Object({
        loaded: Type.Integer({ title: 'Set' }),
        missing_billers: Type.Array(Type.String(), {
          title: 'Unknown billers',
          text: (codes: readonly string[]) => codes.join(', ') || 'none',
        }),
      }),
      handle: async ({ core: { loadPrefixes, readPrefixes, KENYAN_PREFIXES }, deps: { pool } }) => {
        const kept = async () =>
          Object.fromEntries((await readPrefixes(pool)).map((row) => [row.prefix, row.billerCode]));
        const before = await kept();
        const result = wireOf(await loadPrefixes(pool, KENYAN_PREFIXES));
        return { result, audit: { before, after: await kept() } };
      },
    }),
  ],
};
