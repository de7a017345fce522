import type { Permission } from '../../parties/people/permissions.ts';
import { isAllowed } from '../../parties/people/permissions.ts';
import { alteredPerson, isAuthentic } from '../../parties/people/authenticity.ts';
import { loginFrom } from '../../parties/people/login.ts';
import { findPerson, hasStaffWithCodes } from '../../parties/people/read-people.ts';
import type { PersonRow } from '../../parties/people/read-people.ts';
import { checkSignIn } from '../../parties/people/sign-in.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { askFor } from '../ask-for.ts';
import type { Cli } from '../cli.ts';
import type { Session } from '../session.ts';

/** True where a name is not enough, because staff sign in with one-time codes. */
export const mustSignIn = async ({ pool }: Pick<Session, 'pool'>): Promise<boolean> =>
  await hasStaffWithCodes(pool);

/** Throws: `PlainError` (field `by`). */
export async function requireStaff(
  { pool, ledgerMac }: Pick<Session, 'pool' | 'ledgerMac'>,
  { by, permission }: { readonly by: string; readonly permission: Permission },
): Promise<PersonRow> {
  const person = await findPerson(pool, loginFrom(by));
  if (person === undefined || person.vendorId !== null || person.status !== 'active') {
    const text = `${by} is not the login of a member of staff. See person list.`;
    throw new PlainError(text, { field: 'by' });
  }
  // The role is of now, and who signs in is checked once the password was entered.
  if (!isAuthentic(person, await ledgerMac())) throw alteredPerson(person.login);
  if (!isAllowed(person.role, permission)) {
    const text = `The role ${person.role} of ${person.login} does not allow this.`;
    throw new PlainError(text, { field: 'by' });
  }
  if (person.waitsFor === null) return person;
  const text = `Another administrator has to confirm ${person.login} first.`;
  throw new PlainError(text, { field: 'by' });
}

/** Asks for password and code. Throws what `checkSignIn` throws. */
export async function signIn(
  cli: Cli,
  { pool, sealing, ledgerMac }: Session,
  login: string,
): Promise<void> {
  const [password, code] = await askFor(cli, [`Password of ${login}: `, 'One-time code: ']);
  if (password === undefined || code === undefined) {
    throw new PlainError('Password and one-time code are needed, each on a line of the input.');
  }
  const { masterKeys } = await sealing();
  const request = { login, password, code: code.trim(), from: 'command line' } as const;
  const options = { pool, ledgerMac: await ledgerMac(), masterKeys, codesRequired: true };
  await checkSignIn(options, request, new Date());
}
