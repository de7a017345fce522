import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { ErrorCode } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { isUnavailable } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { countActions, endAudit, insertAudit } from './audit-store.ts';
import type { AuditEntry, AuditResult } from './audit-entry.ts';

/** The answer of an action, with what the audit log keeps of it. */
export interface Done<Answer> {
  readonly answer: Answer;
  readonly change?: Pick<AuditResult, 'target' | 'before' | 'after'>;
}

/** Limits of an action's rate. */
export interface ActionLimit {
  /** Limit per target, counting everybody together. */
  readonly perTarget?: LimitRule;
  /** By one person. */
  readonly perPerson?: LimitRule;
}

interface LimitRule {
  readonly count: number;
  /** The period in which it counts. */
  readonly seconds: number;
  /** The text for the caller that has to wait. */
  readonly text: string;
}

export interface AuditDeps {
  readonly pool: Pool;
  readonly clock: Clock;
}

/** The entry that is written before the action. */
export type Noted = Omit<AuditEntry, 'auditId' | 'at'>;

/** The limit of an action, and the refusals that are its result. */
export interface ActionRules {
  readonly limit?: ActionLimit | undefined;
  /** Refusals that are the result of an action that was carried out: it is noted as done, and counts. */
  readonly outcomes?: readonly ErrorCode[] | undefined;
}

/**
 * Runs an action between its two entries in the audit log.
 * Throws: `too_many_requests`; `outcome_unknown` if the database is lost after the action.
 */
export async function audited<Answer>(
  noted: Noted & ActionRules,
  deps: AuditDeps,
  handle: () => Promise<Done<Answer>>,
): Promise<Answer> {
  const { limit, outcomes, ...about } = noted;
  const entry = await openEntry(about, deps);
  const { answer, change } = await carryOut(entry, { limit, outcomes }, deps, handle);
  try {
    await entry.end({ ...change, result: 'done' });
  } catch (error) {
    // The action was carried out, so it must not be called refused.
    if (!isUnavailable(error)) throw error;
    throw new Refusal('outcome_unknown', { retryAfterSeconds: 5, cause: error });
  }
  return answer;
}

async function carryOut<Answer>(
  entry: OpenEntry,
  { limit, outcomes }: ActionRules,
  deps: AuditDeps,
  handle: () => Promise<Done<Answer>>,
): Promise<Done<Answer>> {
  try {
    await requireWithinLimit(entry, limit, deps);
    return await handle();
  } catch (error) {
    // As after a crash, an entry without a known result stays open.
    if (error instanceof Refusal && error.code === 'outcome_unknown') throw error;
    await entry.end({ result: resultOf(error, outcomes) }).catch((reason: unknown) => {
      // Without the database the caller still learns what happened.
      if (!isUnavailable(reason)) throw reason;
    });
    throw error;
  }
}

function resultOf(error: unknown, outcomes: ActionRules['outcomes'] = []): AuditResult['result'] {
  // A rule of ours, not a fault: the caller turns it into a refusal.
  if (error instanceof PlainError) return 'refused';
  if (!(error instanceof Refusal)) return 'failed';
  return outcomes.includes(error.code) ? 'done' : 'refused';
}

interface OpenEntry extends Noted {
  readonly auditId: string;
  readonly at: Date;
  readonly end: (result: AuditResult) => Promise<void>;
}

/** Writes the entry. The caller has to end it. */
export async function openEntry(noted: Noted, { pool, clock }: AuditDeps): Promise<OpenEntry> {
  const auditId = newId();
  const at = clock.now();
  await insertAudit(pool, { ...noted, auditId, at });
  const end = async (result: AuditResult): Promise<void> =>
    await endAudit(pool, auditId, { ...result, at: clock.now() });
  return { ...noted, auditId, at, end };
}

/** Throws: `too_many_requests`. */
async function requireWithinLimit(
  { auditId, at, action, target, personId }: OpenEntry,
  limit: ActionLimit | undefined,
  { pool }: AuditDeps,
): Promise<void> {
  const rules = [
    ...(target === null || limit?.perTarget === undefined
      ? []
      : [{ ...limit.perTarget, by: { target } }]),
    ...(personId === null || limit?.perPerson === undefined
      ? []
      : [{ ...limit.perPerson, by: { personId } }]),
  ];
  for (const { count, seconds, text, by } of rules) {
    const since = new Date(at.getTime() - seconds * 1000);
    const done = await countActions(pool, { auditId, action, ...by }, since);
    if (done.count < count || done.firstAt === null) continue;
    const waitMs = done.firstAt.getTime() - since.getTime();
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new Refusal('too_many_requests', {
      text: `${text} Try again in ${retryAfterSeconds} seconds.`,
      retryAfterSeconds,
    });
  }
}
