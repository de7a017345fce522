import type { ProposedResolution } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';

/** Cents from the facts of a case, if they are whole numbers; undefined otherwise. */
export function factCents({ facts }: Pick<CaseRow, 'facts'>, name: string): bigint | undefined {
  const value = facts[name];
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === 'string' && /^-?\d{1,18}$/.test(value) ? BigInt(value) : undefined;
}

/** The amount that the proposer entered; undefined: none. */
export function givenCents({ amount_cents: cents }: ProposedResolution): bigint | undefined {
  return cents === null ? undefined : BigInt(cents);
}
