import { addPerson } from '../../src/parties/people/administer.ts';
import { signPerson } from '../../src/parties/people/authenticity.ts';
import type { PeopleDeps } from '../../src/parties/people/authenticity.ts';
import { setCredentials } from '../../src/parties/people/people-store.ts';
import type { Role } from '../../src/parties/people/roles.ts';
import type { Actor } from '../../src/proposals/kind.ts';

/** Adds somebody who signs in with one-time codes, as in production, confirmed by another administrator. */
export async function addStaff(
  deps: PeopleDeps,
  { login, name, role, vid }: { login: string; name: string; role: Role; vid?: string },
): Promise<Actor & { readonly personId: string }> {
  const now = new Date();
  const personId = await addPerson(deps, { login, name, role, vid }, now);
  await setCredentials(deps.pool, personId, {
    passwordHash: 'none',
    codes: { masterKeyId: 'test', secret: Buffer.from('secret') },
    ...{ codeStep: null, at: now, waitsFor: null },
  });
  await signPerson(deps.pool, personId, deps.ledgerMac);
  return { personId, name: login };
}
