import { sourceProtocolOf } from '../../connectors/registry.ts';
import { newId } from '../../platform/base/ids.ts';
import { requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { withinTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { MAX_PUSH_CENTS, requirePhone } from '../receipts/push.ts';
import { findAccountOfVendor, findSource } from '../receipts/sources-store.ts';
import { endRule, insertRule } from './rules-store.ts';
import { listActiveRules } from './read-rules.ts';
import type { TopUpKind, TopUpRule } from './rule.ts';
import { putWatched } from './store.ts';

/** Sets the limit for the event `float.low`; null: no event. */
export async function setVendorFloat(
  pool: Pool,
  change: { readonly vendorId: number; readonly lowCents: bigint | null; readonly by: string },
): Promise<void> {
  await putWatched(pool, { ...change, by: requirePerson(change.by) });
}

/**
 * Tops up the vendor's float by itself from now on. Replaces the rule of the same kind, which is kept.
 * Throws: `PlainError` with the problem.
 */
export async function setTopUpRule(
  db: Queryable,
  rule: { readonly vendorId: number; readonly terms: TopUpRule; readonly by: string },
): Promise<string> {
  const by = requirePerson(rule.by);
  const { vendorId, terms } = rule;
  requirePossible(terms);
  return await withinTransaction(db, async (client) => {
    // Also makes two changes of one vendor wait for each other.
    await putWatched(client, { vendorId, lowCents: undefined, by });
    if (terms.kind === 'push') {
      if (!(await isActive(client, vendorId, 'fund'))) {
        throw new PlainError(
          'The payment of a prompt becomes collected income. First add the rule that moves it into the float: vendor top-up fund.',
        );
      }
      const source = await findSource(client, terms.sourceCode);
      if (source === undefined || sourceProtocolOf(source.kind)?.sendsPrompts !== true) {
        throw new PlainError(`Source ${terms.sourceCode} cannot send prompts.`, {
          field: 'source',
        });
      }
      if ((await findAccountOfVendor(client, terms.sourceCode, vendorId)) === undefined) {
        const text = `The vendor has no account number of at most 12 characters at ${terms.sourceCode}.`;
        throw new PlainError(text, { field: 'source' });
      }
    }
    await endRule(client, { vendorId, kind: terms.kind, by });
    const ruleId = newId();
    await insertRule(client, { ruleId, vendorId, by, terms });
    return ruleId;
  });
}

const MIN_FUND_PAUSE_SECONDS = 10;
const MIN_PUSH_PAUSE_SECONDS = 600;

function requirePossible(terms: TopUpRule): void {
  if (terms.kind === 'fund') {
    // So that two processes do not both record one.
    if (terms.pauseSeconds >= MIN_FUND_PAUSE_SECONDS) return;
    throw new PlainError('It must be at least 10s.', { field: 'pause' });
  }
  requirePhone(terms.phone);
  const { thresholdCents, targetCents, maximumCents, dailyCents, pauseSeconds } = terms;
  if (pauseSeconds < MIN_PUSH_PAUSE_SECONDS) {
    throw new PlainError('It must be at least 10m, because a prompt can be open that long.', {
      field: 'pause',
    });
  }
  if (targetCents <= thresholdCents) {
    throw new PlainError('It must be above --below.', { field: 'target' });
  }
  if (maximumCents < 100n || maximumCents > MAX_PUSH_CENTS) {
    throw new PlainError('It must be at least one shilling, and at most the maximum of a prompt.', {
      field: 'max-amount',
    });
  }
  if (dailyCents < maximumCents) {
    throw new PlainError('It must not be below --max-amount.', { field: 'max-per-day' });
  }
}

/** Throws: `PlainError` if the vendor has no such rule. */
export async function endTopUpRule(
  db: Queryable,
  rule: { readonly vendorId: number; readonly kind: TopUpKind; readonly by: string },
): Promise<void> {
  const by = requirePerson(rule.by);
  const { vendorId, kind } = rule;
  await withinTransaction(db, async (client) => {
    await putWatched(client, { vendorId, lowCents: undefined, by });
    if (kind === 'fund' && (await isActive(client, vendorId, 'push'))) {
      throw new PlainError(
        'Income from prompts would no longer be moved into the float. End push first.',
      );
    }
    if (await endRule(client, { vendorId, kind, by })) return;
    throw new PlainError(`The vendor’s float is not topped up by ${kind}.`);
  });
}

async function isActive(db: Queryable, vendorId: number, kind: TopUpKind): Promise<boolean> {
  const rules = await listActiveRules(db);
  return rules.some((row) => row.vendorId === vendorId && row.kind === kind);
}
