import { Type } from 'typebox';
import type { Static } from 'typebox';
import { MESSAGE_STATES } from '../payments/messages/read-messages.ts';
import type { MessageRow } from '../payments/messages/read-messages.ts';
import type { WireTime } from '../platform/base/clock.ts';
import { parseMoney } from '../platform/base/money.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, reason, text, textOrNull } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import { proposing } from './proposing.ts';
import { readMoment } from '../platform/base/times.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/messages/read-messages.ts')),
  ...(await import('../payments/receipts/completion.ts')),
  ...(await import('../platform/base/proposal.ts')),
});

const SENDER_KINDS = ['source', 'operator'] as const;
const CHANNELS = ['confirmation', 'pull', 'callback'] as const;

const messageView = Type.Object({
  message: text({ title: 'Message' }),
  sender: text({ title: 'From' }),
  sender_kind: Type.Enum([...SENDER_KINDS], { title: 'It is', wide: true }),
  channel: Type.Enum([...CHANNELS], { title: 'Channel' }),
  reference: textOrNull({ title: 'Payment', wide: true }),
  problem: text({ title: 'Could not be read, because' }),
  received_at: fields.time({ title: 'Received' }),
  last_received_at: fields.time({ title: 'Last received', wide: true }),
  times: fields.count({ title: 'Times' }),
  bytes: fields.count({ title: 'Bytes', wide: true }),
  state: Type.Enum([...MESSAGE_STATES], { title: 'State' }),
  decided_at: fields.timeOrNull({ title: 'Decided', wide: true }),
});
type MessageView = Static<typeof messageView>;

const message = fields.idOf('message');

export const MESSAGES: Noun = {
  command: 'receipts message',
  summary:
    'Messages of providers that could not be read, with their bytes. Two people complete one as a receipt, or close it.',
  definitions: [
    list(core, BY_ID, {
      name: 'message.list',
      summary: 'Messages that wait for people, oldest first.',
      route: 'GET /messages',
      permission: 'receipts.read',
      input: {
        state: Type.Optional(
          Type.Enum([...MESSAGE_STATES], {
            description: 'only messages in this state',
            default: 'open',
          }),
        ),
      },
      rows: 'messages',
      row: messageView,
      empty: 'no messages',
      read: async ({ core: loaded, input: { state = 'open' }, deps: { pool } }, page) => {
        const { after = null, limit } = page;
        return await loaded.listMessages(pool, { state, after, limit });
      },
      placeOf: (row) => row.messageId,
      show: (shown) => shown.map(viewOf),
    }),
    view(core, {
      name: 'message.show',
      summary: 'A message with its content.',
      route: 'GET /messages/:message',
      permission: 'receipts.read',
      input: inputOf({ message }),
      output: Type.Object({
        ...messageView.properties,
        content: text({ title: 'Content' }),
        /** In base64. */
        body: text(),
        sha256: text({ title: 'SHA-256' }),
      }),
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const found = await loaded.findMessage(pool, input.message);
        const row = loaded.requireFound(found, 'message');
        return {
          ...viewOf(row),
          content: loaded.messageText(row.body),
          body: row.body.toString('base64'),
          sha256: row.sha256.toString('hex'),
        };
      },
    }),
    proposing(core, {
      name: 'message.propose',
      summary:
        'Propose to take a message of a source as the receipt that you read in it, or to close it. Another person, who sees the bytes as well, approves it.',
      route: 'POST /messages/:message/propose',
      permission: 'receipts.act',
      proposes: 'unread_message',
      needsOne: ['receipt', 'close'],
      input: inputOf({
        message,
        receipt: Type.Optional(fields.line(100, { description: 'the provider’s receipt number' })),
        amount: Type.Optional(fields.amount({ description: 'in KES' })),
        account: Type.Optional(
          fields.line(40, { description: 'the account number that the customer wrote' }),
        ),
        paid_at: Type.Optional(
          fields.moment({ description: 'when the customer paid; default: when it was received' }),
        ),
        close: Type.Optional(
          Type.Boolean({ description: 'it is about no money, or about money that is known' }),
        ),
        reason,
      }),
      make: async ({ core: loaded, input, deps, viewer: { actor: by } }) => {
        const { pool, wireTime } = deps;
        const found = await loaded.findMessage(pool, input.message);
        const { receivedAt, messageId } = loaded.requireFound(found, 'message');
        const read = readOf(input, receivedAt, wireTime);
        const tools = { pool, proposals: await deps.proposals() };
        return await loaded.proposeForMessage(tools, { messageId, read, by, note: input.reason });
      },
    }),
  ],
};

/** Null: it is closed. */
function readOf(
  input: {
    readonly receipt?: string;
    readonly amount?: string;
    readonly account?: string;
    readonly paid_at?: string;
    readonly close?: boolean;
  },
  receivedAt: Date,
  wireTime: WireTime,
) {
  const { receipt, amount, account = null, paid_at: paidAt, close = false } = input;
  if (receipt === undefined) return null;
  if (close) throw new PlainError('It is completed or closed, not both.', { field: 'close' });
  if (amount === undefined) {
    throw new PlainError('It must be given with the receipt number.', { field: 'amount' });
  }
  return {
    ...{ receipt, amountCents: parseMoney(amount), account },
    paidAt: paidAt === undefined ? receivedAt : readMoment(paidAt, 'paid_at', wireTime),
  };
}

function viewOf(row: MessageRow): MessageView {
  const { messageId, body, sha256: _sha256, ...about } = row;
  return fit(messageView, { message: messageId, ...wireOf(about), bytes: body.length });
}
