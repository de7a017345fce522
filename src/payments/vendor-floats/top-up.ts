import type { Logger } from 'pino';
import type { VendorDirectory } from '../../parties/directory.ts';
import { startOfDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { fund } from '../collections/fund.ts';
import { readDatabaseTime } from '../reconciliation/store.ts';
import { readAwaitedCents } from '../receipts/pushes-store.ts';
import { pushTopUp } from '../receipts/push.ts';
import type { ReceiptSources } from '../receipts/sources.ts';
import { topUpCents } from './rule.ts';
import type { TopUpRule } from './rule.ts';
import { insertTopUp, lockRule, setTopUpState } from './rules-store.ts';
import { listActiveRules, readHistory, termsOf } from './read-rules.ts';
import type { RuleRow, TopUpRow } from './read-rules.ts';
import { readMoney } from './store.ts';
import type { VendorMoney } from './store.ts';

export interface TopUpDeps {
  readonly pool: Pool;
  readonly directory: Pick<VendorDirectory, 'vendorById'>;
  readonly source: ReceiptSources['source'];
  readonly wireTime: WireTime;
  readonly log: Logger;
}

/** Applies the active rules of every vendor. One that fails does not hold up the others. */
export async function topUpFloats(deps: TopUpDeps, signal: AbortSignal): Promise<void> {
  const rules = await listActiveRules(deps.pool);
  const vendorIds = [...new Set(rules.map(({ vendorId }) => vendorId))];
  const money = await readMoney(deps.pool, vendorIds);
  for (const row of rules) {
    if (signal.aborted) return;
    const now = money.get(row.vendorId);
    if (now === undefined || now.floatCents >= row.thresholdCents) continue;
    // A suspended vendor tops up nothing.
    if (deps.directory.vendorById(row.vendorId)?.suspended !== false) continue;
    try {
      await applyRule(deps, row);
    } catch (error) {
      const { ruleId, vendorId } = row;
      deps.log.error({ err: error, ruleId, vendorId }, 'a float could not be topped up');
    }
  }
}

interface Started {
  readonly topUpId: string;
  readonly vendorId: number;
  readonly terms: TopUpRule;
  readonly amountCents: bigint;
}

/**
 * Applies one rule, if it still requires a top-up. The top-up is committed before it is carried out,
 * under the rule's lock, so that two processes never make two of it and a limit is never exceeded.
 */
async function applyRule(deps: TopUpDeps, { ruleId }: RuleRow): Promise<void> {
  const { pool, wireTime } = deps;
  const started = await databaseTransaction(pool, async (client): Promise<Started | undefined> => {
    const row = await lockRule(client, ruleId);
    if (row === undefined) return undefined;
    const { vendorId, kind } = row;
    // Read before the balances: money that is collected in between counts twice, not never.
    const awaitedCents = kind === 'push' ? await readAwaitedCents(client, vendorId) : 0n;
    const now: VendorMoney | undefined = (await readMoney(client, [vendorId])).get(vendorId);
    if (now === undefined) return undefined;
    const terms = termsOf(row);
    // By the database's clock, as the top-ups are: a process whose clock is ahead has no other day.
    const dayStart = startOfDay(await readDatabaseTime(client), wireTime);
    const history = await readHistory(client, { vendorId, kind, dayStart });
    const { floatCents } = now;
    const amountCents = topUpCents(terms, { ...now, ...history, awaitedCents });
    if (amountCents === 0n) return undefined;
    const topUpId = newId();
    await insertTopUp(client, { topUpId, ruleId, vendorId, amountCents, floatCents });
    return { topUpId, vendorId, terms, amountCents };
  });
  if (started === undefined) return;
  const ended = await carryOut(deps, started);
  await setTopUpState(pool, started.topUpId, ended);
  const { vendorId, terms } = started;
  deps.log.info(
    { vendorId, kind: terms.kind, ...ended, amountCents: ended.amountCents.toString() },
    'a float was topped up by its rule',
  );
}

async function carryOut(
  { pool, source }: TopUpDeps,
  { topUpId, vendorId, terms, amountCents }: Started,
): Promise<Pick<TopUpRow, 'state' | 'reason' | 'amountCents'>> {
  if (terms.kind === 'fund') {
    const moved = await fund(pool, { vendorId, requestedAt: new Date() });
    return { state: 'funded', reason: moved.reference, amountCents: moved.amountCents };
  }
  const { phone, sourceCode } = terms;
  const open = source(sourceCode);
  if (open === undefined) {
    return { state: 'refused', reason: `source ${sourceCode} cannot be used`, amountCents };
  }
  try {
    const push = await pushTopUp(pool, open, { vendorId, phone, amountCents, pushId: topUpId });
    const state = push.state === 'refused' || push.state === 'sent' ? push.state : 'unknown';
    return { state, reason: push.reason, amountCents };
  } catch (error) {
    // Nothing was sent: another prompt is open, or the vendor has no account number any more.
    if (error instanceof PlainError)
      return { state: 'refused', reason: error.message, amountCents };
    throw error;
  }
}
