import type { FastifyRequest } from 'fastify';
import { hashOf } from './sessions.ts';
import type { SessionRow } from './read-sessions.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import { createLongReads } from '../../platform/base/long-reads.ts';
import { networkOf } from '../../platform/http/rate-limits.ts';

/** A session or a token, of a person. */
interface Owned {
  readonly personId: string;
  readonly vid: string | null;
}

export interface SessionLookUps<Row extends Owned = SessionRow> {
  /**
   * Whose session it is; undefined: nobody's. Throws: `too_many_requests` if too many requests of this
   * person, vendor or network wait; `overloaded` if it has waited too long, or the sender's connection has
   * ended before.
   */
  find(token: string, sender: Pick<FastifyRequest, 'ip' | 'isClosed'>): Promise<Row | undefined>;
  /** Looks up a session that was just started, without waiting for a turn. */
  findNew(token: string): Promise<Row | undefined>;
}

/**
 * Anybody can send a cookie, and looking for its session takes a connection to the database. Sessions that
 * this process has seen are looked up in turns of their own, so people who are signed in never wait for
 * strangers. The people of a vendor take turns as one, and so do strangers of one network.
 * @param nowMs default: the system's.
 */
export function createSessionLookUps<Row extends Owned = SessionRow>(
  sessions: { readonly find: (token: string) => Promise<Row | undefined> },
  nowMs: () => number = () => performance.now(),
): SessionLookUps<Row> {
  const rules = { maxWaiting: LIMITS.sessionLookUpsWaiting, tooMany };
  const ofPeople = createLongReads(LIMITS.sessionLookUpsAtOnce, { rules });
  const ofStrangers = createLongReads(LIMITS.strangersLookUpsAtOnce, { rules });
  /** Names of those whose sessions were found, by the hash of the token. The latest come last. */
  const known = new Map<string, string>();
  const lookUp = async (token: string): Promise<Row | undefined> => {
    const key = keyOf(token);
    const row = await sessions.find(token);
    known.delete(key);
    if (row !== undefined) known.set(key, nameOf(row));
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size > LIMITS.limitedNames) known.delete(oldest);
    return row;
  };
  return {
    findNew: lookUp,
    find: async (token, sender) => {
      if (token === '') return undefined;
      const giveUpAt = nowMs() + LIMITS.sessionLookUpWaitMs;
      // While the database does not answer, each look-up takes seconds, and people must learn that.
      const isClosed = (): boolean => sender.isClosed || nowMs() > giveUpAt;
      const name = known.get(keyOf(token));
      return name === undefined
        ? await ofStrangers({ name: networkOf(sender.ip), isClosed }, () => lookUp(token))
        : await ofPeople({ name, isClosed }, () => lookUp(token));
    },
  };
}

function keyOf(token: string): string {
  return hashOf(token).toString('base64');
}

/** With the prefix, no `vid` equals a person's id. */
function nameOf({ personId, vid }: Owned): string {
  return vid === null ? personId : `vendor ${vid}`;
}

function tooMany(): Refusal {
  const text = 'Too many of your requests arrived at once. Wait before you repeat this one.';
  return new Refusal('too_many_requests', { text, retryAfterSeconds: 1 });
}
