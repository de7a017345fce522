import { isReceiptNumber } from './result.ts';
import type { Result } from './result.ts';

/** Stored with an instruction. Nothing in it is believed: it says what to ask. */
export interface Handle {
  /** Daraja gives each request two ids. Empty: it gave us none yet, and the other one is our own. */
  readonly conversationId: string;
  /** Null: nothing that we read named it. */
  readonly originatorId: string | null;
  /** The receipt number that a Result named; null: none did. */
  readonly receipt: string | null;
  /** The code of a Result that declined it; null: none did. */
  readonly declinedBy: string | null;
  /** It was not executed and will not be: both the Result and the status query say so. */
  readonly isOver: boolean;
}

const CONVERSATION_ID = /^[A-Za-z0-9_.-]{1,80}$/;

export function isConversationId(text: unknown): text is string {
  return typeof text === 'string' && CONVERSATION_ID.test(text);
}

/** The handle of a request that nothing is known of but its ids. Null: the answer has none that can be asked for. */
export function handleOf(conversationId: unknown, originatorId: unknown): Handle | null {
  if (!isConversationId(conversationId)) return null;
  return {
    conversationId,
    originatorId: isConversationId(originatorId) ? originatorId : null,
    receipt: null,
    declinedBy: null,
    isOver: false,
  };
}

/** The handle with what a Result adds. The id that was stored first stays. */
export function withResult(handle: Handle, stored: Handle | null, result: Result): Handle {
  const isPaid = result.code === '0' && isReceiptNumber(result.transactionId);
  return {
    ...handle,
    originatorId: stored?.originatorId ?? handle.originatorId,
    receipt: isPaid ? result.transactionId : (stored?.receipt ?? null),
  };
}

/** Text such as `AG_1:5118-1:UA5:2006:over`; what is missing at the end is left out. */
export function formatHandle(handle: Handle): string {
  const { conversationId, originatorId, receipt, declinedBy, isOver } = handle;
  const parts = [conversationId, originatorId, receipt, declinedBy, isOver ? 'over' : null];
  return parts
    .map((part) => part ?? '')
    .join(':')
    .replace(/:+$/, '');
}

export function parseHandle(text: string | null): Handle | null {
  if (text === null) return null;
  const [conversationId = '', ...parts] = text.split(':');
  const [originatorId, receipt, declinedBy, over] = parts.map((part) =>
    part === '' ? null : part,
  );
  return {
    conversationId,
    originatorId: originatorId ?? null,
    receipt: receipt ?? null,
    declinedBy: declinedBy ?? null,
    isOver: over === 'over',
  };
}

/** The stored handle, with our own id of the instruction in place of the one that Daraja would choose. */
export function knownHandle(text: string | null, ownId: string | null): Handle | null {
  const stored = parseHandle(text);
  if (ownId === null) return stored;
  const nothing = { conversationId: '', receipt: null, declinedBy: null, isOver: false };
  return { ...(stored ?? nothing), originatorId: ownId };
}
