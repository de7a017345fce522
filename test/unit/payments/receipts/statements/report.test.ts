import { expect, test } from 'vitest';
import type { StatementLine } from '../../../../../src/connectors/source-statements.ts';
import { findProblems, reportOf } from '../../../../../src/payments/receipts/statements/report.ts';

const SOURCE = { sourceCode: 'bank', collector: 'bank-in', bank: 'bank' };
const NOW_MS = Date.parse('2026-01-06T00:00:00Z');

/** The problems of credits with these references, on lines 2, 3 and so on. */
function problemsOf(references: readonly string[]) {
  const lines = references.map((reference, index): StatementLine => {
    const at = new Date('2026-01-05T00:00:00Z');
    return { line: index + 2, at, amountCents: 100n, kind: 'credit', reference, text: 'RENT' };
  });
  const rules = { issuer: null, patterns: { account: undefined, receipt: undefined } };
  return findProblems(
    lines.map((line) => ({ line, report: reportOf(SOURCE, rules, line) })),
    NOW_MS,
  );
}

const TOO_SHORT = 'the reference is not 6 to 40 letters and digits';

test('references that cannot be one are not compared with each other', () => {
  expect(problemsOf(['B2', 'B3', '-'])).toEqual([
    { line: 2, problem: TOO_SHORT },
    { line: 3, problem: TOO_SHORT },
    { line: 4, problem: TOO_SHORT },
  ]);
});

test('a second credit with the same reference is a problem', () => {
  expect(problemsOf(['FT-10001', 'FT10002', 'FT-10001'])).toEqual([
    { line: 4, problem: 'line 2 has the reference FT-10001 as well' },
  ]);
});
