/**
 * What we keep of an instruction: Daraja's ConversationID, and the code of a Result that declined it.
 * A Result is not believed by itself, but together with the answer to a status query it is proof.
 */
export interface Handle {
  readonly conversationId: string;
  readonly declinedBy: string | null;
}

const CONVERSATION_ID = /^[A-Za-z0-9_.-]{1,100}$/;

export function isConversationId(text: unknown): text is string {
  return typeof text === 'string' && CONVERSATION_ID.test(text);
}

export function formatHandle({ conversationId, declinedBy }: Handle): string {
  return declinedBy === null ? conversationId : `${conversationId}:${declinedBy}`;
}

export function parseHandle(text: string | null): Handle | null {
  if (text === null) return null;
  const [conversationId = '', declinedBy] = text.split(':');
  return { conversationId, declinedBy: declinedBy ?? null };
}
