import { DAY_MS } from '../base/days.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Queryable } from '../db/pool.ts';

export interface AnswerRow {
  action: string;
  inputHash: Buffer;
  /** Null: not known, or it had a secret. */
  answer: object | null;
  /** It was carried out, and ended in this refusal. */
  refusal: KeptRefusal | null;
}

export interface KeptRefusal {
  readonly code: ErrorCode;
  readonly text: string;
  readonly field?: string;
}

export interface AnswerKey {
  /** A person’s id, or a token’s. */
  readonly caller: string;
  readonly key: string;
}

/** False if the caller has used the key. */
export async function insertAnswer(
  db: Queryable,
  {
    caller,
    key,
    action,
    inputHash,
    at,
  }: AnswerKey & Pick<AnswerRow, 'action' | 'inputHash'> & { readonly at: Date },
): Promise<boolean> {
  const inserted = await db.query(
    `insert into action_answers (at, caller, key, action, input_hash) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [at, caller, key, action, inputHash],
  );
  return inserted.rowCount === 1;
}

export async function findAnswer(
  db: Queryable,
  { caller, key }: AnswerKey,
): Promise<AnswerRow | undefined> {
  const found = await db.query<AnswerRow>(
    `select action, input_hash as "inputHash", answer, refusal from action_answers
     where caller = $1 and key = $2`,
    [caller, key],
  );
  return found.rows[0];
}

export async function setAnswer(
  db: Queryable,
  { caller, key }: AnswerKey,
  { answer = null, refusal = null }: Partial<Pick<AnswerRow, 'answer' | 'refusal'>>,
): Promise<void> {
  await db.query(
    'update action_answers set answer = $3, refusal = $4 where caller = $1 and key = $2',
    [caller, key, answer && JSON.stringify(answer), refusal && JSON.stringify(refusal)],
  );
}

/** Nothing was done, so the key may be used again. */
export async function deleteAnswer(db: Queryable, { caller, key }: AnswerKey): Promise<void> {
  await db.query('delete from action_answers where caller = $1 and key = $2', [caller, key]);
}

/** Keys count for a day. */
export async function deleteOldAnswers(db: Queryable, now: Date): Promise<void> {
  await db.query('delete from action_answers where at < $1', [new Date(now.getTime() - DAY_MS)]);
}
