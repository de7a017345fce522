import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { ChainReport } from '../credit/enquiries/read-chains.ts';
import { DAY_MS } from '../platform/base/days.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { action } from './definition.ts';
import { requireMachine } from './deps.ts';
import { count, inputOf, NOTHING, storedHeads, text, textOrNull, titled } from './fields.ts';

const core = async () => ({
  ...(await import('../credit/enquiries/read-chains.ts')),
  ...(await import('../credit/enquiries/retention.ts')),
  ...(await import('../credit/rotation/rotate.ts')),
  ...(await import('../parties/read-vendors.ts')),
});

/** Violations that an answer lists. */
const MAX_FOUND = 1_000;

/** A place in a vendor’s chain. */
const place = {
  vid: textOrNull({
    title: 'Vendor',
    text: (vid: string | null, { vendor_id: id }: { readonly vendor_id: number }) =>
      vid ?? `#${id}`,
  }),
  vendor_id: Type.Integer(),
  sequence: count({ title: 'Enquiry' }),
};
const head = Type.Object({ ...place, hash: text({ title: 'Hash' }) });

const chains = Type.Object({
  violations: count({
    title: 'The chains',
    text: (violations: number) =>
      violations === 0 ? 'are intact: no violations' : `ARE NOT INTACT: ${violations} violations`,
  }),
  enquiries: count({ title: 'Enquiries' }),
  /** Their hashes are still part of the chain. */
  erased: count({ title: 'Erased by retention' }),
  heads: Type.Array(head, { title: 'Heads: store them elsewhere' }),
  kept_heads: Type.Array(head, { title: 'Heads that were stored' }),
  /** A chain was rebuilt or truncated. */
  missing_heads: Type.Array(Type.String(), { title: 'Heads that are in no chain' }),
  /** The first ones. */
  found: Type.Array(Type.Object({ ...place, what: text({ title: 'What' }) }), {
    title: 'Violations',
  }),
});

/** What keeps the registry trustworthy: the chain of enquiries, its keys, its retention. */
export const OF_UPKEEP = [
  action(core, {
    name: 'credit.verify-chain',
    summary: 'Verify that no enquiry was altered or removed. Fails when one was.',
    route: 'POST /credit/chain/verify',
    permission: 'credit.act',
    actsAlone: 'always',
    programsMay: true,
    isJob: true,
    input: inputOf({ heads: storedHeads }),
    output: chains,
    failed: ({ violations }) => violations > 0,
    handle: async ({ core: { verifyChains, readVids }, input, deps }) => {
      const { vault } = await deps.credit();
      const report = await verifyChains(deps.pool, vault, {
        heads: input.heads.map((each) => each.toLowerCase()),
        onProgress: (done) => deps.progress?.({ done, of: null, what: 'enquiries' }),
      });
      const result = viewOf(report, await readVids(deps.pool));
      return { result, audit: { after: { violations: result.violations } } };
    },
  }),
  action(core, {
    name: 'credit.rotate-keys',
    summary:
      'Re-encrypt the registry with MASTER_KEY and CREDIT_INDEX_KEY, decrypting it with them or with …_PREVIOUS. Runs alongside the service, which needs the same keys first; can be repeated.',
    onMachine: true,
    permission: 'credit.act',
    actsAlone: 'always',
    isJob: true,
    input: NOTHING,
    output: Type.Object(
      titled({
        ...{ subjects: count, accounts: count, disputes: count, enquiries: count },
        ...{ answers: count, batches: count },
      }),
    ),
    handle: async ({ core: { rotateKeys }, deps }) => {
      const { ownerPool, hasFormerKeys } = requireMachine(deps);
      if (!hasFormerKeys) {
        throw new PlainError(
          'Set MASTER_KEY or CREDIT_INDEX_KEY to the new key and its …_PREVIOUS to the former one.',
        );
      }
      const { vault } = await deps.credit();
      const done = await rotateKeys(await ownerPool(), vault, ({ subjects, accounts }) =>
        deps.progress?.({ done: subjects + accounts, of: null, what: 'subjects and accounts' }),
      );
      return { result: { ...done }, audit: { after: { ...done } } };
    },
  }),
  action(core, {
    name: 'credit.erase-enquiries',
    summary:
      'Erase names, documents and answers of old enquiries now, before the service’s retention does. The record of each enquiry stays.',
    onMachine: true,
    permission: 'credit.act',
    actsAlone: 'always',
    input: inputOf({
      older_than_days: Type.Integer({
        ...{ minimum: 1, maximum: 36_500, description: 'age in days', placeholder: 'days' },
      }),
    }),
    output: Type.Object({ erased: count({ title: 'Enquiries erased' }) }),
    handle: async ({ core: { erasePayloads }, input: { older_than_days: days }, deps }) => {
      const before = new Date(deps.clock.now().getTime() - days * DAY_MS);
      const erased = await erasePayloads(await requireMachine(deps).ownerPool(), before);
      return { result: { erased }, audit: { after: { older_than_days: days, erased } } };
    },
  }),
];

function viewOf(
  { violations, missingHeads, ...report }: ChainReport,
  vids: ReadonlyMap<number, string>,
): Static<typeof chains> {
  const placed = <Row extends { readonly vendorId: number; readonly sequence: bigint }>(
    rows: readonly Row[],
  ) =>
    rows.map(({ sequence, vendorId, ...row }) => ({
      ...{ vid: vids.get(vendorId) ?? null, vendor_id: vendorId, sequence: Number(sequence) },
      ...row,
    }));
  const { enquiries, erased, heads, keptHeads } = report;
  return {
    violations: violations.length + missingHeads.length,
    ...{ enquiries, erased, heads: placed(heads), kept_heads: placed(keptHeads) },
    missing_heads: [...missingHeads],
    found: placed(violations.slice(0, MAX_FOUND)),
  };
}
