import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSessionLookUps } from '../../../../src/parties/people/session-look-ups.ts';
import type { SessionRow } from '../../../../src/parties/people/read-sessions.ts';
import { LIMITS } from '../../../../src/platform/base/limits.ts';

const token = (): string => randomBytes(32).toString('base64url');
const STRANGER = { ip: '192.0.2.1', isClosed: false };

/** What has its turn begins in a microtask. */
const endOfTurn = async (): Promise<void> => await new Promise((end) => setImmediate(end));

/** Look-ups that end when they are told to. */
function createSessions(vids: ReadonlyMap<string, string | null>) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const find = async (asked: string): Promise<SessionRow | undefined> => {
    begun.push(asked);
    await new Promise<void>((end) => ends.push(end));
    const vid = vids.get(asked);
    return vid === undefined ? undefined : ({ personId: asked, vid } as SessionRow);
  };
  const endAll = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) {
      for (const end of ends.splice(0)) end();
      await endOfTurn();
    }
  };
  const clock = { nowMs: 0 };
  const lookUps = createSessionLookUps({ find }, () => clock.nowMs);
  return { begun, endAll, clock, lookUps };
}

test('strangers are looked up one at a time, and people who are known do not wait for them', async () => {
  const [staff, first, second, other] = [token(), token(), token(), token()];
  const vids = new Map([
    [staff, null],
    [first, 'shop'],
    [second, 'shop'],
  ]);
  const { begun, endAll, lookUps } = createSessions(vids);
  const known = [staff, first, second].map(async (each) => await lookUps.findNew(each));
  await endAll();
  expect((await Promise.all(known)).map((row) => row?.vid)).toEqual([null, 'shop', 'shop']);
  begun.length = 0;
  const found = [other, token(), first, second, staff].map(
    async (each) => await lookUps.find(each, STRANGER),
  );
  await endOfTurn();
  // The people of one vendor take turns as one.
  expect(begun).toEqual([other, first, staff]);
  await endAll();
  expect((await Promise.all(found)).map((row) => row?.vid)).toEqual([
    ...[undefined, undefined],
    ...['shop', 'shop', null],
  ]);
});

test('a session that has ended is a stranger’s', async () => {
  const [ended, other] = [token(), token()];
  const vids = new Map<string, string | null>([[ended, null]]);
  const { begun, endAll, lookUps } = createSessions(vids);
  for (const isKnown of [true, false]) {
    const found = lookUps.findNew(ended);
    await endAll();
    expect((await found) !== undefined).toBe(isKnown);
    vids.delete(ended);
  }
  begun.length = 0;
  const found = [other, ended].map(async (each) => await lookUps.find(each, STRANGER));
  await endOfTurn();
  expect(begun).toEqual([other]);
  await endAll();
  expect(await Promise.all(found)).toEqual([undefined, undefined]);
});

test('nobody waits long for a turn while the database does not answer', async () => {
  const person = token();
  const { begun, endAll, clock, lookUps } = createSessions(new Map([[person, null]]));
  const signIn = lookUps.findNew(person);
  await endAll();
  await signIn;
  begun.length = 0;
  const ask = async (): Promise<unknown> =>
    await lookUps.find(person, STRANGER).then(
      (row) => row?.personId,
      (error: { code: string }) => error.code,
    );
  const early = [ask(), ask(), ask()];
  clock.nowMs += LIMITS.sessionLookUpWaitMs;
  const late = ask();
  clock.nowMs += 1;
  await endAll();
  expect(await Promise.all([...early, late])).toEqual([
    ...[person, 'overloaded', 'overloaded'],
    person,
  ]);
  expect(begun).toHaveLength(2);
});
