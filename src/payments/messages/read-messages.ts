import type { Queryable } from '../../platform/db/pool.ts';

export const MESSAGE_STATES = ['open', 'completed', 'closed'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** A message of a provider that could not be read. */
export interface MessageRow {
  messageId: string;
  senderKind: 'source' | 'operator';
  /** The code of the source or operator. */
  sender: string;
  channel: 'confirmation' | 'pull' | 'callback';
  /** The reference of the payment whose callback URL was called. */
  reference: string | null;
  problem: string;
  state: MessageState;
  /** Number of times that these bytes were received. */
  times: number;
  receivedAt: Date;
  lastReceivedAt: Date;
  decidedAt: Date | null;
  /** The receipt that it was completed as. */
  receiptId: string | null;
  sha256: Buffer;
  body: Buffer;
  mac: Buffer | null;
}

export const COLUMNS = `message_id as "messageId", sender_kind as "senderKind", sender, channel, reference, problem, state,
  times, received_at as "receivedAt", last_received_at as "lastReceivedAt", decided_at as "decidedAt",
  receipt_id as "receiptId", sha256, body, mac`;

/** Messages of a state, oldest first. @param filter.after the id of the last one before. */
export async function listMessages(
  db: Queryable,
  filter: {
    readonly state: MessageState;
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<MessageRow[]> {
  const listed = await db.query<MessageRow>(
    `select ${COLUMNS} from unread_messages
     where state = $2 and (received_at, message_id) > (
       coalesce((select received_at from unread_messages where message_id = $1), '-infinity'),
       coalesce($1, '00000000-0000-0000-0000-000000000000'))
     order by received_at, message_id limit $3`,
    [filter.after, filter.state, filter.limit],
  );
  return listed.rows;
}

export async function findMessage(
  db: Queryable,
  messageId: string,
): Promise<MessageRow | undefined> {
  const found = await db.query<MessageRow>(
    `select ${COLUMNS} from unread_messages where message_id = $1`,
    [messageId],
  );
  return found.rows[0];
}

export interface OpenMessages {
  readonly sender: string;
  readonly count: number;
}

export async function countOpenMessages(db: Queryable): Promise<OpenMessages[]> {
  const counted = await db.query<OpenMessages>(
    `select sender, count(*)::integer as count from unread_messages
     where state = 'open' group by sender order by sender`,
  );
  return counted.rows;
}
