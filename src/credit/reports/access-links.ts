import { hashOf } from '../../parties/people/sessions.ts';
import { randomBytes } from 'node:crypto';
import type { Mac } from '../../platform/base/mac.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { endAccessLink, insertAccessLink, takeAttempt } from './access-links-store.ts';

/** Random bytes in a token: too many to be guessed. */
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A link ends after this many wrong answers, because somebody else may have it. */
export const MAX_ATTEMPTS = 5;

interface AccessLinkDeps {
  readonly pool: Pool;
  /** The ledger's key, so that nobody can make a link by writing to the database. */
  readonly ledgerMac: Mac;
}

/** Makes a link for a subject. Returns its token, which is not stored. */
export async function makeAccessLink(
  { pool, ledgerMac }: AccessLinkDeps,
  link: {
    readonly crn: bigint;
    readonly evidence: string;
    readonly at: Date;
    readonly expiresAt: Date;
  },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const mac = ledgerMac.sign(linkText(token, link));
  await insertAccessLink(pool, { ...link, hash: hashOf(token), mac });
  return token;
}

/** Text of a link's authentication code. The end is a number, because `infinity` has no ISO form. */
function linkText(
  token: string,
  { crn, expiresAt }: { readonly crn: bigint; readonly expiresAt: Date },
): string {
  return JSON.stringify(['access_links', token, String(crn), Number(expiresAt)]);
}

/**
 * Uses a link up. Returns its subject. Undefined if the token is unknown, used or expired, if the service did
 * not make the link, if it has had too many attempts, or if the answer is wrong: the caller cannot tell these
 * apart.
 * @param isAnswerRight whether what the person entered matches the subject.
 */
export async function useAccessLink(
  { pool, ledgerMac }: AccessLinkDeps,
  {
    token,
    now,
    isAnswerRight,
  }: {
    readonly token: string;
    readonly now: Date;
    readonly isAnswerRight: (crn: bigint) => Promise<boolean>;
  },
): Promise<bigint | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashOf(token);
  const link = await takeAttempt(pool, { hash, now, maxAttempts: MAX_ATTEMPTS });
  if (link === undefined || !ledgerMac.verify(linkText(token, link), link.mac)) return undefined;
  const { crn } = link;
  if (!(await isAnswerRight(crn))) return undefined;
  return (await endAccessLink(pool, hash, now)) ? crn : undefined;
}
