import { shippedScorecards } from '../../../../src/credit/scorecards/score.ts';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CreditAccount } from '../../../../src/credit/facts.ts';
import { LANGUAGES, plainTextOf } from '../../../../src/platform/documents/document.ts';
import type { ReportDocument } from '../../../../src/platform/documents/document.ts';
import { htmlOf } from '../../../../src/platform/documents/html.ts';
import {
  adverseActionNotice,
  consentReceipt,
  preListingNotice,
} from '../../../../src/credit/reports/letters.ts';
import { pdfOf } from '../../../../src/platform/documents/pdf.ts';
import {
  amount,
  reasonTexts,
  subjectDocument,
} from '../../../../src/credit/reports/subject-document.ts';
import type { SubjectReport } from '../../../../src/credit/reports/subject-report.ts';
import {
  DECISIONS,
  PARTS,
  REPORT_WORDS,
  SWAHILI_REASONS,
} from '../../../../src/credit/reports/words.ts';
import {
  CHARACTERISTICS,
  CHARACTERISTIC_NAMES,
} from '../../../../src/credit/scorecards/characteristics.ts';
import { createWireTime } from '../../../../src/platform/base/clock.ts';

const AT = new Date('2026-11-21T09:00:00Z');
const AS_OF = new Date('2026-11-21T00:00:00Z');
const wireTime = createWireTime('Africa/Nairobi');

function account(changes: Partial<CreditAccount> = {}): CreditAccount {
  return {
    key: 'BANK_1 7',
    lender: 'BANK_1',
    sector: 'bank',
    product: 'I',
    openedOn: new Date('2025-03-31T00:00:00Z'),
    originalCents: 250_000_000n,
    instalmentCents: null,
    repaymentMonths: null,
    lastPaymentOn: null,
    lastPaymentCents: null,
    current: {
      asOf: new Date('2026-10-31T00:00:00Z'),
      balanceCents: 123_456_789n,
      overdueCents: 0n,
      daysInArrears: 0,
      instalmentsInArrears: 0,
      riskClass: 'A',
      status: 'F',
      statusOn: new Date('2026-10-31T00:00:00Z'),
    },
    history: [],
    disputed: false,
    ...changes,
  };
}

const overdue = account({
  key: 'BANK_1 8',
  current: {
    ...account().current,
    overdueCents: 5_000_000n,
    daysInArrears: 200,
    instalmentsInArrears: 4,
    riskClass: 'D',
  },
});

function report(
  accounts: readonly CreditAccount[],
  changes: Partial<SubjectReport> = {},
): SubjectReport {
  const file = { asOf: AS_OF, accounts, enquiries: [] };
  return {
    crn: 1_000_001n,
    madeAt: AT,
    profile: {
      name: { surname: 'Ng’ang’a <b>', forenames: ['Zoë & Łucja'] },
      salutation: '',
      alsoKnownAs: [],
      dateOfBirth: '1984-03-12',
      gender: 'F',
      nationality: 'KE',
      documents: [{ type: 'nationalID', number: '900000001' }],
      phones: [],
      addresses: [],
      asOf: '2026-10-31',
    },
    file,
    shown: file,
    scorecards: shippedScorecards(),
    disputes: [],
    enquiries: [],
    lifeRecords: [],
    corrections: [],
    watches: [],
    ...changes,
  };
}

function textOf(made: SubjectReport, language: 'en' | 'sw' = 'en'): string {
  return plainTextOf(subjectDocument(made, language, wireTime));
}

function chartsOf({ blocks }: ReportDocument): number {
  return blocks.filter(({ kind }) => kind === 'chart').length;
}

