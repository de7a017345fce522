import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Entry } from '../payments/house/entries.ts';
import { ENTRY_KINDS } from '../payments/house/entry.ts';
import { formatMoney, parseMoney } from '../platform/base/money.ts';
import { action } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, shortText, text, titled } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import { proposedPlace } from './pages.ts';
import { decidedColumns } from './proposal-schema.ts';
import { readMoment } from '../platform/base/times.ts';

const core = async () => ({
  ...(await import('../payments/house/entries.ts')),
  ...(await import('./proposal-core.ts')),
});

const { decision, ...decided } = decidedColumns;
const entryView = Type.Object({
  ...titled({ entry: text, moved_at: fields.time }),
  kind: Type.Enum([...ENTRY_KINDS], { title: 'Kind' }),
  operator: text({ title: 'Operator' }),
  debit: text({ title: 'Debit', wide: true }),
  credit: text({ title: 'Credit', wide: true }),
  ...titled({ amount: fields.money, reference: text }),
  decision,
  note: text({ title: 'Note', wide: true }),
  ...decided,
  /** A statement lists the same movement. */
  listed_by_statement: Type.Boolean(),
});
export type EntryView = Static<typeof entryView>;

export const ENTRIES: Noun = {
  command: 'house entry',
  summary: 'Entries about our float with an operator that has no statement, by two people.',
  definitions: [
    list(core, BY_TIME, {
      name: 'entry.list',
      summary: 'Entries that wait for another person’s approval, newest first.',
      route: 'GET /entries',
      permission: 'finance.read',
      input: { state: fields.openOrAll('also those that were decided') },
      page: 50,
      rows: 'entries',
      row: entryView,
      empty: 'no entries',
      read: async ({ core: { listEntries }, input: { state }, deps }, page) =>
        await listEntries(deps.pool, await deps.proposals(), { open: state === 'open', ...page }),
      placeOf: (row) => proposedPlace(row),
      show: (shown, { core: { decidedOf } }) => shown.map((each) => viewOf(each, decidedOf)),
    }),
    action(core, {
      name: 'entry.propose',
      summary:
        'Enter a top-up of our float with an operator that has no statement, a withdrawal, a charge or an opening. Another person approves it.',
      route: 'POST /entries',
      permission: 'finance.act',
      proposes: 'house_entry',
      input: inputOf({
        operator: fields.code({ argument: true, description: 'operator code' }),
        amount: fields.amount({ description: 'in KES, greater than 0' }),
        reference: shortText({ description: 'reference of the bank or the operator' }),
        kind: Type.Enum([...ENTRY_KINDS], { default: 'top_up', description: 'kind of entry' }),
        from: Type.Optional(
          fields.code({
            description: 'the source whose bank account the money left or reached',
            placeholder: 'source',
          }),
        ),
        at: Type.Optional(fields.moment({ description: 'when the money moved (default: now)' })),
        reason: fields.reasonOr('entered by hand'),
      }),
      output: entryView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { kind, reference, at, from, reason: note } = input;
        const row = await loaded.proposeEntry(await deps.proposals(), {
          operatorCode: input.operator,
          amountCents: parseMoney(input.amount),
          movedAt: at === undefined ? deps.clock.now() : readMoment(at, 'at', deps.wireTime),
          bank: from ?? null,
          ...{ kind, reference, note, by: viewer.actor },
        });
        const result = viewOf(loaded.entryOf(row), loaded.decidedOf);
        return { result, audit: loaded.auditOf(row) };
      },
    }),
  ],
};

function viewOf(
  { row, content, isListed, ...movement }: Entry,
  decidedOf: Awaited<ReturnType<typeof core>>['decidedOf'],
): EntryView {
  const { movedAt: moved_at, kind, operator, reference } = content;
  return {
    ...{ entry: row.proposalId, moved_at, kind, operator, reference, note: row.note },
    ...{ debit: movement.debitAccount, credit: movement.creditAccount },
    ...{ amount: formatMoney(movement.amountCents), ...decidedOf(row) },
    listed_by_statement: isListed,
  };
}
