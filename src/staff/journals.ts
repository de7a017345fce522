import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Journal } from '../payments/house/journals.ts';
import { formatMoney, MONEY_PATTERN, parseMoney } from '../platform/base/money.ts';
import { action } from './definition.ts';
import type { Noun, Spelt } from './definition.ts';
import { requireFile } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, reason, shortText, text, titled } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { proposedPlace } from './pages.ts';
import { decidedColumns } from './proposal-schema.ts';
import { readMoment } from '../platform/base/times.ts';

const core = async () => ({
  ...(await import('../payments/house/journals.ts')),
  ...(await import('../payments/house/journal.ts')),
  ...(await import('../payments/house/read-opening.ts')),
  ...(await import('./proposal-core.ts')),
});

const SIDES = ['debit', 'credit'] as const;

const lineView = Type.Object({
  account: text({ title: 'Account' }),
  side: Type.Enum([...SIDES], { title: 'Side' }),
  amount: fields.money({ title: 'Amount' }),
});

const { decision, ...decided } = decidedColumns;
const journalView = Type.Object({
  ...titled({ journal: text, moved_at: fields.time }),
  /** The sum of the debits, which is that of the credits. */
  ...titled({ amount: fields.money, reference: text }),
  decision,
  note: text({ title: 'Note', wide: true }),
  evidence: text({ title: 'Evidence', wide: true }),
  ...decided,
  lines: Type.Array(lineView),
});
export type JournalView = Static<typeof journalView>;

export type JournalList = PageOf<'journals', typeof journalView>;

/** Such as `--debit suspense=500.00`. */
const spelt = (side: (typeof SIDES)[number]): Spelt => ({
  option: side,
  placeholder: 'account=amount',
  form: 'account=amount, such as suspense=500.00',
  read: (given) => {
    const [, account, amount = ''] = /^([a-z0-9_:-]{1,80})=(.+)$/.exec(given) ?? [];
    if (account === undefined || !MONEY_PATTERN.test(amount)) return undefined;
    return { account, side, amount };
  },
});

const lines = Type.Array(
  Type.Object(
    {
      account: Type.String({ minLength: 1, maxLength: 80 }),
      side: Type.Enum([...SIDES]),
      amount: fields.amount(),
    },
    { additionalProperties: false },
  ),
  { maxItems: 50, description: 'a line; repeatable', spelt: SIDES.map(spelt) },
);

export const JOURNALS: Noun = {
  command: 'house journal',
  summary: 'Journals: two or more lines that balance, by two people.',
  definitions: [
    list(core, BY_TIME, {
      name: 'journal.list',
      summary: 'Journals that wait for another person’s approval, newest first.',
      route: 'GET /journals',
      permission: 'finance.read',
      input: { state: fields.openOrAll('also those that were decided') },
      page: 50,
      rows: 'journals',
      row: journalView,
      empty: 'no journals',
      read: async ({ core: loaded, input: { state }, deps }, page) =>
        await loaded.listJournals(await deps.proposals(), { open: state === 'open', ...page }),
      placeOf: (row) => proposedPlace(row),
      show: (shown, { core: loaded }) => shown.map((each) => viewOf(each, loaded)),
    }),
    action(core, {
      name: 'journal.propose',
      summary: 'Propose a journal. Nothing is booked before another person approves it.',
      route: 'POST /journals',
      permission: 'finance.act',
      proposes: 'house_journal',
      input: inputOf({
        lines,
        reference: shortText({ description: 'reference of the document' }),
        at: Type.Optional(fields.moment({ description: 'when the money moved (default: now)' })),
        reason,
        evidence: shortText({ description: 'where it can be looked up', placeholder: 'text' }),
      }),
      output: journalView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { reference, evidence, at, reason: note } = input;
        const row = await loaded.proposeJournal(await deps.proposals(), {
          lines: input.lines.map(({ account, side, amount }) => ({
            ...{ account: account.trim(), side },
            amountCents: parseMoney(amount, 'lines'),
          })),
          movedAt: at === undefined ? deps.clock.now() : readMoment(at, 'at', deps.wireTime),
          ...{ reference, evidence, note, by: viewer.actor },
        });
        const made = viewOf(loaded.journalOf(row), loaded);
        return { result: made, audit: loaded.auditOf(row) };
      },
    }),
    action(core, {
      name: 'journal.open',
      summary:
        'Propose the opening trial balance of the system that was used before, once. What floats and vendors had is not in it: the account opening has the sum of the floats, and vendors-opening the sum of the vendors’ money.',
      route: 'POST /journals/opening',
      permission: 'finance.act',
      proposes: 'house_journal',
      file: {
        name: 'file',
        description: 'CSV with the columns account, debit and credit',
        maxBytes: 1_000_000,
      },
      input: inputOf({
        reference: shortText({ description: 'reference of the document' }),
        at: fields.moment({ description: 'the time of the balances' }),
        reason,
        evidence: shortText({ description: 'where it can be looked up', placeholder: 'text' }),
      }),
      output: journalView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { reference, evidence, at, reason: note } = input;
        const row = await loaded.proposeJournal(await deps.proposals(), {
          lines: await loaded.readOpening(requireFile(deps).path),
          movedAt: readMoment(at, 'at', deps.wireTime),
          ...{ reference, evidence, note, isOpening: true, by: viewer.actor },
        });
        return { result: viewOf(loaded.journalOf(row), loaded), audit: loaded.auditOf(row) };
      },
    }),
  ],
};

function viewOf(
  { row, content, lines: of }: Journal,
  { sumOf, decidedOf }: Awaited<ReturnType<typeof core>>,
): JournalView {
  return {
    journal: row.proposalId,
    moved_at: content.movedAt,
    amount: formatMoney(sumOf(of, 'debit')),
    reference: content.reference,
    note: row.note,
    evidence: content.evidence,
    ...decidedOf(row),
    lines: of.map(({ account, side, amountCents }) => ({
      ...{ account, side },
      amount: formatMoney(amountCents),
    })),
  };
}
