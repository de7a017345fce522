import { expect, test } from 'vitest';
import { createSignInTurns } from '../../../../src/parties/people/sign-in-turns.ts';

test('few sign-ins are checked at once, one of each network, and those beyond the limit are refused', async () => {
  const inTurn = createSignInTurns({ atOnce: 2, underWay: 4 });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const signIn = async (address: string, name: string): Promise<string> =>
    await inTurn({ ip: address, isClosed: false }, async () => {
      started.push(name);
      await new Promise<void>((end) => ends.push(end));
      return name;
    });
  const admitted = [
    signIn('192.0.2.1', 'a1'),
    signIn('192.0.2.1', 'a2'),
    signIn('2001:db8::1', 'b1'),
    // The same subscriber as b1.
    signIn('2001:db8::2', 'b2'),
  ];
  await expect(signIn('192.0.2.3', 'c1')).rejects.toMatchObject({
    code: 'overloaded',
    retryAfterSeconds: 2,
  });
  expect(started).toEqual(['a1', 'b1']);
  ends[0]?.();
  expect(await admitted[0]).toBe('a1');
  const later = signIn('192.0.2.3', 'c1');
  ends[1]?.();
  expect(await admitted[2]).toBe('b1');
  await Promise.resolve();
  expect(started).toEqual(['a1', 'b1', 'a2', 'b2']);
  for (const end of ends) end();
  await Promise.all(admitted);
  await Promise.resolve();
  for (const end of ends) end();
  expect(await later).toBe('c1');
});

const SENDER = { ip: '192.0.2.1', isClosed: false };

test('failed sign-ins make room for the next', async () => {
  const inTurn = createSignInTurns({ atOnce: 1, underWay: 1 });
  await expect(inTurn(SENDER, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
  expect(await inTurn(SENDER, async () => 'right')).toBe('right');
});
