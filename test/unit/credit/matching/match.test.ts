import { describe, expect, test } from 'vitest';
import { matchSubject } from '../../../../src/credit/matching/match.ts';
import type { Asked } from '../../../../src/credit/matching/match.ts';
import { nameAgreement } from '../../../../src/credit/matching/compare.ts';
import { useOfNames } from '../../../../src/credit/matching/name-shares.ts';
import { jaroWinkler, nameTokens } from '../../../../src/credit/matching/names.ts';
import type { DocumentType, IdentityDocument } from '../../../../src/credit/registry/documents.ts';
import type { FoundSubject } from '../../../../src/credit/registry/read-subjects.ts';

function agree(a: string, b: string): boolean {
  return nameAgreement([a], [b]) !== null;
}

test('names are split into tokens without titles, accents and placeholders', () => {
  expect(nameTokens("Ng'ang'a wa Mūgo")).toEqual(['NGANGA', 'MUGO']);
  expect(nameTokens('Dr. Anne-Marie O’Neill')).toEqual(['ANNE', 'MARIE', 'ONEILL']);
  expect(nameTokens('J.')).toEqual([]);
  expect(nameTokens('Mohamed Mohamed')).toEqual(['MOHAMED', 'MOHAMED']);
  expect(nameTokens('Mr Peter Kamau NA')).toEqual(['PETER', 'KAMAU']);
  expect(nameTokens('Na Wei')).toEqual(['NA', 'WEI']);
  expect(nameTokens('NULL none')).toEqual([]);
  expect(nameTokens('Đặng Sørensen Łukasz')).toEqual(['DANG', 'SORENSEN', 'LUKASZ']);
});

test('Jaro-Winkler as published', () => {
  expect(jaroWinkler('MARTHA', 'MARHTA')).toBeCloseTo(0.9611, 4);
  expect(jaroWinkler('DWAYNE', 'DUANE')).toBeCloseTo(0.84, 2);
  expect(jaroWinkler('DIXON', 'DICKSONX')).toBeCloseTo(0.8133, 4);
});

