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

  test.each(['\u0430mani', 'Am\u03b1ni'])('is not %j, which mixes alphabets', (name) => {
    expect(() => requirePerson(name)).toThrow('It mixes Latin letters');
  });

  test.each([
    ['Asaph', '\u0410\u0455\u0430\u0440\u041d'],
    ['Otto', '\u039f\u03c4\u03a4\u03bf'],
  ])('%j looks like %j, so they are one person', (one, other) => {
    expect(isSamePerson(one, other)).toBe(true);
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
