import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { systemClock } from '../../platform/base/clock.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { credentialsText, isAuthentic } from './authenticity.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { deleteOldFailures } from './failures-store.ts';
import { masterMac } from './known-devices.ts';
import { findSigned } from './read-people.ts';
import { deleteEndedSessions, endSession, insertSession, noteSeen } from './sessions-store.ts';
import { findSession } from './read-sessions.ts';
import type { SessionRow } from './read-sessions.ts';

/** A session ends after this time, used or not: once per working day. */
const SESSION_MS = 12 * 60 * 60 * 1000;
/** And when it has not been used for this time. */
const IDLE_MS = 60 * 60 * 1000;
/** Use is recorded at most this often. */
const SEEN_EVERY_MS = 60_000;

/** Failed sign-ins are forgotten this long after the last one. */
const FAILURES_MS = 24 * 60 * 60 * 1000;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const MAX_BROWSER_LENGTH = 300;

export interface Sessions {
  /** Starts a session. Returns the cookie's token: 256 random bits, of which only the hash is stored. */
  start(session: {
    readonly personId: string;
    readonly address: string;
    readonly browser: string;
  }): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /**
   * Whose session it is; undefined: nobody's any more, the service did not start it, or the person was
   * changed in the database.
   */
  find(token: string): Promise<SessionRow | undefined>;
  /** Resolves to true while the session exists. The check does not count as use. */
  goesOn(token: string): Promise<boolean>;
  end(token: string): Promise<void>;
}

export function createSessions({
  pool,
  ledgerMac,
  clock,
  masterKeys,
}: {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly clock: Clock;
  readonly masterKeys: MasterKeys;
}): Sessions {
  const codes = masterMac(masterKeys, 'malipo console sessions');
  const find = async (token: string, now: Date): Promise<SessionRow | undefined> => {
    if (!TOKEN.test(token)) return undefined;
    const row = await findSession(pool, hashOf(token), { now, idleSince: idleSince(now) });
    if (row === undefined || !codes.verify(sessionText(token, row), row.mac)) return undefined;
    return isAuthentic(row, ledgerMac) ? row : undefined;
  };
  return {
    start: async ({ personId, address, browser }) => {
      const person = await findSigned(pool, personId);
      if (person === undefined) throw new Error(`there is no person ${personId}`);
      const { credentialsAt } = person;
      const token = randomBytes(32).toString('base64url');
      const createdAt = clock.now();
      const expiresAt = new Date(createdAt.getTime() + SESSION_MS);
      await insertSession(pool, {
        tokenHash: hashOf(token),
        personId,
        createdAt,
        expiresAt,
        address,
        browser: browser.slice(0, MAX_BROWSER_LENGTH),
        mac: codes.sign(sessionText(token, { personId, expiresAt, credentialsAt })),
      });
      return { token, expiresAt };
    },
    find: async (token) => {
      const now = clock.now();
      const session = await find(token, now);
      if (session !== undefined && now.getTime() - session.seenAt.getTime() > SEEN_EVERY_MS) {
        await noteSeen(pool, hashOf(token), now);
      }
      return session;
    },
    goesOn: async (token) => (await find(token, clock.now())) !== undefined,
    end: async (token) => {
      if (TOKEN.test(token)) await endSession(pool, hashOf(token));
    },
  };
}

/** Covered by a session's code in addition to the token: nobody starts one by writing to the database. */
type SessionContent = Pick<SessionRow, 'personId' | 'expiresAt' | 'credentialsAt'>;

/** The end is a number, because an inserted `infinity` has no ISO form. */
function sessionText(token: string, session: SessionContent): string {
  const { personId, expiresAt } = session;
  return JSON.stringify(['sessions', token, personId, Number(expiresAt), credentialsText(session)]);
}

/** Removes ended sessions, and old failures, from time to time. */
export function startSessionCleaner(options: {
  readonly pool: Pool;
  readonly everyMs: number;
  readonly log: Logger;
}): PeriodicJob {
  return startPeriodicJob({
    ...options,
    work: async () => await removeEndedSessions(options.pool, systemClock.now()),
    failureText: 'ended sessions could not be removed',
  });
}

/** Removes sessions that have ended, and old failures. */
export async function removeEndedSessions(pool: Pool, now: Date): Promise<void> {
  await deleteEndedSessions(pool, { now, idleSince: idleSince(now) });
  await deleteOldFailures(pool, new Date(now.getTime() - FAILURES_MS));
}

function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_MS);
}

/** SHA-256 of a token of a session or a link. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
