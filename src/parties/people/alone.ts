import type { Queryable } from '../../platform/db/pool.ts';
import { findPurpose } from '../../platform/db/purpose-store.ts';
import { countStaff, hasOtherAdministrator } from './read-people.ts';

/**
 * True while there is no second person: in the sandbox, and while fewer than two members of staff have
 * signed in and been confirmed. Those who were disabled, or wait again, count, or one of two could disable
 * the other to decide alone.
 */
export async function isAlone(db: Queryable): Promise<boolean> {
  const isSandbox = (await findPurpose(db))?.purpose === 'sandbox';
  return isSandbox || (await countStaff(db)) < 2;
}

/**
 * Why nobody has to confirm a person whose link or role comes from the command line, for the audit log; undefined:
 * another administrator has to. Where no other administrator could sign in, nobody would ever get back in.
 */
export async function reasonToActAlone(db: Queryable, login: string): Promise<string | undefined> {
  if (await isAlone(db)) return 'at once, because fewer than two members of staff sign in';
  if (await hasOtherAdministrator(db, login)) return undefined;
  return 'at once, because no other administrator can confirm it';
}