describe('a report for the person it is about', () => {
  test('explains both scores in a chart and in words', () => {
    const document = subjectDocument(report([account()]), 'en', wireTime);
    expect(chartsOf(document)).toBe(4);
    const text = plainTextOf(document);
    expect(text).toMatch(/Your score is \d+, grade [A-J]{2}/);
    expect(text).toContain('sole reason');
    expect(text).toContain('2,500,000.00 | 1,234,567.89');
  });

  test('begins with a default, if any', () => {
    const [, reasons = ''] = textOf(report([account(), overdue])).split(
      'What lowers this score most:\n\n',
    );
    expect(reasons).toMatch(/^- One or more accounts are in default/);
    expect(textOf(report([account(), overdue]), 'sw')).toContain(
      '- Akaunti moja au zaidi haijalipwa na imechelewa sana',
    );
  });

  test('says of a thin file that it has no score, and that this is not negative', () => {
    const document = subjectDocument(report([]), 'en', wireTime);
    expect(chartsOf(document)).toBe(0);
    expect(plainTextOf(document)).toContain('That is not a bad mark');
  });

  test('has no score of a deceased person', () => {
    const base = report([account()]);
    const shown = { ...base.file, life: { status: 'deceased', recordedOn: AT } } as const;
    const document = subjectDocument({ ...base, shown }, 'en', wireTime);
    expect(chartsOf(document)).toBe(0);
    expect(plainTextOf(document)).toContain('recorded as deceased');
  });

  test('says which late payments lenders are not shown, and that disputed accounts do not count', () => {
    const base = report([account(), account({ key: 'BANK_1 9', disputed: true })]);
    const shown = {
      ...base.file,
      accounts: base.file.accounts.map((one, index) =>
        index === 0 ? { ...one, troubleSuppressed: true as const } : one,
      ),
    };
    const text = textOf({ ...base, shown });
    expect(text).toContain('BANK_1 * | Mobile loan');
    expect(text).toContain('neither shown to lenders nor held against you');
    expect(text).toContain('Accounts under dispute are left out of this score');
  });

  test('names the lenders of a debt that was sold', () => {
    const boughtFrom = ['FIRST_BANK 7', 'SECOND_BANK 9'];
    const text = textOf(report([account({ boughtFrom })]));
    expect(text).toContain('was with FIRST_BANK, SECOND_BANK before');
  });

  test('names who asked, why, and the disputes with their statements', () => {
    const text = textOf(
      report([account()], {
        enquiries: [
          {
            crn: 1n,
            enquiredAt: AT,
            enquiryId: 'x',
            vendorId: 7,
            askedBy: 'Shop & Co',
            sector: 'retail',
            operation: 'generic-score',
            reportReason: 12,
            nameDiffers: true,
          },
        ],
        watches: [{ vendorId: 7, startedAt: AT }],
        disputes: [
          {
            disputeId: 'd',
            accountId: 7n,
            openedAt: AT,
            statement: 'I paid',
            outcome: null,
          },
        ],
      }),
      'sw',
    );
    expect(text).toContain('Shop & Co anafuatilia taarifa zako tangu 2026-11-21 12:00:00');
    expect(text).toContain(
      '2026-11-21 12:00:00 | Shop & Co (kwa jina lingine) | Rejareja | Mkopo wa benki kwa simu',
    );
    expect(text).toContain('| 7 | I paid | Bado');
  });

  test('has every text in Swahili', () => {
    for (const name of CHARACTERISTIC_NAMES) {
      expect(PARTS[name].sw).not.toBe(PARTS[name].en);
      const { reason } = CHARACTERISTICS[name];
      expect(reasonTexts({ reasons: [reason, '', '', ''] }, 'sw')).toEqual([SWAHILI_REASONS[name]]);
    }
    expect(Object.keys(REPORT_WORDS.sw)).toEqual(Object.keys(REPORT_WORDS.en));
    for (const language of LANGUAGES) {
      expect(textOf(report([account(), overdue]), language)).not.toMatch(/[{}]|undefined/);
    }
  });
});

describe('a page', () => {
  test('shows every text as text, whatever a lender submitted', () => {
    const html = htmlOf(
      subjectDocument(report([account({ lender: '"><script>' })]), 'en', wireTime),
    );
    expect(html).toContain('Zoë &amp; Łucja Ng’ang’a &lt;b&gt;');
    expect(html).not.toMatch(/<(script|b)\b/);
    expect(html).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
    expect(html).not.toMatch(/ style=| on\w+=/);
  });
});

