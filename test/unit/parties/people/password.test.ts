import { expect, test } from 'vitest';
import {
  hashPassword,
  isPassword,
  passwordProblem,
} from '../../../../src/parties/people/password.ts';

test('a password is recognised by its hash, in either Unicode form, and no other is', async () => {
  const hash = await hashPassword('crème brûlée, please');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await isPassword('crème brûlée, please'.normalize('NFD'), hash)).toBe(true);
  expect(await isPassword('creme brulee, please', hash)).toBe(false);
});

test('equal passwords have different hashes', async () => {
  expect(await hashPassword('the same words')).not.toBe(await hashPassword('the same words'));
});

test.each([null, '', 'text', '$argon2id$v=19$m=1,t=1$c2FsdA$aGFzaA'])(
  'nothing matches the stored value %j',
  async (stored) => {
    expect(await isPassword('', stored)).toBe(false);
  },
);

test.each([
  ['eleven char', 'must have at least 12 characters'],
  ['x'.repeat(257), 'must have at most 256 characters'],
  ['abababababab', 'must have at least five different characters'],
  ['my name is achieng', 'must not contain the sign-in name'],
  ['correct horse battery', undefined],
])('the password %j is judged as: %s', (password, problem) => {
  expect(passwordProblem(password, 'achieng@pay.example')).toBe(problem);
});
