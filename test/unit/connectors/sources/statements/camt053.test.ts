import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  CAMT053_LIMITS,
  readCamt053,
} from '../../../../../src/connectors/sources/statements/camt053.ts';
import { createWireTime } from '../../../../../src/platform/base/clock.ts';
import { readXml } from '../../../../../src/platform/base/xml.ts';

const wireTime = createWireTime('Africa/Nairobi');
const RULES = { account: undefined, checksBalances: false, identifiedBy: 'AcctSvcrRef' } as const;

function read(content: string, rules: Partial<Parameters<typeof readCamt053>[1]> = {}) {
  return [...readCamt053(readXml(content, CAMT053_LIMITS), { ...RULES, ...rules }, wireTime)];
}

/** A message with this in its statement, each element on a line from the third on. */
function message(content: string, version = '02'): string {
  const space = `urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}`;
  return `<Document xmlns="${space}"><BkToCstmrStmt><Stmt>\n<Acct><Ccy>KES</Ccy></Acct>\n${content}\n</Stmt></BkToCstmrStmt></Document>`;
}

interface Entry {
  readonly amount?: string;
  readonly side?: string;
  readonly status?: string;
  readonly date?: string;
  readonly reference?: string;
  readonly more?: string;
}

function entry(given: Entry = {}): string {
  const { amount = '<Amt Ccy="KES">10.00</Amt>', side = 'CRDT', status = 'BOOK' } = given;
  const { date = '<BookgDt><Dt>2026-01-05</Dt></BookgDt>', more = '' } = given;
  const { reference = '<AcctSvcrRef>FT26005001</AcctSvcrRef>' } = given;
  return `<Ntry>${amount}<CdtDbtInd>${side}</CdtDbtInd><Sts>${status}</Sts>${date}${reference}${more}</Ntry>`;
}

function payment(amount: string, reference: string, more = ''): string {
  return `<TxDtls><Refs>${reference}</Refs><Amt Ccy="KES">${amount}</Amt>${more}</TxDtls>`;
}

test('reads entries in the form of the first versions and of the later ones', () => {
  const line = {
    line: 3,
    at: new Date('2026-01-05T00:00:00+03:00'),
    amountCents: 1_000n,
    kind: 'credit',
    reference: 'FT26005001',
    text: 'RENT\nJANE DOE',
  };
  const purpose = '<RmtInf><Ustrd>RENT</Ustrd></RmtInf>';
  const details = (debtor: string): string =>
    `<NtryDtls><TxDtls><RltdPties><Dbtr>${debtor}</Dbtr></RltdPties>${purpose}</TxDtls></NtryDtls>`;
  expect(read(message(entry({ more: details('<Nm>JANE DOE</Nm>') })))).toEqual([line]);
  const later = entry({ status: '<Cd>BOOK</Cd>', more: details('<Pty><Nm>JANE DOE</Nm></Pty>') });
  expect(read(message(later, '13'))).toEqual([line]);
});

test.each([
  ['CRDT', '', 'credit'],
  ['DBIT', '', 'debit'],
  ['DBIT', '<RvslInd>true</RvslInd>', 'credit_returned'],
  ['CRDT', '<RvslInd>true</RvslInd>', 'debit_returned'],
  ['CRDT', '<RvslInd>false</RvslInd>', 'credit'],
])('%s %s is a %s', (side, more, kind) => {
  expect(read(message(entry({ side, more })))).toMatchObject([{ kind }]);
});

test('a payment that the bank returned is marked, whichever side it is on', () => {
  const returned =
    '<NtryDtls><TxDtls><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls>';
  const [ours] = read(message(entry({ more: returned })));
  expect(ours).toMatchObject({ kind: 'credit', isReturn: true });
  const [theirs] = read(message(entry({ side: 'DBIT', more: returned })));
  expect(theirs).toMatchObject({ kind: 'credit_returned' });
  expect(read(message(entry()))[0]).not.toHaveProperty('isReturn');
});

test.each([
  ['its number', '<Btch><NbOfTxs>3</NbOfTxs></Btch><TxDtls><RmtInf/></TxDtls>'],
  ['its amount', payment('1.00', '')],
])('an entry whose only listed payment is not all of it, by %s, is nobody’s', (_what, listed) => {
  const [line] = read(message(entry({ more: `<NtryDtls>${listed}</NtryDtls>` })));
  expect(line).toMatchObject({ problem: 'the payments of the entry do not add up to its amount' });
});

test('what is not booked is pending, with a reference or without', () => {
  for (const status of ['PDNG', 'INFO', 'FUTR', '<Cd>PDNG</Cd>', '<Prtry>X</Prtry>']) {
    expect(read(message(entry({ status })))).toMatchObject([{ kind: 'pending' }]);
    expect(read(message(entry({ status, reference: '' })))).toMatchObject([{ kind: 'pending' }]);
  }
});

