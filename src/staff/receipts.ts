import { Type } from 'typebox';
import type { Static } from 'typebox';
import { OPEN_STATES } from '../payments/receipts/receipt.ts';
import type { Doubt, ReceiptState } from '../payments/receipts/receipt.ts';
import { DOUBT_TEXTS, doubtText } from '../payments/receipts/doubts.ts';
import type { PushRow } from '../payments/receipts/push.ts';
import type { ReceiptRow } from '../payments/receipts/read-receipts.ts';
import { Refusal } from '../platform/base/errors.ts';
import { parseMoney } from '../platform/base/money.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { requireFile } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, orNull, reason, text, textOrNull, titled, vid } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import { ASKS_PROVIDERS } from './limits.ts';
import { proposing } from './proposing.ts';
import { PREVIEW, statement } from './receipt-preview.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('../payments/receipts/assign.ts')),
  ...(await import('../payments/receipts/reverse.ts')),
  ...(await import('../payments/receipts/read-receipts.ts')),
  ...(await import('../payments/receipts/ask-source.ts')),
  ...(await import('../payments/receipts/push.ts')),
  ...(await import('../payments/uploads/bank-statement.ts')),
  ...(await import('../proposals/draft.ts')),
  ...(await import('../parties/require-vendor.ts')),
});

const PUSH_STATES: readonly PushRow['state'][] = [
  ...(['recorded', 'sent', 'refused', 'unknown', 'paid', 'failed'] as const),
];
const STATES: readonly ReceiptState[] = [...OPEN_STATES, 'credited', 'closed'];

interface Stated {
  readonly reversed_at: string | null;
  readonly proposed_by: string | null;
  readonly decided_by: string | null;
}

function stateText(given: string, { reversed_at: reversed, ...people }: Stated): string {
  const state = reversed === null ? given : `${given}, taken back`;
  const { proposed_by: proposer, decided_by: decider } = people;
  return decider === null ? state : `${state}, proposed by ${proposer}, approved by ${decider}`;
}

const receiptView = Type.Object({
  receipt: text({ title: 'Receipt' }),
  issuer: text({ title: 'Issuer', wide: true }),
  source: text({ title: 'Source' }),
  collector: text(),
  paid_at: fields.time({ title: 'Paid' }),
  /** The provider gave no time that could be read, and `paid_at` is when its message arrived. */
  is_arrival_time: Type.Boolean({ title: 'Paid is the arrival', wide: true }),
  received_at: fields.time({ title: 'Received', wide: true }),
  ...titled({ amount: fields.money, account: textOrNull, payer: textOrNull, vid: textOrNull }),
  state: Type.Enum([...STATES], { title: 'State', text: stateText }),
  /** Why it waits for people. */
  doubt: orNull(
    Type.Object({
      reason: Type.Enum(Object.keys(DOUBT_TEXTS) as Doubt['reason'][]),
      others: Type.Array(text()),
    }),
    {
      title: 'Waits because',
      text: (doubt: Doubt | null) => (doubt === null ? '' : doubtText(doubt)),
      wide: true,
    },
  ),
  reversed_at: fields.timeOrNull({ title: 'Reversed', wide: true }),
  proposed_by: textOrNull(),
  decided_by: textOrNull(),
});
type ReceiptView = Static<typeof receiptView>;

const detail = Type.Object({
  ...receiptView.properties,
  reports: Type.Array(
    Type.Object({
      ...titled({ reported_at: fields.time, source: text, channel: text, amount: fields.money }),
      ...titled({ account: text, paid_at: fields.time }),
    }),
  ),
  events: Type.Array(
    Type.Object({
      at: fields.time({ title: 'At' }),
      action: text({ title: 'What' }),
      actor: text({ title: 'Who' }),
      detail: Type.Record(Type.String(), Type.Unknown(), { title: 'Detail' }),
    }),
  ),
});

