import type { Queryable } from '../../platform/db/pool.ts';
import { COLUMNS } from './read-messages.ts';
import type { MessageRow } from './read-messages.ts';

/** The advisory locks of senders whose messages are being kept. */
const SENDER_LOCK = 0x5ec4;

type Sender = Pick<MessageRow, 'senderKind' | 'sender'>;
type Key = Sender & Pick<MessageRow, 'channel' | 'reference' | 'sha256'>;

/** Makes messages of one sender wait for each other, until the caller's database transaction ends. */
export async function lockSender(db: Queryable, { senderKind, sender }: Sender): Promise<void> {
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [
    SENDER_LOCK,
    `${senderKind} ${sender}`,
  ]);
}

/** Counts a message that was kept before once more. Returns false if it was not. */
export async function countAgain(db: Queryable, key: Key): Promise<boolean> {
  const counted = await db.query(
    `update unread_messages set times = times + 1, last_received_at = now()
     where sender_kind = $1 and sender = $2 and channel = $3 and reference is not distinct from $4
       and sha256 = $5`,
    [key.senderKind, key.sender, key.channel, key.reference, key.sha256],
  );
  return counted.rowCount === 1;
}

/** Number and total bytes of a sender's open messages. */
export async function readOpenSize(
  db: Queryable,
  { senderKind, sender }: Sender,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const read = await db.query<{ count: number; bytes: number }>(
    `select count(*)::integer as count, coalesce(sum(octet_length(body)), 0)::integer as bytes
     from unread_messages where sender_kind = $1 and sender = $2 and state = 'open'`,
    [senderKind, sender],
  );
  return read.rows[0] ?? { count: 0, bytes: 0 };
}

export async function insertMessage(
  db: Queryable,
  row: Key & Pick<MessageRow, 'messageId' | 'problem' | 'body' | 'mac'>,
): Promise<void> {
  await db.query(
    `insert into unread_messages (message_id, sender_kind, sender, channel, reference, problem, sha256, body, mac,
       received_at, last_received_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now(), now())`,
    [
      row.messageId,
      row.senderKind,
      row.sender,
      row.channel,
      row.reference,
      row.problem,
      row.sha256,
      row.body,
      row.mac,
    ],
  );
}

/** The message, locked until the caller's database transaction ends. */
export async function lockMessage(
  db: Queryable,
  messageId: string,
): Promise<MessageRow | undefined> {
  const found = await db.query<MessageRow>(
    `select ${COLUMNS} from unread_messages where message_id = $1 for update`,
    [messageId],
  );
  return found.rows[0];
}

/** Two people have decided about it. The caller holds its lock. @param receiptId null: it is closed without a receipt. */
export async function endMessage(
  db: Queryable,
  messageId: string,
  receiptId: string | null,
): Promise<void> {
  await db.query(
    `update unread_messages set state = case when $2::uuid is null then 'closed' else 'completed' end,
       receipt_id = $2, decided_at = now() where message_id = $1`,
    [messageId, receiptId],
  );
}