test('the booking date may be a time, in a zone or not; without one the value date counts', () => {
  const at = (date: string) => read(message(entry({ date })))[0];
  const booked = (content: string): string => `<BookgDt>${content}</BookgDt>`;
  expect(at(booked('<DtTm>2026-01-05T10:00:00Z</DtTm>'))).toMatchObject({
    at: new Date('2026-01-05T10:00:00Z'),
  });
  expect(at(booked('<DtTm>2026-01-05T10:00:00.123</DtTm>'))).toMatchObject({
    at: new Date('2026-01-05T07:00:00Z'),
  });
  expect(at('<ValDt><Dt>2026-01-05</Dt></ValDt>')).toMatchObject({
    at: new Date('2026-01-04T21:00:00Z'),
  });
});

describe('the reference that identifies', () => {
  const references = (more: string, rules: Partial<Parameters<typeof readCamt053>[1]> = {}) =>
    read(message(entry({ amount: '<Amt Ccy="KES">30.00</Amt>', more })), rules).map((line) =>
      'kind' in line ? line.reference : line.problem,
    );
  const own = (number: number): string => `<AcctSvcrRef>OWN${number}</AcctSvcrRef>`;

  test('the reference is the entry’s, also if its only payment has another', () => {
    expect(references(`<NtryDtls>${payment('30.00', own(1))}</NtryDtls>`)).toEqual(['FT26005001']);
  });

  test('each payment’s own reference identifies it in an entry with several', () => {
    const parts = `<NtryDtls>${payment('10.00', own(1))}</NtryDtls><NtryDtls>${payment('20.00', own(2))}</NtryDtls>`;
    expect(references(parts)).toEqual(['OWN1', 'OWN2']);
  });

  test('payments without references of their own, or with equal ones, are told apart in any order', () => {
    for (const given of ['', own(1), '<EndToEndId>X</EndToEndId>']) {
      const [one, two] = [payment('10.00', given), payment('20.00', given)];
      const found = references(`<NtryDtls>${one}${two}</NtryDtls>`);
      expect(new Set(found).size).toBe(2);
      expect(found[0]).toMatch(/^FT26005001P[0-9A-F]{10}001$/);
      expect(references(`<NtryDtls>${two}${one}</NtryDtls>`)).toEqual(found.toReversed());
    }
    const named = ['A', 'B', 'C'].map((name) =>
      payment('10.00', `<EndToEndId>${name}</EndToEndId>`),
    );
    const all = references(`<NtryDtls>${named.join('')}</NtryDtls>`);
    expect(references(`<NtryDtls>${named.toReversed().join('')}</NtryDtls>`)).toEqual(
      all.toReversed(),
    );
  });

  test('has the position only among equal payments', () => {
    const equal = payment('10.00', '<EndToEndId>X</EndToEndId>');
    const other = payment('10.00', '<EndToEndId>Y</EndToEndId>');
    const [first = '', second = '', third] = references(
      `<NtryDtls>${equal}${equal}${other}</NtryDtls>`,
    );
    expect([first.slice(0, -3), first.slice(-3)]).toEqual([second.slice(0, -3), '001']);
    expect(second.slice(-3)).toBe('002');
    expect(references(`<NtryDtls>${other}${equal}${equal}</NtryDtls>`)).toEqual([
      third,
      first,
      second,
    ]);
  });

  test('fits into a receipt number, however long the entry’s is', () => {
    const reference = `<AcctSvcrRef>${'R'.repeat(35)}</AcctSvcrRef>`;
    const more = `<NtryDtls>${payment('4.00', '')}${payment('6.00', '')}</NtryDtls>`;
    for (const line of read(message(entry({ reference, more })))) {
      expect(line).toMatchObject({
        batch: 'R'.repeat(35),
        reference: expect.stringMatching(/^[A-Z0-9]{24}P[0-9A-F]{10}001$/),
      });
    }
  });

  test('keeps the parts of two entries apart, also without punctuation', () => {
    const partsOf = (reference: string, count: number) => {
      const more = `<NtryDtls>${payment('1.00', '').repeat(count)}</NtryDtls>`;
      const amount = `<Amt Ccy="KES">${count}.00</Amt>`;
      const given = `<AcctSvcrRef>${reference}</AcctSvcrRef>`;
      return read(message(entry({ reference: given, amount, more }))).map((line) =>
        'kind' in line ? line.reference.replaceAll(/[^A-Za-z0-9]/g, '') : line.problem,
      );
    };
    const all = [...partsOf('FT1', 12), ...partsOf('FT11', 2)];
    expect(new Set(all).size).toBe(14);
  });

  test('the payer’s reference never identifies a payment', () => {
    const without = entry({
      reference: '<NtryRef>1</NtryRef>',
      more: `<NtryDtls>${payment('10.00', '<EndToEndId>INVOICE1</EndToEndId>')}</NtryDtls>`,
    });
    expect(read(message(without))).toEqual([
      { line: 3, problem: 'AcctSvcrRef, the bank’s reference, is missing' },
    ]);
    const none = entry({ reference: '<AcctSvcrRef>NOTPROVIDED</AcctSvcrRef>' });
    expect(read(message(none))).toMatchObject([{ line: 3, problem: expect.any(String) }]);
  });

  test('NtryRef is the reference if the source says so', () => {
    expect(references('<NtryRef>N77</NtryRef>', { identifiedBy: 'NtryRef' })).toEqual(['N77']);
  });
});

