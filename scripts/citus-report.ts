import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule, TestRunEndReason } from 'vitest/node';

interface ReportedError {
  readonly message: string;
  readonly stack?: string;
  readonly diff?: string;
  readonly cause?: unknown;
}

/** Reports the result of each test file when it ends, and a summary. */
export class SuiteReport implements Reporter {
  readonly #write: (line: string) => void;
  readonly #ended: TestModule[] = [];
  #of = 0;
  #outside = 0;
  #reason: TestRunEndReason | undefined;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#of = specifications.length;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended.push(module);
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === 'failed');
    const seconds = (module.diagnostic().duration / 1000).toFixed(1);
    this.#write(
      `${this.#ended.length}/${this.#of} ${module.state()} ${module.relativeModuleId}: ${tests.length} tests, ${failed.length} failed, ${seconds} s`,
    );
    this.#writeErrors(module.relativeModuleId, errorsAround(module));
    for (const test of failed) this.#writeErrors(test.fullName, test.result().errors ?? []);
  }

  onTestRunEnd(
    _: readonly TestModule[],
    unhandled: readonly ReportedError[],
    reason: TestRunEndReason,
  ): void {
    this.#outside = unhandled.length;
    this.#reason = reason;
    this.#writeErrors('outside of any test', unhandled);
  }

  get passed(): boolean {
    return this.#reason === 'passed' && this.#ended.length > 0;
  }

  summary(): Readonly<Record<string, unknown>> {
    const tests = this.#ended.flatMap((module) => [...module.children.allTests()]);
    const failed = this.#ended.filter((module) => module.state() === 'failed');
    const skipped = of(tests, 'skipped');
    return {
      suites: this.passed ? 'passed' : 'failed',
      files: { passed: this.#ended.length - failed.length, failed: failed.length, of: this.#of },
      tests: {
        passed: of(tests, 'passed').length,
        failed: of(tests, 'failed').length,
        skipped: skipped.length,
      },
      errors_outside_tests: this.#outside,
      failed: failed.map((module) => module.relativeModuleId),
      skipped: skipped.map((test) => `${test.module.relativeModuleId} > ${test.fullName}`),
    };
  }

  #writeErrors(where: string, errors: readonly ReportedError[]): void {
    for (const error of errors) {
      const text = stripVTControlCharacters(linesOf(error).join('\n'));
      this.#write(`  × ${where}\n${text.replaceAll(/^/gm, '    ')}`);
    }
  }
}

function linesOf({ message, stack, diff, cause }: ReportedError): string[] {
  return [
    stack ?? message,
    ...(diff === undefined ? [] : [diff]),
    ...(cause === undefined ? [] : ['caused by', ...linesOf(cause as ReportedError)]),
  ];
}

function of(tests: readonly TestCase[], state: 'passed' | 'failed' | 'skipped'): TestCase[] {
  return tests.filter((test) => test.result().state === state);
}

/** Errors of hooks and imports, in the file and its groups. */
function errorsAround(module: TestModule): ReportedError[] {
  return [module, ...module.children.allSuites()].flatMap((part) => part.errors());
}
