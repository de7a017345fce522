/**
 * Stored with an instruction: Daraja's ConversationID, the code of a Result that declined it, and
 * whether a status query confirmed that. A Result alone is not believed.
 */
export interface Handle {
  readonly conversationId: string;
  readonly declinedBy: string | null;
  /** It was not executed and will not be: both the Result and the status query say so. */
  readonly isOver: boolean;
}

const CONVERSATION_ID = /^[A-Za-z0-9_.-]{1,100}$/;

export function isConversationId(text: unknown): text is string {
  return typeof text === 'string' && CONVERSATION_ID.test(text);
}

export function formatHandle({ conversationId, declinedBy, isOver }: Handle): string {
  if (declinedBy === null) return conversationId;
  return `${conversationId}:${declinedBy}${isOver ? ':over' : ''}`;
}

export function parseHandle(text: string | null): Handle | null {
  if (text === null) return null;
  const [conversationId = '', declinedBy, over] = text.split(':');
  return { conversationId, declinedBy: declinedBy ?? null, isOver: over === 'over' };
}
