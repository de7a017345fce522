import { knownName } from './known-names.ts';
import { nameTokens } from './names.ts';

/** The share of people who have a name, in any of its spellings: 0 to 1, and 0 for a name nobody has. */
export type ShareOf = (token: string) => number;

/** Counts the names of people, one full name for each. Pure. */
export function sharesOfNames(people: readonly string[]): ShareOf {
  const counts = new Map<string, number>();
  for (const person of people) {
    for (const name of new Set(nameTokens(person).map(spellingOf))) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return (token) => (counts.get(spellingOf(token)) ?? 0) / people.length;
}

function spellingOf(token: string): string {
  return knownName(token) ?? token;
}
