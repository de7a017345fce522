import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { reasonToActAlone } from '../../parties/people/alone.ts';
import { isAuthentic, signPerson } from '../../parties/people/authenticity.ts';
import type { PeopleDeps, ProposeConfirmation } from '../../parties/people/authenticity.ts';
import { lockSigned, setWaitsFor } from '../../parties/people/people-store.ts';
import { findPerson } from '../../parties/people/read-people.ts';
import type { PersonRow } from '../../parties/people/read-people.ts';
import { ROLES } from '../../parties/people/roles.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { COMMAND_LINE } from '../actors.ts';
import { kind } from '../kind.ts';
import type { Actor, AnyKind, Line, Proposed } from '../kind.ts';
import type { Proposals } from '../proposals.ts';

export const PERSON = 'person';

const text = Type.String({ minLength: 1, maxLength: 200 });
const content = strict({
  personId: Type.String({ format: 'uuid' }),
  login: text,
  name: text,
  role: Type.Enum([...ROLES]),
  vendorId: Type.Union([Type.Null(), Type.Integer()]),
  vid: Type.Union([Type.Null(), text]),
});
type Content = Static<typeof content>;

interface Facts {
  /** Undefined: nobody has the login. */
  readonly person: PersonRow | undefined;
  readonly isAuthentic: boolean;
}

interface Plan {
  readonly of: Content;
  readonly chosenAt: string;
  /** False: at the proposal, before the link is used. */
  readonly isWaiting: boolean;
}

export interface PersonKindOptions extends Pick<PeopleDeps, 'tell'> {
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
}

/**
 * A person is who the login says, in this role: whoever made the link could have used it, and whoever changed the role
 * could have invited the person as something harmless. People are never removed, so their names may be kept.
 */
export const personKind = ({ ledgerMac, wireTime, tell }: PersonKindOptions): AnyKind =>
  kind<Content, Facts, Plan>({
    name: PERSON,
    title: 'Person who signs in',
    content: compiled(content),
    proposedBy: 'people.propose',
    decidedBy: 'people.act',
    ownVendor: { decides: true },
    replaces: true,
    actsAlone: async (db, by, { login }) =>
      by === COMMAND_LINE && (await reasonToActAlone(db, login)) !== undefined,
    about: ({ personId }) => personId,
    vendorId: ({ vendorId }) => vendorId,
    describe: linesOf,
    read: async (db, { login }, { lock }) => {
      const isLocked = !lock || (await lockSigned(db, login)) !== undefined;
      const person = isLocked ? await findPerson(db, login) : undefined;
      return { person, isAuthentic: person !== undefined && isAuthentic(person, ledgerMac) };
    },
    check: (facts, _content, proposal) => {
      // At the proposal, the content was just read, and the code follows in the same commit.
      if (proposal !== null) requireUnchanged(facts, proposal);
    },
    plan: ({ person }, { content: of, proposalId }) => {
      const isWaiting = person?.waitsFor === proposalId;
      const chosenAt = isWaiting ? (person.credentialsAt ?? null) : null;
      return { of, isWaiting, chosenAt: chosenAt === null ? 'not yet' : wireTime.format(chosenAt) };
    },
    show: ({ of, chosenAt }) => [...linesOf(of), { label: 'Chose the password', text: chosenAt }],
    apply: async (db, { of: { personId, vendorId, login }, isWaiting }, { by }) => {
      if (!isWaiting) return;
      await setWaitsFor(db, personId, null);
      await signPerson(db, personId, ledgerMac);
      // A vendor is told what staff do with its people.
      const isByStaff = vendorId !== null && (await findPerson(db, by))?.vendorId !== vendorId;
      if (isByStaff) await tell?.(db, vendorId, { change: 'person_confirmed', login });
    },
  });

function linesOf({ login, name, role, vid }: Content): Line[] {
  return [
    { label: 'Login', text: login },
    { label: 'Name', text: name },
    { label: 'Role', text: role },
    ...(vid === null ? [] : [{ label: 'Vendor', text: vid }]),
  ];
}

/** Throws: `PlainError` unless the person is as proposed and waits for this proposal. */
function requireUnchanged(facts: Facts, { proposalId, content: of }: Proposed<Content>): void {
  const { person } = facts;
  const { login } = of;
  if (person?.personId !== of.personId) throw new PlainError(`There is no person ${login}.`);
  if (!facts.isAuthentic) {
    throw new PlainError(`${login} was changed in the database. Reject it, and set the role.`);
  }
  const changed = (['name', 'role', 'vendorId', 'vid'] as const).filter(
    (field) => person[field] !== of[field],
  );
  if (changed.length > 0) {
    const what = changed.map((field) => NAMES[field]).join(' and ');
    const told = `The ${what} of ${login} changed after the proposal. Reject it, and make a new link.`;
    throw new PlainError(told);
  }
  if (person.status !== 'active') throw new PlainError(`${login} is disabled.`);
  if (person.waitsFor !== proposalId) {
    throw new PlainError(`${login} has not used the link yet.`);
  }
}

const NAMES = { name: 'name', role: 'role', vendorId: 'vendor', vid: 'vendor' } as const;

/**
 * Proposes, in the name of whoever makes links and changes people, that another person confirms them.
 * Throws: `PlainError`, also if the person waits for the confirmation of what somebody else did, and is changed.
 */
export function confirmedBy(
  proposals: Proposals,
  { by, note }: { readonly by: Actor; readonly note: string },
): ProposeConfirmation {
  return async (db, { login, waitsFor }, why) => {
    const person = await findPerson(db, login);
    if (person === undefined) throw new Error(`there is no person ${login}`);
    const { personId, name, role, vendorId, vid } = person;
    // Who changes a person without a name does not vouch for what somebody else did.
    if (why === 'change' && waitsFor !== null && by === COMMAND_LINE) {
      return { waitsFor, at: new Date() };
    }
    if (why === 'change' && waitsFor !== null) {
      const former = await proposals.findIn(db, waitsFor);
      if (former?.proposerId !== by.personId) {
        throw new PlainError(`${login} has to be confirmed before this can be changed.`, {
          field: 'role',
        });
      }
    }
    const of: Content = { personId, login, name, role, vendorId, vid };
    const row = await proposals.proposeIn(db, { kind: PERSON, content: of, by, note });
    return { waitsFor: row.decision === null ? row.proposalId : null, at: row.proposedAt };
  };
}