const pushView = Type.Object({
  push: text({ title: 'Prompt' }),
  state: Type.Enum([...PUSH_STATES], { title: 'State' }),
  reason: textOrNull({ title: 'Reason', isOptional: true }),
  account: text({ title: 'Account' }),
});

const source = fields.code({ description: 'code of the source' });

/** One receipt. */
const named = {
  receipt: fields.line(200, { description: 'its number' }),
  issuer: Type.Optional(
    fields.line(100, { description: 'the issuer of the number, if several use the same one' }),
  ),
};

export const RECEIPTS: Noun = {
  command: 'receipts',
  summary:
    'Incoming money. Each receipt of a provider is credited once. A receipt without a vendor waits for two people.',
  definitions: [
    list(core, BY_ID, {
      name: 'receipt.list',
      summary: 'Receipts that are not credited, oldest first.',
      route: 'GET /receipts',
      permission: 'receipts.read',
      input: {
        state: Type.Optional(
          Type.Enum([...STATES], { description: 'only receipts in this state' }),
        ),
      },
      rows: 'receipts',
      row: receiptView,
      empty: 'no receipts',
      read: async ({ core: loaded, input: { state }, deps: { pool } }, { after = null, limit }) => {
        const states = state === undefined ? OPEN_STATES : [state];
        return await loaded.listReceipts(pool, { states, after, limit });
      },
      placeOf: (row) => row.receiptId,
      show: async (shown, { core: { readVids }, deps: { pool } }) => {
        const vids = await readVids(pool);
        return shown.map((row) => viewOf(row, vids));
      },
    }),
    view(core, {
      name: 'receipt.show',
      summary: 'A receipt: its reports, and who did what.',
      route: 'GET /receipts/:receipt',
      permission: 'receipts.read',
      input: inputOf(named),
      output: detail,
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const row = await loaded.requireReceipt(pool, input);
        const reports = await loaded.listReports(pool, row.receiptId);
        const events = await loaded.listReceiptEvents(pool, row.receiptId);
        return {
          ...viewOf(row, await loaded.readVids(pool)),
          reports: reports.map((report) => fit(detail.properties.reports.items, wireOf(report))),
          events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
        };
      },
    }),
    proposing(core, {
      name: 'receipt.propose',
      summary:
        'Propose a decision about a receipt without a vendor, or to move a credited one to another vendor. Another person approves it.',
      route: 'POST /receipts/:receipt/propose',
      permission: 'receipts.act',
      proposes: ['receipt', 'receipt_move'],
      needsOne: ['vid'],
      input: inputOf({
        ...named,
        vid: Type.Optional(
          orNull(vid(), {
            description: 'credit it to this vendor; null: close it',
            form: 'a vendor ID',
            shorthands: {
              close: {
                value: null,
                says: 'it is for no vendor, for example because it was sent back',
              },
            },
          }),
        ),
        account: Type.Optional(
          fields.shortText({
            description:
              'only if it is closed, and we keep the money: the account that gets it, such as liability:unclaimed; default: the bank, because it never came in, or was reported twice',
          }),
        ),
        reason,
      }),
      make: async ({ core: { proposeForReceipt }, input, deps, viewer: { actor: by } }) => {
        const { reason: note, vid: to = null, ...of } = input;
        const tools = { pool: deps.pool, proposals: await deps.proposals() };
        return await proposeForReceipt(tools, { ...of, vid: to, note, by });
      },
    }),
    action(core, {
      name: 'receipt.reversed',
      summary:
        'Report that the provider took the money back. It leaves the bank in our books; a case decides who bears it.',
      route: 'POST /receipts/:receipt/reversed',
      permission: 'receipts.act',
      input: inputOf({
        ...named,
        amount: Type.Optional(
          fields.amount({ description: 'in KES (default: all that has not gone back yet)' }),
        ),
        reason,
      }),
      output: receiptView,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { pool } = deps;
        const { amount, reason: note, ...of } = input;
        const cents = amount === undefined ? undefined : parseMoney(amount);
        if (cents === 0n) {
          const says = 'amount must be greater than 0';
          throw new Refusal('invalid_field', { field: 'amount', text: says });
        }
        const by = { actor: loaded.nameOf(viewer.actor), note, cents };
        const before = await loaded.requireReceipt(pool, of);
        const books = { pool, ledgerMac: await deps.ledgerMac() };
        const isNew = await loaded.reportReversal(books, of, by);
        if (!isNew) throw new PlainError('The reversal was already reported; see the cases.');
        const vids = await loaded.readVids(pool);
        const result = viewOf(await loaded.requireReceipt(pool, of), vids);
        const audit = {
          before: { reversed_at: viewOf(before, vids).reversed_at },
          after: { reversed_at: result.reversed_at, amount: amount ?? null },
        };
        return { result, audit };
      },
    }),
    PREVIEW,
    proposing(core, {
      name: 'receipt.import',
      summary:
        'Propose to import the credits of a bank statement (CSV, Excel, MT940 or camt.053), or of a pay bill’s statement, each once. Another person approves it.',
      route: 'POST /receipt-sources/:source/import',
      permission: 'receipts.act',
      proposes: 'bank_statement',
      trial: () => PREVIEW,
      file: statement.file,
      input: inputOf({
        ...statement.input,
        reason: fields.reasonOr('a bank statement'),
      }),
      make: async ({ core: { proposeBankStatement }, input, deps, viewer: { actor: by } }) => {
        const { source: code, accepted_lines: acceptedLines = [], reason: note } = input;
        const tools = { ...deps, proposals: await deps.proposals() };
        const { path: file } = requireFile(deps);
        return await proposeBankStatement(tools, { source: code, file, acceptedLines, note, by });
      },
    }),
    action(core, {
      name: 'receipt.push',
      summary: 'Send a phone a prompt to pay to a vendor’s account number.',
      route: 'POST /receipt-sources/:source/pushes',
      permission: 'receipts.act',
      actsAlone: 'always',
      limit: ASKS_PROVIDERS,
      input: inputOf({
        source,
        vid: vid(),
        phone: fields.line(20, {
          description: '12 digits; its owner confirms on the phone',
          placeholder: 'number',
        }),
        amount: fields.amount({ description: 'whole shillings' }),
      }),
      output: pushView,
      handle: async ({ core: loaded, input, deps }) => {
        const { vendorId, status } = await loaded.requireVendor(deps.pool, input.vid);
        if (status === 'suspended') throw new Refusal('vendor_suspended', { field: 'vid' });
        const topUp = { vendorId, phone: input.phone, amountCents: parseMoney(input.amount) };
        const asking = { ...deps, masterKeys: await deps.masterKeys() };
        const row = await loaded.askSource(asking, input.source, async (open) =>
          loaded.pushTopUp(deps.pool, open, topUp),
        );
        const result = pushOf(row);
        return { result, audit: { target: input.vid, after: result } };
      },
    }),
    view(core, {
      name: 'receipt.push-status',
      summary: 'Ask the provider for the result of a prompt.',
      route: 'GET /receipt-sources/:source/pushes/:push',
      permission: 'receipts.act',
      isNoted: true,
      limit: ASKS_PROVIDERS,
      input: inputOf({ source, push: fields.idOf('prompt') }),
      output: pushView,
      handle: async ({ core: { askSource, checkTopUp }, input, deps }) => {
        const asking = { ...deps, masterKeys: await deps.masterKeys() };
        const row = await askSource(asking, input.source, async (open) =>
          checkTopUp(deps.pool, open, input.push),
        );
        return pushOf(row);
      },
    }),
  ],
};

const pushOf = ({ pushId, state, reason: why, account }: PushRow): Static<typeof pushView> => ({
  ...{ push: pushId, state, reason: why, account },
});

function viewOf(row: ReceiptRow, vids: ReadonlyMap<number, string>): ReceiptView {
  const { vendorId } = row;
  const of = vendorId === null ? null : (vids.get(vendorId) ?? String(vendorId));
  return fit(receiptView, { ...wireOf(row), vid: of });
}
