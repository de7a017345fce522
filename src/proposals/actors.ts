import { isAlone } from '../parties/people/alone.ts';
import { isAuthentic } from '../parties/people/authenticity.ts';
import { lockActing } from '../parties/people/people-store.ts';
import { hasStaffWithCodes } from '../parties/people/read-people.ts';
import { isAllowed } from '../parties/people/permissions.ts';
import type { Permission } from '../parties/people/permissions.ts';
import { isSamePerson, requirePerson } from '../platform/base/person.ts';
import type { Mac } from '../platform/base/mac.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import type { Queryable } from '../platform/db/pool.ts';
import type { Actor } from './kind.ts';

/** The service itself, when it ends a proposal whose time is over. */
export const SERVICE: Actor = { personId: null, name: 'malipo' };

/**
 * Whoever runs a command on the machine of the service without a name. Only where there is no second person, and only
 * for settings and income by hand.
 */
export const COMMAND_LINE: Actor = { personId: null, name: 'command line' };

export interface Need {
  readonly permission: Permission;
  /** The vendor whose own people may act as well; null: only staff may. */
  readonly vendorId: number | null;
}

/**
 * The person's names: the login and the name that is shown. The row is locked (`for share`), so that nobody is
 * demoted between this check and the commit. Throws: `PlainError` (field `by`) unless this person may act now.
 */
export async function requireMay(
  db: Queryable,
  actor: Actor,
  { permission, vendorId }: Need,
  mac: Mac,
): Promise<readonly string[]> {
  if (actor.personId === null) {
    requirePerson(actor.name);
    if (!(await hasStaffWithCodes(db))) return [actor.name];
    throw new PlainError(`${actor.name} has to sign in for this.`, { field: 'by' });
  }
  const person = await lockActing(db, actor.personId);
  const isKnown = person?.status === 'active' && isAuthentic(person, mac);
  const isOne = isKnown && (person.vendorId === null || person.vendorId === vendorId);
  if (!isOne || !isAllowed(person.role, permission)) {
    throw new PlainError(`${actor.name} may not do this.`, { field: 'by' });
  }
  if (person.waitsFor === null) return [actor.name, person.login, person.name];
  throw new PlainError(`Another administrator has to confirm ${person.login} first.`, {
    field: 'by',
  });
}

/** Two actors are one person if they share the account or any of their names. */
export function isSameActor(
  one: { readonly personId: string | null; readonly names: readonly string[] },
  other: typeof one,
): boolean {
  if (one.personId !== null && one.personId === other.personId) return true;
  return one.names.some((name) => other.names.some((its) => isSamePerson(name, its)));
}

/** Settings take effect at once in the sandbox, and while fewer than two members of staff have signed in. */
export const mayActAlone = async (db: Queryable): Promise<boolean> => await isAlone(db);

/** Whatever a surface forgot: a program decides nothing. */
export function requirePersonally({ program }: Actor): void {
  if (program === undefined) return;
  throw new PlainError('A person decides, not a program.', { field: 'by' });
}
