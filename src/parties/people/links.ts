import { randomBytes } from 'node:crypto';
import { Refusal } from '../../platform/base/errors.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { seal } from '../../platform/base/sealing.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import { alteredPerson, credentialsText, lockPerson, signPerson } from './authenticity.ts';
import type { PeopleDeps } from './authenticity.ts';
import { endUnsignedLinks, findLink, insertLink, useLink } from './links-store.ts';
import type { LinkRow } from './links-store.ts';
import { acceptedStep } from './one-time-code.ts';
import { hashPassword, passwordProblem } from './password.ts';
import { deletePasskeysOf } from './passkeys-store.ts';
import { setCredentials } from './people-store.ts';
import { countStaff } from './read-people.ts';
import { deleteSessionsOf } from './sessions-store.ts';
import { hashOf } from './sessions.ts';
import { codeSecretLocation, useCode } from './sign-in.ts';

/** A link expires after this time. */
export const LINK_HOURS = 72;

/**
 * Makes a one-time link with which the person chooses a password and sets up one-time codes.
 * Earlier links of the person end. Returns the token.
 * @param made.madeBy the person who makes it; null: the command line, without a name.
 * Throws: `PlainError` if the person does not exist, is disabled, or was changed in the database.
 */
export async function createLink(
  { pool, ledgerMac, tell, confirm, by }: PeopleDeps,
  login: string,
  { madeBy, now }: { readonly madeBy: string | null; readonly now: Date },
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await repeatableTransaction(pool, async (db) => {
    const person = await lockPerson(db, login, ledgerMac, by);
    if (person === undefined) throw new PlainError(`There is no person ${login}.`);
    if (!person.isAuthentic) throw alteredPerson(login);
    if (person.status !== 'active') throw new PlainError(`${login} is disabled.`);
    const expiresAt = new Date(now.getTime() + LINK_HOURS * 60 * 60 * 1000);
    const { personId, credentialsAt } = person;
    const waitsFor = (await confirm?.(db, person, 'link'))?.waitsFor ?? null;
    const link = { personId, madeBy, expiresAt, waitsFor };
    const mac = ledgerMac.sign(linkText(token, { ...link, credentialsAt }));
    await insertLink(db, { ...link, tokenHash: hashOf(token), createdAt: now, mac });
    const { vendorId } = person;
    // The first is of an invitation, of which the vendor was told.
    const isTold = vendorId !== null && credentialsAt !== null;
    if (isTold) await tell?.(db, vendorId, { change: 'person_linked', login });
  });
  return token;
}

/** Whom the link is for. Throws: `link_invalid`, also if the service did not make it. */
export async function readLink(
  { pool, ledgerMac }: PeopleDeps,
  token: string,
  now: Date,
): Promise<LinkRow> {
  const link = await findLink(pool, hashOf(token), now);
  if (link === undefined || !ledgerMac.verify(linkText(token, link), link.mac)) {
    throw new Refusal('link_invalid');
  }
  return link;
}

/** Text of a link's authentication code. The end is a number, because `infinity` has no ISO form. */
function linkText(
  token: string,
  link: Pick<LinkRow, 'personId' | 'madeBy' | 'expiresAt' | 'credentialsAt' | 'waitsFor'>,
): string {
  const { personId, madeBy, expiresAt, waitsFor } = link;
  const end = Number(expiresAt);
  const credentials = credentialsText(link);
  // Also null, so that links of a release without proposals for people are not valid any more.
  return JSON.stringify(['person_links', token, personId, madeBy, end, credentials, waitsFor]);
}

export interface NewCredentials {
  readonly token: string;
  readonly password: string;
  /** The secret that the person's app has, and a code that proves it. */
  readonly codes: { readonly secret: string; readonly code: string } | undefined;
}

/**
 * Uses the link: sets the person's password and codes, and ends all sessions of the person, who waits for
 * the link's proposal. Returns the person's id.
 * Throws: `link_invalid`, `invalid_field` on `password` or `code`, `missing_field` on `code`.
 */
export async function acceptLink(
  options: PeopleDeps & {
    readonly masterKeys: MasterKeys;
    readonly codesRequired: boolean;
  },
  chosen: NewCredentials,
  now: Date,
): Promise<string> {
  const link = await readLink(options, chosen.token, now);
  const problem = passwordProblem(chosen.password, link.login);
  if (problem !== undefined) {
    const text = `The password ${problem}`;
    throw new Refusal('invalid_field', { field: 'password', text });
  }
  const codeStep = checkNewCodes(options, chosen, now);
  const passwordHash = await hashPassword(chosen.password);
  await repeatableTransaction(options.pool, async (db) => {
    if (!(await useLink(db, hashOf(chosen.token), now))) throw new Refusal('link_invalid');
    const sealed =
      chosen.codes === undefined
        ? undefined
        : seal(chosen.codes.secret, codeSecretLocation(link.personId), options.masterKeys);
    const codes =
      sealed === undefined ? null : { masterKeyId: sealed.masterKeyId, secret: sealed.bytes };
    const person = await lockPerson(db, link.login, options.ledgerMac);
    if (person?.isAuthentic !== true) throw new Refusal('link_invalid');
    await setCredentials(db, link.personId, {
      passwordHash,
      codes,
      codeStep,
      at: now,
      waitsFor: link.waitsFor,
    });
    if (codeStep !== null) {
      await useCode(db, { personId: link.personId, credentialsAt: now }, codeStep);
    }
    // From now on somebody confirms the others: nobody keeps links of the time before, to be more people later.
    const isNewStaff = person.vendorId === null && person.credentialsAt === null;
    if (isNewStaff && (await countStaff(db)) > 1) await endUnsignedLinks(db, now);
    await signPerson(db, link.personId, options.ledgerMac);
    // Who used it before has no way in any more.
    await deletePasskeysOf(db, link.personId);
    await deleteSessionsOf(db, link.personId);
  });
  return link.personId;
}

function checkNewCodes(
  options: { readonly codesRequired: boolean },
  { codes }: NewCredentials,
  now: Date,
): bigint | null {
  if (codes === undefined) {
    if (!options.codesRequired) return null;
    throw new Refusal('missing_field', { field: 'code', text: 'A one-time code is required' });
  }
  if (!/^[A-Z2-7]{32}$/.test(codes.secret)) {
    throw new Refusal('invalid_field', { field: 'secret', text: 'The secret is not valid' });
  }
  const step = acceptedStep({ ...codes, now, lastStep: null });
  if (step !== undefined) return step;
  throw new Refusal('invalid_field', { field: 'code', text: 'The code is wrong' });
}
