import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { newId } from '../../platform/base/ids.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import type { MessageRow } from './read-messages.ts';
import * as store from './store.ts';

export interface UnreadMessage {
  readonly senderKind: MessageRow['senderKind'];
  readonly sender: string;
  readonly channel: MessageRow['channel'];
  readonly reference: string | null;
  /** Why it cannot be read. */
  readonly problem: string;
  readonly body: Buffer;
}

/**
 * Keeps a message that certainly came from the sender and cannot be read. Returns false if too many of the sender wait
 * for people: then the sender must not be told that we have it.
 * @param ledgerMac null: nobody can complete it as a receipt.
 */
export async function keepUnread(
  deps: { readonly pool: Pool; readonly log: Logger; readonly ledgerMac: Mac | null },
  message: UnreadMessage,
): Promise<boolean> {
  const { sender, problem, channel } = message;
  const kept = await repeatableTransaction(deps.pool, async (client) =>
    keepWithin(client, deps.ledgerMac, message),
  );
  if (kept === 'new') {
    deps.log.error({ sender, channel, problem }, 'a message cannot be read; it is kept for people');
  }
  if (kept === 'full') {
    deps.log.error({ sender, channel, problem }, 'a message cannot be read, and too many wait');
  }
  return kept !== 'full';
}

async function keepWithin(
  client: Queryable,
  mac: Mac | null,
  message: UnreadMessage,
): Promise<'new' | 'repeated' | 'full'> {
  const row = { ...message, messageId: newId(), sha256: hash('sha256', message.body, 'buffer') };
  await store.lockSender(client, message);
  if (await store.countAgain(client, row)) return 'repeated';
  const { count, bytes } = await store.readOpenSize(client, message);
  const isFull =
    count >= LIMITS.unreadMessages || bytes + message.body.length > LIMITS.unreadMessageBytes;
  if (isFull) return 'full';
  await store.insertMessage(client, { ...row, mac: mac?.sign(messageText(row)) ?? null });
  return 'new';
}

function messageText(
  row: Pick<MessageRow, 'messageId' | 'senderKind' | 'sender' | 'channel' | 'sha256'>,
): string {
  const { messageId, senderKind, sender, channel, sha256 } = row;
  return JSON.stringify([
    'unread_messages',
    messageId,
    senderKind,
    sender,
    channel,
    sha256.toString('hex'),
  ]);
}

/** True if the service kept it with these bytes. */
export function isMessageAuthentic(mac: Mac, row: MessageRow): boolean {
  const isSame = hash('sha256', row.body, 'buffer').equals(row.sha256);
  return isSame && mac.verify(messageText(row), row.mac);
}
