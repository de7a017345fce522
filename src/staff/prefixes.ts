import { Type } from 'typebox';
import type { Static } from 'typebox';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text, textOrNull } from './fields.ts';
import { settingReason as reason } from './signer-schema.ts';

const core = async () => ({
  ...(await import('../payments/billers/administer.ts')),
  ...(await import('../payments/billers/kenyan-prefixes.ts')),
  ...(await import('../payments/billers/lists.ts')),
});

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
          prefixes: prefixes.map((row) => ({ prefix: row.prefix, biller: row.billerCode })),
        };
      },
    }),
    action(core, {
      ...SETS,
      name: 'prefix.set',
      summary: 'Set the biller of a prefix.',
      route: 'POST /prefixes/:prefix',
      input: inputOf({
        prefix,
        biller: fields.code({ argument: true, description: 'biller code' }),
        reason,
      }),
      output: prefixView,
      handle: async ({ core: { billerOfPrefix, setPrefix }, input, deps }) => {
        const before = await billerOfPrefix(deps.pool, input.prefix);
        await setPrefix(deps.pool, input.prefix, input.biller);
        return changed(input.prefix, before, input.biller);
      },
    }),
    action(core, {
      ...SETS,
      name: 'prefix.remove',
      summary: 'Remove a prefix.',
      route: 'POST /prefixes/:prefix/remove',
      input: inputOf({ prefix, reason }),
      output: prefixView,
      handle: async ({ core: { billerOfPrefix, dropPrefix }, input, deps }) => {
        const before = await billerOfPrefix(deps.pool, input.prefix);
        await dropPrefix(deps.pool, input.prefix);
        return changed(input.prefix, before, null);
      },
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
      handle: async ({ core: { loadPrefixes, KENYAN_PREFIXES }, deps }) => {
        const { loaded, missingBillers } = await loadPrefixes(deps.pool, KENYAN_PREFIXES);
        const result = { loaded, missing_billers: [...missingBillers] };
        return { result, audit: { after: result } };
      },
    }),
  ],
};

function changed(prefixOf: string, before: string | null, after: string | null) {
  return {
    result: { prefix: prefixOf, biller: after },
    audit: { before: { biller: before }, after: { biller: after } },
  };
}
