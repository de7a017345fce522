import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { CheckReport } from '../payments/audit/check.ts';
import { action } from './definition.ts';
import type { Noun } from './definition.ts';
import {
  count,
  inputOf,
  NOTHING,
  orNull,
  storedHeads,
  text,
  textOrNull,
  time,
  timeOrNull,
  titled,
} from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../also-checked.ts')),
  ...(await import('../payments/audit/check.ts')),
  ...(await import('../payments/ledger/chain.ts')),
});

/** Violations that an answer lists. */
const MAX_FOUND = 1_000;

const head = Type.Object({
  ...titled({ hash: text, block: count }),
  ended_at: time({ title: 'To' }),
});

const checked = Type.Object({
  violations: count({
    title: 'The ledger',
    text: (violations: number) =>
      violations === 0
        ? 'is consistent: no violations'
        : `IS INCONSISTENT: ${violations} violation${violations === 1 ? '' : 's'}`,
  }),
  authenticated: Type.Boolean({
    title: 'Authentication codes',
    text: (isChecked: boolean) =>
      isChecked ? 'checked' : 'not checked: set MASTER_KEY to the value that the service uses',
  }),
  /** Rows that were read. */
  counted: Type.Object(
    Object.fromEntries(
      ['vendors', 'transfers', 'payments', 'open', 'archived', 'cases', 'blocks'].map((name) => [
        name,
        count(),
      ]),
    ),
    { title: '', spread: true },
  ),
  /** The newest block of the chain. Store its hash elsewhere. */
  head: orNull(head, { title: 'Head of the chain: store its hash elsewhere' }),
  /** The heads that were given. */
  kept_heads: Type.Array(
    Type.Object({
      hash: text({ title: 'Hash' }),
      /** Null: it is not in the chain. */
      block: orNull(Type.Integer(), {
        ...{ title: 'Block of today’s chain', unit: 'count', nullText: 'NOT IN THE CHAIN' },
      }),
      built_at: timeOrNull({ title: 'Built' }),
    }),
    { title: 'Heads that were stored' },
  ),
  invariants: Type.Array(
    Type.Object({
      ...titled({ invariant: text, violations: count }),
      says: text({ title: 'Description', wrapped: true }),
    }),
    { title: 'Invariants' },
  ),
  /** The first ones. Amounts are in cents. */
  found: Type.Array(
    Type.Object({
      vid: textOrNull({
        title: 'Vendor',
        text: (vid: string | null, { vendor_id: id }: { readonly vendor_id: number }) =>
          vid ?? (id === 0 ? '' : `#${id}`),
      }),
      /** 0: no vendor in particular. */
      vendor_id: Type.Integer(),
      ...titled({ invariant: text, detail: text }),
    }),
    { title: 'Violations' },
  ),
});
export type LedgerCheck = Static<typeof checked>;

const chained = Type.Object({
  blocks: count({ title: 'Blocks added' }),
  /** Null: there are no transfers yet. */
  ended_at: timeOrNull({ title: 'The chain reaches to', nullText: 'no transfers yet' }),
  head: textOrNull({ title: 'Head', isOptional: true }),
});

export const LEDGER: Noun = {
  command: 'ledger',
  summary: 'The ledger: its check, and its hash chain.',
  definitions: [
    action(core, {
      name: 'ledger.check',
      summary:
        'Check every invariant of the ledger, while payments continue. Fails when one is violated.',
      route: 'POST /ledger/check',
      permission: 'system.act',
      actsAlone: 'always',
      programsMay: true,
      isJob: true,
      input: inputOf({ heads: storedHeads }),
      output: checked,
      failed: ({ violations }) => violations > 0,
      handle: async ({ core: loaded, input, deps }) => {
        let steps = 0;
        const report = await loaded.checkLedger(deps.pool, {
          mac: await deps.findLedgerMac(),
          heads: input.heads.map((each) => each.toLowerCase()),
          schema: deps.schema,
          also: loaded.ALSO_CHECKED,
          onInvariant: (name) =>
            deps.progress?.({ done: (steps += 1), of: null, what: `steps: ${name}` }),
        });
        const shown = report.violations.slice(0, MAX_FOUND);
        const result = viewOf(report, await loaded.withVids(deps.pool, shown));
        return { result, audit: { after: { violations: result.violations } } };
      },
    }),
    action(core, {
      name: 'ledger.chain',
      summary: 'Extend the hash chain now, over everything that can no longer change.',
      route: 'POST /ledger/chain',
      permission: 'system.act',
      actsAlone: 'always',
      programsMay: true,
      isJob: true,
      input: NOTHING,
      output: chained,
      handle: async ({ core: loaded, deps }) => {
        const { pool } = deps;
        const { blocks, head: newest } = await loaded.completeChain(pool, await deps.ledgerMac(), {
          onBlock: (done) => deps.progress?.({ done, of: null, what: 'blocks' }),
        });
        const end = await loaded.readChainEnd(pool);
        const result = {
          blocks,
          ended_at: end?.toISOString() ?? null,
          head: newest?.hash.toString('hex') ?? null,
        };
        return { result, audit: { after: result } };
      },
    }),
  ],
};

function viewOf(report: CheckReport, found: LedgerCheck['found']): LedgerCheck {
  const { violations, head: newest } = report;
  const counts = new Map<string, number>();
  for (const { invariant } of violations) counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
  return {
    violations: violations.length,
    authenticated: report.authenticated,
    counted: { ...report.counted },
    head: newest && {
      ...{ hash: newest.hash, block: newest.blockNumber },
      ended_at: newest.endedAt.toISOString(),
    },
    kept_heads: report.keptHeads.map(({ blockNumber: block, ...kept }) =>
      wireOf({ ...kept, block }),
    ),
    invariants: report.invariants.map(({ name: invariant, says }) => ({
      ...{ invariant, violations: counts.get(invariant) ?? 0, says },
    })),
    found,
  };
}
