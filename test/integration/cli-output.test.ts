import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { durationSeconds, wholeNumber } from '../../src/cli/arguments.ts';
import { explain, UsageError } from '../../src/cli/failure.ts';
import { counted, createProgress, record, table } from '../../src/cli/output.ts';
import { inProcess } from './cli-support.ts';

describe('a table', () => {
  it('columns are as wide as their cells, numbers to the right, nothing after the last cell', () => {
    const text = table(
      [{ title: 'NAME' }, { title: 'AMOUNT', align: 'right' }, { title: 'NOTE' }],
      [
        ['a', '1.00', 'long note'],
        ['Wanjirũ', '1000.00', ''],
      ],
    );
    expect(text).toBe('NAME      AMOUNT  NOTE\na           1.00  long note\nWanjirũ  1000.00  -\n');
  });

  it('continues sentences below, within 80 columns, and breaks no word', () => {
    const word = 'x'.repeat(90);
    const text = table(
      [{ title: 'NAME' }, { title: 'SAYS', wrapped: true }],
      [
        ['a'.repeat(30), `${'some words '.repeat(10)}${word}`],
        ['b', 'short'],
      ],
    );
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    const [, first = '', , , long = '', last] = lines;
    expect(first).toBe(`${'a'.repeat(30)}  ${'some words '.repeat(4)}some`);
    expect(long).toBe(`${' '.repeat(32)}${word}`);
    expect(last).toBe(`b${' '.repeat(31)}short`);
  });

  it('says that it has no rows', () => {
    expect(table([{ title: 'NAME' }], [], 'no vendors')).toBe('(no vendors)\n');
  });

  it('does not let foreign text move the cursor or reverse the direction of writing', () => {
    const hostile = 'Paid\u001B[2J\u0007\r\nFAILED\u202Eover\u009B';
    for (const text of [table([{ title: 'M' }], [[hostile]]), record([['message', hostile]])]) {
      expect(text.trimEnd().split('\n').at(-1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(text).toContain('Paid\u{FFFD}[2J');
    }
  });
});

describe('a number of things', () => {
  it('one thing is counted in the singular, several in the plural', () => {
    expect([0, 1, 2].map((count) => counted(count, 'problem'))).toEqual([
      '0 problems',
      '1 problem',
      '2 problems',
    ]);
  });
});

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 20, write: (text: string) => written.push(text) };
}

describe('progress', () => {
  it('progress is one line on a terminal, erased at the end', () => {
    const stderr = stream(true);
    const progress = createProgress(stderr);
    progress.show('checking a very long name of an invariant');
    progress.show('b\nc');
    progress.clear();
    progress.clear();
    expect(stderr.written).toEqual([
      '\r\u001B[2Kchecking a very lon',
      '\r\u001B[2Kb\u{FFFD}c',
      '\r\u001B[2K',
    ]);
  });

  it('prints nothing if stderr is not a terminal', () => {
    const stderr = stream(false);
    const progress = createProgress(stderr);
    progress.show('a');
    progress.clear();
    expect(stderr.written).toEqual([]);
  });
});

