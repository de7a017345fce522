/** Stored with an attempt: the TransactionID, and a callback that reported it as completed. */
export interface Handle {
  readonly transactionId: string;
  readonly completed: Completed | null;
}

export interface Completed {
  readonly receipt: string;
  /** When we received the callback. */
  readonly atMs: number;
}

const TRANSACTION_ID = /^[A-Za-z0-9_-]{1,64}$/;

export function isTransactionId(text: string | undefined): text is string {
  return text !== undefined && TRANSACTION_ID.test(text);
}

export function formatHandle({ transactionId, completed }: Handle): string {
  return completed === null
    ? transactionId
    : `${transactionId}:${completed.atMs}:${completed.receipt}`;
}

export function parseHandle(text: string | null): Handle | null {
  const [, transactionId, atMs, receipt] = /^([^:]+)(?::(\d+):(.+))?$/.exec(text ?? '') ?? [];
  if (!isTransactionId(transactionId)) return null;
  const completed = receipt === undefined ? null : { receipt, atMs: Number(atMs) };
  return { transactionId, completed };
}
