import { describe, expect, test } from 'vitest';
import { isSamePerson, requirePerson } from '../../../../src/platform/base/person.ts';

describe('a person', () => {
  test.each(['J', 'Amani Otieno', 'Ñandú', 'x'.repeat(80)])('may be %j', (name) => {
    expect(requirePerson(name)).toBe(name);
  });

  test.each([
    '',
    ' ',
    ' Amani',
    'Amani ',
    'Ama\nni',
    'Am\u200bani',
    'Am\u034fani',
    'Amani\ufe0f',
    'x'.repeat(81),
  ])('is not %j', (name) => {
    expect(() => requirePerson(name)).toThrow('It must be a person’s name');
  });

  test.each(['amani otieno', 'AMANI OTIENO', 'Amani  Otieno', 'Amani\u00a0Otieno'])(
    '%j is the same person',
    (spelling) => {
      expect(isSamePerson('Amani Otieno', spelling)).toBe(true);
    },
  );

  test.each([
    ['Amani Otieno', 'Amani'],
    ['Nandu', 'Ñandu'],
  ])('%j is not %j', (one, other) => {
    expect(isSamePerson(one, other)).toBe(false);
  });
});
