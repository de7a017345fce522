import { createHash } from 'node:crypto';
import { Refusal } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Pool } from '../db/pool.ts';
import { deleteAnswer, findAnswer, insertAnswer, setAnswer } from './answer-store.ts';
import type { AnswerKey, AnswerRow } from './answer-store.ts';

interface AnyAction {
  readonly name: string;
  /** Refusals that are the result of an action that was carried out. */
  readonly outcomes?: readonly ErrorCode[] | undefined;
  /** True: its answer is shown once, and never kept. */
  readonly hasSecret: boolean;
}

const KEY = /^[\x21-\x7e]{1,64}$/;

/**
 * Carries out an action once, however often it is asked for under the same key: afterwards the first answer comes again,
 * also if it is one of the action’s `outcomes`. An action that was refused otherwise was not carried out, so its key may
 * be used again. Throws: `invalid_field`, `reference_reused`, `outcome_unknown`, and what `work` throws.
 */
export async function once(
  pool: Pool,
  of: AnyAction,
  asked: {
    readonly caller: string;
    readonly key: string;
    readonly input: object;
    readonly at: Date;
    /** Called before the first answer comes again. */
    readonly onReplay: () => void;
  },
  work: () => Promise<object>,
): Promise<object> {
  const { caller, key, input, at } = asked;
  if (!KEY.test(key)) {
    const text = 'Idempotency-Key must be 1 to 64 printable ASCII characters without spaces';
    throw new Refusal('invalid_field', { field: 'Idempotency-Key', text });
  }
  const inputHash = createHash('sha256').update(JSON.stringify(input)).digest();
  const named = { caller, key };
  if (!(await insertAnswer(pool, { ...named, action: of.name, inputHash, at }))) {
    return await formerAnswer(pool, of, { ...named, inputHash }, asked.onReplay);
  }
  const answer = await carryOut(pool, of, named, work);
  if (!of.hasSecret) await setAnswer(pool, named, { answer });
  return answer;
}

async function carryOut(
  pool: Pool,
  { outcomes = [] }: AnyAction,
  named: AnswerKey,
  work: () => Promise<object>,
): Promise<object> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || UNCERTAIN.has(error.code)) throw error;
    const { code, message: text, field } = error;
    const refusal = { code, text, ...(field !== undefined && { field }) };
    if (outcomes.includes(code)) await setAnswer(pool, named, { refusal });
    else await deleteAnswer(pool, named);
    throw error;
  }
}

/** After these nobody knows whether it was carried out. */
const UNCERTAIN: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'internal_error',
  'unavailable',
]);

async function formerAnswer(
  pool: Pool,
  of: AnyAction,
  { inputHash, ...named }: AnswerKey & Pick<AnswerRow, 'inputHash'>,
  onReplay: () => void,
): Promise<object> {
  const former = await findAnswer(pool, named);
  if (former === undefined) throw new Refusal('outcome_unknown', { retryAfterSeconds: 1 });
  if (former.action !== of.name || !former.inputHash.equals(inputHash)) {
    const text = 'This Idempotency-Key was used for something else';
    throw new Refusal('reference_reused', { field: 'Idempotency-Key', text });
  }
  if (former.answer !== null || former.refusal !== null) onReplay();
  if (former.refusal !== null) throw new Refusal(former.refusal.code, former.refusal);
  if (former.answer !== null) return former.answer;
  if (of.hasSecret) {
    const text = 'It was carried out before, or is under way. Its secret is shown once.';
    throw new Refusal('reference_reused', { field: 'Idempotency-Key', text });
  }
  const text = 'It is under way, or how it ended is not known. Look at what it was to change.';
  throw new Refusal('outcome_unknown', { text, retryAfterSeconds: 5 });
}