describe('a PDF file', () => {
  test('has its fonts embedded, and the letters of a name', async () => {
    const pdf = await pdfOf(subjectDocument(report([account()]), 'sw', wireTime));
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    const text = pdf.toString('latin1');
    expect(text).toContain('/FontFile2');
    expect(text).not.toContain('/BaseFont /Helvetica');
    expect(text).toContain('/Lang (sw)');
    // ToUnicode maps of the fonts: the text that a reader copies or hears.
    const maps = streamsOf(pdf)
      .filter((stream) => stream.includes('beginbfrange'))
      .join('');
    for (const letter of 'ëŁ’') {
      expect(maps.toLowerCase()).toContain(letter.codePointAt(0)?.toString(16).padStart(4, '0'));
    }
  });

  test('never breaks a figure over two lines', async () => {
    const heights = [];
    for (const originalCents of [100n, 987_654_321_098_765n]) {
      const pdf = await pdfOf(
        subjectDocument(report([account({ originalCents })]), 'en', wireTime),
      );
      // Lines of the table, in the graphics of the pages.
      const lines =
        streamsOf(pdf)
          .join('\n')
          .match(/\d[\d.]* [\d.]+ l\n/g) ?? [];
      heights.push(lines);
    }
    expect(heights[0]).not.toEqual([]);
    expect(heights[1]).toEqual(heights[0]);
  });

  test('has as many pages as the file needs, and numbers them', async () => {
    const many = Array.from({ length: 120 }, (_, index) => account({ key: `BANK_1 ${index}` }));
    const pdf = await pdfOf(subjectDocument(report(many), 'en', wireTime));
    const pages = pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g) ?? [];
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.length).toBeLessThan(12);
  });
});

function streamsOf(pdf: Buffer): string[] {
  const text = pdf.toString('latin1');
  return [...text.matchAll(/stream\n([^]*?)\nendstream/g)].flatMap(([, bytes = '']) => {
    try {
      return [inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1')];
    } catch {
      return [];
    }
  });
}

describe.each(LANGUAGES)('letters in %s', (language) => {
  const letter = { language, madeAt: AT, today: '2026-11-21' };

  test.each(DECISIONS)(
    'an adverse action notice has every fact that the law requires: %s',
    (decision) => {
      const text = plainTextOf(
        adverseActionNotice({
          ...letter,
          lender: 'Lender Ltd',
          customer: 'Amani Otieno',
          decision,
          enquiry: { reference: 'ENQ1', day: '2026-11-20' },
          score: '351',
          grade: 'JJ',
          probability: '88.73',
          card: {
            ...{ card: 'ours@1', isExample: true, horizonMonths: 12, defaultDays: 90 },
            population: 'Loans of nobody',
          },
          reasons: ['A reason'],
          contact: 'Bureau, Nairobi',
        }),
      );
      expect(text).toMatch(/Amani Otieno[^]*2026-11-20[^]*ENQ1[^]*351[^]*JJ[^]*- A reason/);
      expect(text).toMatch(
        /1000[^]*887[^]*90[^]*12[^]*(EXAMPLE|MFANO)[^]*ours@1[^]*Loans of nobody/,
      );
      expect(text).toMatch(/Bureau, Nairobi[^]*Lender Ltd[^]*Legal Notice 55 of 2020/);
      expect(text).not.toMatch(/[{}]|undefined/);
    },
  );

  test('a pre-listing notice has the amount, the arrears and the day of listing', () => {
    const text = plainTextOf(
      preListingNotice({
        ...letter,
        lender: 'Lender Ltd',
        customer: 'Amani Otieno',
        accountNumber: 'A-7',
        overdueCents: 5_000_000n,
        daysInArrears: 95,
        submitFrom: '2026-12-21',
      }),
    );
    expect(text).toMatch(/A-7[^]*50,000\.00[^]*95[^]*2026-12-21[^]*26\(1\)/);
    expect(text).not.toMatch(/[{}]|undefined/);
  });

  test('a consent receipt shows the consent and its use', () => {
    const text = plainTextOf(
      consentReceipt({
        ...letter,
        lender: 'Lender Ltd',
        consentReference: 'C-9',
        consentDate: '2026-11-19',
        enquiry: {
          id: 'e-1',
          reference: 'ENQ1',
          time: '2026-11-20 10:00:00',
          operation: 'generic-score',
          reportReason: 2,
        },
      }),
    );
    expect(text).toMatch(/Lender Ltd[^]*C-9[^]*2026-11-19[^]*2026-11-20 10:00:00[^]*e-1[^]*ENQ1/);
    expect(text).not.toMatch(/[{}]|undefined/);
  });
});

test('amounts are easy to read', () => {
  expect([0n, 99n, 100_000n, 123_456_789n].map(amount)).toEqual([
    '0.00',
    '0.99',
    '1,000.00',
    '1,234,567.89',
  ]);
});
