import { describe, expect, test } from 'vitest';
import { matchSubject } from '../../src/credit/matching/match.ts';
import { compareNames, jaroWinkler, nameTokens } from '../../src/credit/matching/names.ts';
import type { DocumentType } from '../../src/credit/registry/documents.ts';
import type { FoundSubject } from '../../src/credit/registry/store.ts';
import { generateSubjects } from '../../sandbox/population/population.ts';

function agree(a: string, b: string): boolean {
  return compareNames(nameTokens(a), nameTokens(b)).agree;
}

test('the tokens of a name', () => {
  expect(nameTokens("Ng'ang'a wa Mūgo")).toEqual(['NGANGA', 'MUGO']);
  expect(nameTokens('Dr. Anne-Marie O’Neill')).toEqual(['ANNE', 'MARIE', 'ONEILL']);
  expect(nameTokens('J.')).toEqual([]);
});

test('Jaro-Winkler as published', () => {
  expect(jaroWinkler('MARTHA', 'MARHTA')).toBeCloseTo(0.9611, 4);
  expect(jaroWinkler('DWAYNE', 'DUANE')).toBeCloseTo(0.84, 2);
  expect(jaroWinkler('DIXON', 'DICKSONX')).toBeCloseTo(0.8133, 4);
});

describe('names agree', () => {
  test.each([
    ['Amani Baraka', 'Amani Baraka Wanjiru'],
    ['Wanjiru Amani', 'Amani Baraka Wanjiru'],
    ['Peter Wanjiko', 'Wanjiku Peter'],
    ['Muhammad Ali Hassan', 'Mohamed Hassan'],
    ['Njorogi Kamau', 'Njoroge Kamau'],
    ["Achieng' Otieno", 'Achieng Otieno'],
    ['Kiplagat arap Moi', 'Moi Kiplagat'],
    ['Grace Akinyi Odhiambo', 'Akinyi Odhiambo'],
  ])('%s is %s', (a, b) => {
    expect(agree(a, b)).toBe(true);
    expect(agree(b, a)).toBe(true);
  });

  test.each([
    ['Amani Mutua', 'Amani Baraka Wanjiru'],
    ['Peter Kamau', 'Paul Kamau'],
    ['Joseph Otieno', 'Mary Wambui'],
    ['Amani', 'Amani'],
    ['Kamau Kamau', 'Kamau Njoroge'],
    ['Jane Wanjiku Kimani Njeri', 'Jane Wanjiku Otieno Achieng'],
  ])('%s is not %s', (a, b) => {
    expect(agree(a, b)).toBe(false);
    expect(agree(b, a)).toBe(false);
  });
});

function subject(crn: bigint, by: DocumentType[], name: string, own: string): FoundSubject {
  const [surname = '', ...forenames] = name.split(' ');
  return {
    crn,
    by,
    profile: {
      name: { surname, forenames },
      salutation: '',
      alsoKnownAs: [],
      dateOfBirth: '',
      gender: '',
      nationality: '',
      documents: [{ type: 'nationalID', number: own }],
      phones: [],
      addresses: [],
      asOf: '2026-10-31',
    },
  };
}

describe('who a request is about', () => {
  const id = { type: 'nationalID', number: '11' } as const;
  const passport = { type: 'passportNo', number: 'P12345' } as const;
  const amani = subject(1n, ['nationalID'], 'Baraka Amani', '11');

  test('a document with agreeing names, or with none given', () => {
    expect(matchSubject([id], ['Amani', 'Baraka'], [amani])).toMatchObject({ kind: 'match' });
    expect(matchSubject([id], [], [amani])).toMatchObject({ kind: 'match', score: null });
    expect(matchSubject([id], ['Amani', 'Baraka'], [])).toEqual({ kind: 'not_found' });
  });

  test('other names disclose nothing', () => {
    expect(matchSubject([id], ['Juma', 'Otieno'], [amani])).toMatchObject({ kind: 'mismatch' });
    expect(matchSubject([id], ['Amani', 'Otieno'], [amani])).toMatchObject({ kind: 'mismatch' });
    expect(matchSubject([id], ['Juma'], [amani], 1)).toMatchObject({ kind: 'mismatch' });
    expect(matchSubject([id], ['Amani'], [amani], 1)).toMatchObject({ kind: 'match' });
  });

  test('documents of two people, or contradicting a lifelong one, are a conflict', () => {
    const other = subject(2n, ['passportNo'], 'Baraka Amani', '22');
    expect(matchSubject([id, passport], ['Amani', 'Baraka'], [amani, other])).toMatchObject({
      kind: 'conflict',
      crns: [1n, 2n],
    });
    const byPassport = subject(1n, ['passportNo'], 'Baraka Amani', '22');
    expect(matchSubject([id, passport], ['Amani', 'Baraka'], [byPassport])).toMatchObject({
      kind: 'conflict',
    });
  });

  test('a document that two people share needs the names of one', () => {
    const second = subject(2n, ['nationalID'], 'Otieno Juma', '11');
    expect(matchSubject([id], [], [amani, second])).toMatchObject({ kind: 'conflict' });
    expect(matchSubject([id], ['Juma', 'Otieno'], [amani, second])).toMatchObject({
      kind: 'match',
      subject: { crn: 2n },
    });
    const twin = subject(3n, ['nationalID'], 'Baraka Amani', '11');
    expect(matchSubject([id], ['Amani', 'Baraka'], [amani, twin])).toMatchObject({
      kind: 'conflict',
    });
  });
});

/** One slip of the keyboard: a letter doubled, left out, swapped or replaced, at a fixed place. */
function misspell(token: string, kind: number): string {
  const at = 2 + (kind % Math.max(1, token.length - 3));
  const [head, tail] = [token.slice(0, at), token.slice(at)];
  switch (kind % 4) {
    case 0:
      return head + tail.slice(0, 1) + tail;
    case 1:
      return head + tail.slice(1);
    case 2:
      return head + tail.slice(1, 2) + tail.slice(0, 1) + tail.slice(2);
    default:
      return `${head}${tail.startsWith('e') ? 'i' : 'e'}${tail.slice(1)}`;
  }
}

test('finds people by misspelt names, and never somebody else', () => {
  const people = [...generateSubjects({ seed: 11, subjects: 1_500 })].map(
    ({ profile }) => profile.name,
  );
  let found = 0;
  let wrong = 0;
  for (const [index, { surname, forenames }] of people.entries()) {
    const own = [...forenames, surname];
    const given = own
      .toReversed()
      .map((token, at) => (at === index % own.length ? misspell(token, index) : token));
    if (compareNames(given.flatMap(nameTokens), own.flatMap(nameTokens)).agree) found += 1;
    const stranger = people[(index + 701) % people.length] ?? { surname: '', forenames: [] };
    const theirs = [...stranger.forenames, stranger.surname];
    const shared = own.filter((token) => theirs.includes(token)).length;
    if (shared < 2 && compareNames(given.flatMap(nameTokens), theirs.flatMap(nameTokens)).agree) {
      wrong += 1;
    }
  }
  const recall = found / people.length;
  const precision = found / (found + wrong);
  expect(recall).toBeGreaterThan(0.97);
  expect(precision).toBeGreaterThan(0.998);
});