test('a word for a missing name, and digits, are no names', () => {
  for (const missing of ['N/A', 'nil', '-', 'UNKNOWN', 'XX', '2']) {
    expect(
      nameAgreement(['Amani', missing, 'Baraka'], ['Amani Wanjiru Baraka']),
      missing,
    ).not.toBeNull();
  }
  expect(nameAgreement(['Amani', 'B4raka'], ['Amani Baraka'])).not.toBeNull();
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

describe('names with few words left, or written as one word or two', () => {
  test.each([
    ['Mohamed Mohamed', 'Mohamed Mohamed'],
    ['Ali Ali', 'Ali Ali'],
    ['Li Na', 'Na Li'],
    ['Na Wei', 'Na Wei'],
    ['Al Amin', 'Al Amin'],
    ['Abdulrahman Mohamed', 'Abdul Rahman Mohamed'],
    ['Joseph Ole Kina', 'Joseph Olekina'],
    ['Al Amin Yusuf', 'Yusuf Alamin'],
    ['Anne-Marie Wanjiru', 'Annemarie Wanjiru'],
    ['Peter Kamau, Peter, Kamau', 'Peter Kamau'],
  ])('%s is %s', (a, b) => {
    expect(agree(a, b)).toBe(true);
    expect(agree(b, a)).toBe(true);
  });

  test('two given names count as two, even if they are one on file', () => {
    expect(agree('Abdul Rahman', 'Abdulrahman Mohamed')).toBe(true);
    expect(agree('Ole Kina', 'Olekina Moses')).toBe(true);
    expect(agree('Abdulrahman Hassan', 'Abdul Rahman')).toBe(false);
  });

  test.each([
    ['Mohamed Mohamed', 'Mohamed Hassan'],
    ['Peter NA', 'Peter Kamau'],
    ['Mr Peter', 'Mr Paul'],
    ['Njoroge wa Kamau', 'Njoroge wa Kimani'],
    ['Li Na', 'Li Wei'],
  ])('%s is not %s', (a, b) => {
    expect(agree(a, b)).toBe(false);
    expect(agree(b, a)).toBe(false);
  });
});

describe('a relative with two of three names', () => {
  const firsts =
    'Peter Paul Mary Grace Faith Joseph Josephine Brian Wanjiru Wanjiku Otieno Kevin Halima Amani Zedekiah'.split(
      ' ',
    );

  test('does not match, whatever the order of the names: none of 225 siblings', () => {
    let found = 0;
    for (const first of firsts) {
      for (const other of firsts) {
        const given = other === first ? 'Naserian' : other;
        const onFile = `${first} Kamau Wanjala`;
        for (const names of [
          [given, 'Kamau', 'Wanjala'],
          ['Wanjala', 'Kamau', given],
          ['Kamau', given, 'Wanjala'],
        ]) {
          if (nameAgreement(names, [onFile]) !== null) found += 1;
          // A lender that leaves out the first name does not make a relative match.
          if (nameAgreement(names, ['Kamau Wanjala', onFile]) !== null) found += 1;
        }
      }
    }
    expect(found).toBe(0);
  });

  test('does not match if the file has the surname first', () => {
    expect(nameAgreement(['Paul', 'Kamau', 'Wanjala'], ['Wanjala Kamau Peter'])).toBeNull();
    expect(nameAgreement(['Hassan', 'Mohamed', 'Ali'], ['Mohamed Mohamed Ali'])).toBeNull();
  });

  test('a first name left out or misspelt, and another surname, are no contradiction', () => {
    const onFile = ['Grace Akinyi Odhiambo'];
    for (const given of ['Akinyi Odhiambo', 'Grcae Akinyi Odhiambo', 'Grace Akinyi Otieno']) {
      expect(nameAgreement(given.split(' '), onFile), given).not.toBeNull();
    }
    const others = ['Grace Akinyi Odhiambo', 'Odhiambo Grace'];
    expect(nameAgreement(['Grace', 'Akinyi', 'Otieno'], others)).not.toBeNull();
  });
});

describe('a relative with the father’s names', () => {
  const file = ['Bare Abdullahi Osman'];

  test('does not match when the child’s own name comes first', () => {
    expect(nameAgreement(['Bilal', 'Bare', 'Abdullahi'], file)).toBeNull();
    expect(nameAgreement(['Bilal Bare Abdullahi Osman'], file)).not.toBeNull();
  });

  test('does not match when the child has the name of the grandfather', () => {
    for (const given of ['Ali Mohamed Ali', 'Ally Muhammad Ali']) {
      expect(nameAgreement([given], ['Mohamed Ali Hassan']), given).toBeNull();
    }
    expect(nameAgreement(['Hassan Mohamed Ali'], ['Mohamed Ali Hassan'])).not.toBeNull();
    const born = { isBirthDateKnown: true };
    expect(nameAgreement(['Ali Mohamed Ali'], ['Mohamed Ali Hassan'], born)).not.toBeNull();
  });

  test('is marked when a name comes in front of the whole name on file', () => {
    for (const given of ['Bilal Bare Abdullahi Osman', 'Wanjiku Bare Abdullahi Osman']) {
      expect(nameAgreement([given], file), given).toMatchObject({ differs: true });
    }
    const two = nameAgreement(['Bilal Bare Abdullahi'], ['Bare Abdullahi']);
    expect(two).toMatchObject({ differs: true });
    expect(nameAgreement(['Osman Bare Abdullahi'], file)).toMatchObject({ differs: false });
    expect(nameAgreement(['Amani Amani Baraka'], ['Amani Baraka'])).toMatchObject({
      differs: false,
    });
  });

  test('does not match by a title, and a title does not hide the person', () => {
    expect(nameAgreement(['Sheikh Bare Abdullahi'], file)).not.toBeNull();
    expect(nameAgreement(['Capt Bare Abdullahi'], file)).not.toBeNull();
  });
});

describe('an initial', () => {
  const file = ["Rebecca Wangari Thiong'o"];

  test.each(['K Wangari Thiong’o', 'K. Wangari Thiongo', 'Wangari Thiongo K'])(
    '%s contradicts Rebecca Wangari Thiong’o',
    (given) => {
      expect(nameAgreement([given], file)).toBeNull();
    },
  );

  test.each(['R Wangari Thiongo', 'Rebecca W Thiongo', 'Becky Wangari T.'])(
    '%s agrees with Rebecca Wangari Thiong’o',
    (given) => {
      expect(nameAgreement([given], file)).not.toBeNull();
    },
  );

  test.each(['W Wangari Thiongo', 'T. Wangari Thiongo', 'Thiongo Wangari W'])(
    '%s has an initial of nobody, because the name that it begins is given in full',
    (given) => {
      expect(nameAgreement([given], file)).toBeNull();
      expect(nameAgreement([`Rebecca ${given}`], file)).not.toBeNull();
    },
  );

  test('an initial on file contradicts a name that has another first letter', () => {
    expect(nameAgreement(['Kate Wangari Thiongo'], ['R Wangari Thiongo'])).toBeNull();
    expect(nameAgreement(['Rebecca Wangari Thiongo'], ['R Wangari Thiongo'])).not.toBeNull();
  });

  test('may be the first letter of any spelling of a name', () => {
    expect(nameAgreement(['K Njeri Kamau'], ['Catherine Njeri Kamau'])).not.toBeNull();
  });

  test('counts as no name: two names must agree', () => {
    expect(nameAgreement(['R', 'W', 'Thiongo'], file)).toBeNull();
  });
});

describe('a person with a single name on file', () => {
  const known = { isBirthDateKnown: true };
  const strict = { minShareOfGiven: 2 / 3 };

  test.each(['Kevin James Mwangi', 'Mwangi K J', 'Kevin J. Mwangi'])(
    'is found as %s if both initials on file agree; without a birth date, it is marked',
    (given) => {
      for (const rules of [{}, strict]) {
        const [with_, without] = [{ ...rules, ...known }, rules].map((each) =>
          nameAgreement([given], ['K J Mwangi'], each),
        );
        expect(with_).toMatchObject({ differs: false });
        expect(without).toMatchObject({ differs: true });
      }
    },
  );

  test('needs the birth date if fewer than two initials agree', () => {
    for (const [given, file] of [
      ['Kevin Mwangi', 'K J Mwangi'],
      ['Kevin Mwangi', 'K Mwangi'],
      ['Madonna Ciccone', 'Madonna'],
      ['Madonna Madonna', 'Madonna'],
    ] as const) {
      expect(nameAgreement([given], [file]), given).toBeNull();
      expect(nameAgreement([given], [file], known), given).toMatchObject({ differs: false });
    }
  });

  test('is nobody with another initial or name', () => {
    for (const given of ['Peter Mwangi', 'Kevin Peter Mwangi', 'K P Mwangi', 'Kevin James Kamau']) {
      expect(nameAgreement([given], ['K J Mwangi'], known), given).toBeNull();
    }
    expect(nameAgreement(['Ciccone'], ['Madonna'], known)).toBeNull();
  });

  test('is found by a single name and an initial with the birth date, but not for a strict vendor', () => {
    const file = ['Kevin James Mwangi'];
    expect(nameAgreement(['K Mwangi'], file, known)).toMatchObject({ differs: false });
    expect(nameAgreement(['K Mwangi'], file)).toBeNull();
    expect(nameAgreement(['K Mwangi'], file, { ...known, ...strict })).toBeNull();
    for (const given of ['P Mwangi', 'M Mwangi', 'Mwangi', 'Mwangi N/A', 'Mwangi Mwangi']) {
      expect(nameAgreement([given], file, known), given).toBeNull();
    }
  });
});

describe('a name that differs on both sides', () => {
  const file = ['Grace Wanjiku Kamau'];
  const given = ['Grace Wanjiku Otieno'];
  const use = {
    shareOf: (name: string): number => (name === 'GRACE' ? 0.02 : 0.015),
    isInUse: () => false,
  };

  test('needs the birth date if the names in common are frequent', () => {
    expect(nameAgreement(given, file, { use })).toBeNull();
    expect(nameAgreement(given, file, { use: { ...use, shareOf: () => 0.001 } })?.differs).toBe(
      true,
    );
    expect(nameAgreement(given, file, { use, isBirthDateKnown: true })?.differs).toBe(true);
  });

  test('somebody with two names is found under another one only with the birth date', () => {
    expect(nameAgreement(['Grace Otieno'], ['Grace Kamau'])).toBeNull();
    expect(
      nameAgreement(['Grace Otieno'], ['Grace Kamau'], { isBirthDateKnown: true })?.differs,
    ).toBe(true);
    expect(nameAgreement(['Jane Kamau'], ['Grace Kamau'], { isBirthDateKnown: true })).toBeNull();
  });

  test('does not need it if one side only has more names, or a typing error', () => {
    for (const names of ['Grace Wanjiku', 'Grace Wanjiku Kamau Otieno', 'Grace Wanjiku Kanau']) {
      expect(nameAgreement([names], file, { use })?.differs, names).toBe(false);
    }
  });
});

describe('a similar first name, without a birth date', () => {
  const file = ['Clinton Kiprono Kamau'];
  const given = ['Clifton Kiprono Kamau'];
  const use = useOfNames(
    ['Clinton', 'Clifton', 'Mukhtar', 'Muktar'].flatMap((one) => [one, one, one]),
  );

  test('a similar first name is another person’s if both names are in use', () => {
    expect(nameAgreement(given, file, { use })).toBeNull();
    expect(nameAgreement(['Kamau', 'Clifton', 'Kiprono'], file, { use })).toBeNull();
    expect(nameAgreement(given, file, { use, isBirthDateKnown: true })?.differs).toBe(false);
  });

  test('the match is marked if the similar first name may be a typing error', () => {
    expect(nameAgreement(given, file)?.differs).toBe(true);
    expect(nameAgreement(['Cliton Kiprono Kamau'], file, { use })?.differs).toBe(true);
  });

  test('the match is marked if both first names are in use and sound the same', () => {
    const mukhtar = ['Mukhtar Ali Hassan'];
    expect(nameAgreement(['Muktar Ali Hassan'], mukhtar, { use })?.differs).toBe(true);
    expect(nameAgreement(['Mukhtaar Ali Hassan'], mukhtar, { use })?.differs).toBe(false);
  });

  test('a similar first name is the person’s if another lender submitted it', () => {
    expect(nameAgreement(given, [...file, 'Clifton Kamau'], { use })?.differs).toBe(false);
    expect(nameAgreement(file, file, { use })?.differs).toBe(false);
  });
});

function subject(crn: bigint, by: DocumentType[], name: string, own: string): FoundSubject {
  const [surname = '', ...forenames] = name.split(' ');
  return {
    crn,
    members: [crn],
    by,
    birthDates: [''],
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

function asked(
  documents: readonly IdentityDocument[],
  names: readonly string[],
  dateOfBirth = '',
): Asked {
  return { documents, names, dateOfBirth };
}

describe('who a request is about', () => {
  const id = { type: 'nationalID', number: '11' } as const;
  const passport = { type: 'passportNo', number: 'P12345' } as const;
  const amani = subject(1n, ['nationalID'], 'Baraka Amani', '11');

  test('a document matches with agreeing names, or with none given', () => {
    expect(matchSubject(asked([id], ['Amani', 'Baraka']), [amani])).toMatchObject({
      kind: 'match',
    });
    expect(matchSubject(asked([id], []), [amani])).toMatchObject({ kind: 'match', score: null });
    expect(matchSubject(asked([id], ['Amani', 'Baraka']), [])).toEqual({ kind: 'not_found' });
  });

  test('other names disclose nothing', () => {
    expect(matchSubject(asked([id], ['Juma', 'Otieno']), [amani])).toMatchObject({
      kind: 'mismatch',
    });
    expect(matchSubject(asked([id], ['Amani', 'Otieno']), [amani])).toMatchObject({
      kind: 'mismatch',
    });
    expect(matchSubject(asked([id], ['Juma']), [amani], { minTokens: 1 })).toMatchObject({
      kind: 'mismatch',
    });
    expect(matchSubject(asked([id], ['Amani']), [amani], { minTokens: 1 })).toMatchObject({
      kind: 'match',
    });
  });

  test('documents of two people, or contradicting a lifelong one, are a conflict', () => {
    const other = subject(2n, ['passportNo'], 'Baraka Amani', '22');
    expect(matchSubject(asked([id, passport], ['Amani', 'Baraka']), [amani, other])).toMatchObject({
      kind: 'conflict',
      crns: [1n, 2n],
    });
    const byPassport = subject(1n, ['passportNo'], 'Baraka Amani', '22');
    expect(matchSubject(asked([id, passport], ['Amani', 'Baraka']), [byPassport])).toMatchObject({
      kind: 'conflict',
    });
  });

  test('where all documents must be on file, an unknown one discloses nothing', () => {
    const unknown = asked([id, passport], ['Amani', 'Baraka']);
    expect(matchSubject(unknown, [amani])).toMatchObject({ kind: 'match' });
    expect(matchSubject(unknown, [amani], { allDocuments: true })).toMatchObject({
      kind: 'mismatch',
    });
    const both = subject(1n, ['nationalID', 'passportNo'], 'Baraka Amani', '11');
    expect(matchSubject(unknown, [both], { allDocuments: true })).toMatchObject({ kind: 'match' });
  });

  test('a list of frequent names finds nobody where most names given must be on file', () => {
    const rules = { minShareOfGiven: 2 / 3 };
    const frequent = ['Mary', 'John', 'Amani', 'Joseph', 'Baraka', 'Kamau', 'Mwangi'];
    expect(matchSubject(asked([id], frequent), [amani])).toMatchObject({ kind: 'match' });
    expect(matchSubject(asked([id], frequent), [amani], rules)).toMatchObject({ kind: 'mismatch' });
    const inOneField = asked([id], [frequent.join(' '), frequent.join(' ')]);
    expect(matchSubject(inOneField, [amani], rules)).toMatchObject({ kind: 'mismatch' });
    const oneMore = asked([id], ['Amani', 'Baraka', 'Otieno']);
    expect(matchSubject(oneMore, [amani], rules)).toMatchObject({ kind: 'match' });
  });

  test('if two people share a document, one of them is found only with names', () => {
    const second = subject(2n, ['nationalID'], 'Otieno Juma', '11');
    expect(matchSubject(asked([id], []), [amani, second])).toMatchObject({ kind: 'conflict' });
    expect(matchSubject(asked([id], ['Juma', 'Otieno']), [amani, second])).toMatchObject({
      kind: 'match',
      subject: { crn: 2n },
    });
    const twin = subject(3n, ['nationalID'], 'Baraka Amani', '11');
    expect(matchSubject(asked([id], ['Amani', 'Baraka']), [amani, twin])).toMatchObject({
      kind: 'conflict',
    });
  });

  test('a merged person may give either birth date', () => {
    const merged = { ...amani, birthDates: ['1960-01-01', '1960-10-01'] };
    for (const day of ['1960-01-01', '1960-10-01']) {
      expect(matchSubject(asked([id], [], day), [merged])).toMatchObject({ kind: 'match' });
    }
    expect(matchSubject(asked([id], [], '1960-10-02'), [merged])).toMatchObject({
      kind: 'mismatch',
    });
  });

  test.each([
    // Indian names of one family rhyme, Somali ones share Abdi-, and brothers and sisters share all others.
    ['Rajesh', 'Rakesh'],
    ['Nilesh', 'Nitesh'],
    ['Dinesh', 'Dipesh'],
    ['Ketan', 'Chetan'],
    ['Amit', 'Ajit'],
    ['Deepak', 'Deepa'],
    ['Lata', 'Lalita'],
    ['Sukhdeep', 'Sukhdev'],
    ['Abdirashid', 'Abdirahim'],
    ['Abdihakim', 'Abdihamid'],
    ['Abdifatah', 'Abdifarah'],
    ['Maryan', 'Marwan'],
    ['Hamadi', 'Hamidi'],
    ['Kylie', 'Kyle'],
    ['Carter', 'Carver'],
  ])('%s and %s are two people of one family', (one, other) => {
    const child = subject(1n, ['nationalID'], `Umeshbhai ${one} Kantilal`, '11');
    const sibling = asked([id], [other, 'Kantilal', 'Umeshbhai']);
    expect(matchSubject(sibling, [child])).toMatchObject({ kind: 'mismatch' });
  });

  test.each([
    ['Pooja', 'Puja'],
    ['Ranjit', 'Ranjeet'],
    ['Abdirisaq', 'Abdulrazak'],
    ['Abdiaziz', 'Abdulaziz'],
    ['Shaun', 'Sean'],
    ['Lidya', 'Lydia'],
    ['Jebet', 'Chebet'],
    ['Jepkoech', 'Chepkoech'],
    ['Chumba', 'Kipchumba'],
    ['李', '李'],
  ])('%s is a spelling of %s', (one, other) => {
    const known = subject(1n, ['nationalID'], `Umeshbhai ${other} Kantilal`, '11');
    const same = asked([id], [one, 'Kantilal', 'Umeshbhai']);
    expect(matchSubject(same, [known])).toMatchObject({ kind: 'match' });
  });

  test('a first name that is also a family’s, and another surname, need the birth date', () => {
    const born = {
      ...subject(1n, ['nationalID'], 'Njoroge Wanjiku', '11'),
      birthDates: ['1990-05-01'],
    };
    const married = ['Wanjiku', 'Mwangi'];
    expect(matchSubject(asked([id], married, '1990-05-01'), [born])).toMatchObject({
      rule: 'document+birth+names-6+name-differs',
    });
    for (const [names, day] of [
      [married, ''],
      [married, '1991-05-01'],
      [['Mwangi', 'Wanjiku'], '1990-05-01'],
      [['Njoroge', 'Mwangi'], '1990-05-01'],
    ] as const) {
      expect(matchSubject(asked([id], [...names], day), [born])).toMatchObject({
        kind: 'mismatch',
      });
    }
  });

  test('the recorded rule shows when a name differs', () => {
    const born = { ...amani, birthDates: ['1990-05-01'] };
    expect(matchSubject(asked([id], ['Amani', 'Otieno'], '1990-05-01'), [born])).toMatchObject({
      kind: 'match',
      rule: 'document+birth+names-6+name-differs',
    });
  });

  test('a birth date that is given must be the one on file, and picks one of two', () => {
    const born = (dateOfBirth: string, crn: bigint): FoundSubject => ({
      ...amani,
      crn,
      birthDates: [dateOfBirth],
    });
    const [older, younger] = [born('1960-01-01', 1n), born('2001-01-01', 2n)];
    const names = ['Amani', 'Baraka'];
    expect(matchSubject(asked([id], names, '1960-01-01'), [older])).toMatchObject({
      kind: 'match',
      rule: 'document+birth+names-6',
    });
    expect(matchSubject(asked([id], names, '2001-01-01'), [older])).toMatchObject({
      kind: 'mismatch',
    });
    expect(matchSubject(asked([id], names, '2001-01-01'), [amani])).toMatchObject({
      kind: 'match',
    });
    expect(matchSubject(asked([id], names), [older, younger])).toMatchObject({ kind: 'conflict' });
    for (const given of [names, []]) {
      expect(matchSubject(asked([id], given, '2001-01-01'), [older, younger])).toMatchObject({
        kind: 'match',
        subject: { crn: 2n },
      });
    }
  });
});
