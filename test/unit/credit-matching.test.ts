import { describe, expect, test } from 'vitest';
import { matchSubject } from '../../src/credit/matching/match.ts';
import { compareNames, jaroWinkler, nameTokens } from '../../src/credit/matching/names.ts';
import type { DocumentType } from '../../src/credit/registry/documents.ts';
import type { FoundSubject } from '../../src/credit/registry/store.ts';

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
