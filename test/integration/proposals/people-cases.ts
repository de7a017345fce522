import { addPerson, changePerson } from '../../../src/parties/people/administer.ts';
import { acceptLink, createLink } from '../../../src/parties/people/links.ts';
import { findPerson } from '../../../src/parties/people/read-people.ts';
import { createWireTime } from '../../../src/platform/base/clock.ts';
import { confirmedBy } from '../../../src/proposals/parties/person.ts';
import { SEALING } from '../../support/production-pair.ts';
import type { Case, Cases, Given } from './case.ts';

const LOGIN = 'dalila';

/** Somebody who has used a link. */
async function person({ books, proposals, people }: Given): Promise<Case> {
  const { pool, ledgerMac } = books;
  const confirm = confirmedBy(proposals, { by: people.asha, note: 'a new colleague' });
  const deps = { pool, ledgerMac, confirm };
  const role = 'operations';
  const at = new Date();
  await addPerson(deps, { login: LOGIN, name: 'Dalila Njeri', role }, at);
  const made = { madeBy: people.asha.personId, now: at };
  const token = await createLink(deps, LOGIN, made);
  const { masterKeys } = SEALING;
  const chosen = { token, password: 'correct horse battery', codes: undefined };
  await acceptLink({ ...deps, masterKeys, codesRequired: false }, chosen, at);
  const state = async () => {
    const found = await findPerson(pool, LOGIN);
    return { role: found?.role, isConfirmed: found?.waitsFor === null };
  };
  const id = (await findPerson(pool, LOGIN))?.waitsFor ?? '';
  const ended = { role, isConfirmed: false };
  return {
    ...{ id, state, ended },
    shown: [
      { label: 'Login', text: LOGIN },
      { label: 'Name', text: 'Dalila Njeri' },
      { label: 'Role', text: role },
      { label: 'Chose the password', text: createWireTime('Africa/Nairobi').format(at) },
    ],
    approved: { role, isConfirmed: true },
    changeFacts: async () => {
      await changePerson({ pool, ledgerMac }, LOGIN, { role: 'support' });
    },
    reason: /The role of dalila changed after the proposal/,
    endedAfterChange: { role: 'support', isConfirmed: false },
    // Nothing else is about this person.
    spend: async () => await Promise.resolve({ role, isConfirmed: true }),
    isProposedByAll: true,
  };
}

export const CASES: Cases = {
  person: { role: 'administrator', make: person },
};
