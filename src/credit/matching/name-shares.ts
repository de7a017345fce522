import { knownName } from './known-names.ts';
import { nameTokens } from './names.ts';

/** The share of people who have a name, in any of its spellings: 0 to 1, and 0 for a name nobody has. */
export type ShareOf = (token: string) => number;

/** The use of names among the people of the registry. */
export interface NameUse {
  readonly shareOf: ShareOf;
  /** True if enough people write it that it is a name rather than a typing error. */
  readonly isInUse: (token: string) => boolean;
}

const MIN_PEOPLE = 3;

/** Used for too few people to tell: every name is rare, and any may have a typing error. */
export const NO_NAMES: NameUse = { shareOf: () => 0, isInUse: () => false };

/** Counts the names of people, one full name for each. Pure. */
export function useOfNames(people: readonly string[]): NameUse {
  const counts = new Map<string, number>();
  for (const person of people) {
    for (const name of new Set(nameTokens(person).map(spellingOf))) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const countOf = (token: string): number => counts.get(spellingOf(token)) ?? 0;
  return {
    shareOf: (token) => countOf(token) / people.length,
    isInUse: (token) => knownName(token) !== undefined || countOf(token) >= MIN_PEOPLE,
  };
}

function spellingOf(token: string): string {
  return knownName(token) ?? token;
}