test.each([
  ['another currency', entry({ amount: '<Amt Ccy="USD">1</Amt>' }), 'USD'],
  ['no currency', entry({ amount: '<Amt>1</Amt>' }), 'missing'],
  ['an amount that is negative', entry({ amount: '<Amt Ccy="KES">-1</Amt>' }), 'amount'],
  ['an amount with three decimals', entry({ amount: '<Amt Ccy="KES">1.005</Amt>' }), 'amount'],
  ['no amount', entry({ amount: '' }), 'amount'],
  ['no side', entry({ side: '' }), 'CdtDbtInd'],
  ['no status', entry({ status: '' }), 'Sts'],
  ['no date', entry({ date: '' }), 'BookgDt'],
  [
    'a date that does not exist',
    entry({ date: '<BookgDt><Dt>2026-02-30</Dt></BookgDt>' }),
    'BookgDt',
  ],
  [
    'payments that do not add up',
    entry({ more: `<NtryDtls>${payment('4.00', '')}${payment('5.00', '')}</NtryDtls>` }),
    'add up',
  ],
  [
    'a payment without an amount',
    entry({ more: `<NtryDtls>${payment('10.00', '')}<TxDtls/></NtryDtls>` }),
    'amount',
  ],
])('an entry with %s is a problem of its line', (_, content, problem) => {
  expect(read(message(content))).toEqual([{ line: 3, problem: expect.stringContaining(problem) }]);
});

test('an entry of zero moves nothing', () => {
  expect(read(message(entry({ amount: '<Amt Ccy="KES">0.00</Amt>' })))).toEqual([]);
});

test.each([
  ['camt.052', '<Document><BkToCstmrAcctRpt/></Document>', 'Document/BkToCstmrAcctRpt'],
  ['another version', message(entry(), '15'), 'versions 2 to 14'],
  ['another message', message(entry()).replace('camt.053', 'camt.054'), 'camt.054'],
  ['no statement', '<Document><BkToCstmrStmt/></Document>', 'no statement'],
  ['HTML', '<html><body/></html>', 'html/body'],
  ['CSV', 'Date,Amount', 'not valid'],
  ['an account in dollars', message(entry()).replace('>KES<', '>USD<'), 'USD'],
])('%s is refused', (_, content, problem) => {
  expect(read(content)).toEqual([
    { line: expect.any(Number), problem: expect.stringContaining(problem) },
  ]);
});

test('prefixes, or no namespace, change nothing', () => {
  const plain = message(entry());
  const prefixed = plain.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1n:').replace('xmlns=', 'xmlns:n=');
  expect(read(prefixed)).toEqual(read(plain));
  expect(read(plain.replace(/ xmlns="[^"]*"/, ''))).toEqual(read(plain));
});

describe('the sample of the guide', () => {
  const sample = readFileSync(
    path.resolve(import.meta.dirname, '../../../../../docs/guide/samples/bank-statement.xml'),
    'utf8',
  );
  const rules = { account: '0110000000001', checksBalances: true };
  const problems = (content: string) => read(content, rules).filter((line) => 'problem' in line);

  test('adds up', () => {
    expect(problems(sample)).toEqual([]);
  });

  test.each([
    ['of another account', '<Id>0110000000001</Id>', '<Id>0110000000002</Id>', '0110000000002'],
    ['with another balance', '>1513.00<', '>1514.00<', '1513.00'],
    ['without an opening balance', 'OPBD', 'XPCD', 'OPBD'],
  ])('%s is refused', (_, from, to, problem) => {
    expect(problems(sample.replace(from, to))).toMatchObject([
      { problem: expect.stringContaining(problem) },
    ]);
  });

  test('without one of its entries is refused', () => {
    const cut = sample.replace(/<Ntry>\s*<NtryRef>3[\s\S]*?<\/Ntry>/, '');
    expect(problems(cut)).toMatchObject([{ problem: expect.stringContaining('1493.00') }]);
  });
});