describe('a failure', () => {
  const databaseError = Object.assign(new Error('permission denied for table vendors'), {
    severity: 'ERROR',
    code: '23514',
  });
  it.each([
    [new UsageError('Give one.'), 'error: Give one.', 2],
    [new CommanderError(1, 'commander.unknownOption', 'said before'), '', 2],
    [new CommanderError(0, 'commander.helpDisplayed', 'said before'), '', 0],
    [
      new Refusal('biller_offline', { field: 'biller_name' }),
      'error: --biller: The biller is offline (biller_offline)',
      1,
    ],
    [new PlainError('No.', { field: 'base_url' }), 'error: --base-url: No.', 1],
    [new PlainError('No.', { field: 'lines' }), 'error: --debit, --credit: No.', 1],
    [new ConfigError(['PORT: x']), 'error: The environment is not valid:\n  - PORT: x', 1],
    [
      databaseError,
      'error: The database reported an error: permission denied for table vendors (23514)',
      1,
    ],
  ])('%s is reported in plain words', (error, text, exitCode) => {
    expect(explain(error)).toEqual({ text, exitCode });
  });

  it.each([
    Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('the database system is shutting down'), {
      severity: 'FATAL',
      code: '57P03',
    }),
    new Error('Connection terminated unexpectedly'),
  ])('%s is reported as a connection failure', (error) => {
    expect(explain(error).text).toContain('The database cannot be reached');
  });

  it('the error about a missing file names the file', async () => {
    const ran = await inProcess(
      {},
      'credit',
      'apply-card',
      'no.json',
      'no.csv',
      '--out',
      'new.csv',
    );
    expect(ran).toMatchObject({ exitCode: 1, stderr: 'error: File no.json does not exist.\n' });
  });

  it('an error of the file system is printed without its stack', async () => {
    const ran = await inProcess({}, 'backup', 'list', import.meta.filename);
    const stderr = `error: ENOTDIR: not a directory, scandir '${import.meta.filename}'\n`;
    expect(ran).toMatchObject({ exitCode: 1, stderr });
  });

  it('an unexpected error keeps its stack', () => {
    const { text, exitCode } = explain(new TypeError('x is not a function'));
    expect(text).toMatch(/TypeError: x is not a function\n +at /);
    expect(exitCode).toBe(1);
    expect(explain('thrown text').text).toBe('error: thrown text');
  });
});

describe('arguments', () => {
  it.each([
    ['0', 0],
    ['90s', 90],
    ['30m', 1800],
    ['24h', 86_400],
    ['30d', 2_592_000],
  ])('reads the time %s', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  it.each(['', '5', '1w', '-1s', '1.5h', '721h', '31d'])('refuses the time "%s"', (text) => {
    expect(() => durationSeconds(text)).toThrow('such as 90s');
  });

  it.each(['', '0', '11', '1.0', '1e1', '0x1', ' 1'])('refuses the number "%s"', (text) => {
    expect(() => wholeNumber(1, 10)(text)).toThrow('from 1 to 10');
  });
});

describe('the reference page', () => {
  const page = readFileSync(
    path.resolve(import.meta.dirname, '../../docs/reference/cli.md'),
    'utf8',
  );

  it('has every command and every option', async () => {
    const missing: string[] = [];
    for (const name of await commandsOf([])) {
      // It has its own pages.
      if (name === 'credit') continue;
      const verbs = await commandsOf([name]);
      for (const words of verbs.length === 0 ? [[name]] : verbs.map((verb) => [name, verb])) {
        if (!page.includes(`\`${words.join(' ')}`)) missing.push(words.join(' '));
        for (const option of await optionsOf(words)) {
          if (!page.includes(option)) missing.push(`${words.join(' ')} ${option}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });
});

describe('the help', () => {
  it('the help of every command fits 80 columns and shows defaults as people write them', async () => {
    const wrong: string[] = [];
    const check = async (words: readonly string[]): Promise<void> => {
      const { stdout, stderr } = await inProcess({}, ...words, '--help');
      const bad = stdout
        .split('\n')
        .filter((line) => line.length > 80 || /default: (\W*$|[{["'])/.test(line));
      wrong.push(
        ...[...bad, stderr]
          .filter((text) => text !== '')
          .map((text) => `${words.join(' ')}: ${text}`),
      );
      const verbs = words.length === 3 ? [] : await commandsOf(words);
      for (const verb of verbs) await check([...words, verb]);
    };
    await check([]);
    expect(wrong).toEqual([]);
  });
});

async function helpOf(words: readonly string[]): Promise<string> {
  return (await inProcess({}, ...words, '--help')).stdout;
}

/** The commands that a help text lists; empty for a command that has only options. */
async function commandsOf(words: readonly string[]): Promise<string[]> {
  const [, list = ''] = (await helpOf(words)).split('\nCommands:\n');
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name]) => name ?? '')
    .filter((name) => name !== 'help');
}

async function optionsOf(words: readonly string[]): Promise<string[]> {
  const [, list = ''] = (await helpOf(words)).split('\nOptions:\n');
  return [...list.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name ?? '');
}
