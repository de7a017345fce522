import { expect, test } from 'vitest';
import type { TestCase, TestModule } from 'vitest/node';
import { SuiteReport } from '../../../scripts/citus-report.ts';

type State = 'passed' | 'failed' | 'skipped';

/** A finished test file with the outcome of each test; a failed one has an error with a cause. */
function ended(name: string, states: readonly State[], outside: readonly Error[] = []): TestModule {
  const module = {
    relativeModuleId: name,
    state: () => (states.includes('failed') || outside.length > 0 ? 'failed' : 'passed'),
    errors: () => outside,
    diagnostic: () => ({ duration: 1_500 }),
    children: { allTests: () => tests, allSuites: () => [] },
  };
  const error = { message: 'no', stack: '\u001B[31mno\u001B[39m', cause: new Error('repartition') };
  const tests = states.map((state, index) => ({
    module,
    fullName: `test ${index}`,
    result: () => ({ state, errors: state === 'failed' ? [error] : [] }),
  })) as unknown as TestCase[];
  return module as unknown as TestModule;
}

function report(...modules: readonly TestModule[]): { report: SuiteReport; lines: string[] } {
  const lines: string[] = [];
  const made = new SuiteReport((line) => lines.push(line));
  made.onTestRunStart(modules);
  for (const module of modules) made.onTestModuleEnd(module);
  return { report: made, lines };
}

test('each file is reported when it ends, with every error and its causes, without colours', () => {
  const { lines } = report(
    ended('a.test.ts', ['passed']),
    ended('b.test.ts', ['failed', 'passed']),
  );
  expect(lines.slice(0, 2)).toEqual([
    '1/2 passed a.test.ts: 1 tests, 0 failed, 1.5 s',
    '2/2 failed b.test.ts: 2 tests, 1 failed, 1.5 s',
  ]);
  expect(lines[2]).toContain('× test 0\n    no\n    caused by\n    Error: repartition');
  expect(lines[2]).not.toContain('\u001B');
});

test('the summary counts files and tests, and names what failed and what was skipped', () => {
  const outside = new Error('the hook failed');
  const { report: made, lines } = report(
    ended('a.test.ts', ['passed', 'skipped']),
    ended('b.test.ts', ['failed']),
    ended('c.test.ts', [], [outside]),
  );
  made.onTestRunEnd([], [outside], 'failed');
  expect(made.passed).toBe(false);
  expect(lines.filter((line) => line.includes('the hook failed'))).toHaveLength(2);
  expect(made.summary()).toEqual({
    suites: 'failed',
    files: { passed: 1, failed: 2, of: 3 },
    tests: { passed: 1, failed: 1, skipped: 1 },
    errors_outside_tests: 1,
    failed: ['b.test.ts', 'c.test.ts'],
    skipped: ['a.test.ts > test 1'],
  });
});

test('a run has passed if it ended without failures and ran tests', () => {
  const { report: good } = report(ended('a.test.ts', ['passed']));
  expect(good.passed).toBe(false);
  good.onTestRunEnd([], [], 'passed');
  expect(good.passed).toBe(true);
  const { report: empty } = report();
  empty.onTestRunEnd([], [], 'passed');
  expect(empty.passed).toBe(false);
});
