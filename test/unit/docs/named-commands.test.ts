import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import type { Cli } from '../../../src/cli/cli.ts';
import { everyCommand } from '../../../src/cli/program.ts';
import { httpRoutesOf } from '../../../src/staff/http.ts';
import { allNouns } from '../../../src/staff/registry.ts';

// What documents, pages and texts name exists. Decisions and the changelog also name what was.

const ROOT = path.resolve(import.meta.dirname, '../../..');
const files = execFileSync(
  'git',
  ['ls-files', '*.md', 'sandbox/banner.ts', 'console/src/**/*.tsx'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '' && !/^CHANGELOG\.md|^docs\/decisions\/|node_modules/.test(file));

const nowhere = { write: () => undefined };
const cli: Cli = {
  surroundings: { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere },
  progress: { show: () => undefined, clear: () => undefined },
  run: async () => {},
  runAlone: async () => {},
};

/** They begin as commands do: messages of the log, names of metrics, words of tables. */
const NO_COMMANDS =
  /^(payment (settled|unanswered|accepted|refused|unconfirmed|file|send)|operator call|statement timeout|price (cost|commission)|cluster owner)\b/;
/** They are added to the program only when they are called. */
const ALONE = new Set(['login', 'logout', 'completion']);

let program: Command;
let paths: ReadonlySet<string>;

beforeAll(async () => {
  program = await everyCommand(cli);
  const definitions = (await allNouns()).flatMap((noun) => noun.definitions);
  const own = ['/session', '/openapi.json', '/postman.json'];
  const routes = httpRoutesOf(definitions).map((route) => route.path);
  paths = new Set([...routes, ...own].map(shapeOf));
});

/** With names that are alike, whatever they are. */
const shapeOf = (at: string): string => at.replaceAll(/:\w+|\{\w+\}|\b[A-Z][A-Z_]+\b/g, '*');

/** The lines of its code, and everything between backticks. */
function spansOf(text: string): string[] {
  const whole = text.replaceAll(/\\\n\s*/g, ' ');
  const blocks = [...whole.matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const rest = whole.replaceAll(/```\w*\n[\s\S]*?```/g, '');
  return [...blocks, ...[...rest.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)];
}

/** The words of a command after the name of the program, or from the name of a group on; undefined: it is none. */
function wordsOf(span: string): readonly string[] | undefined {
  const [, named] =
    /(?:npm run -s malipo -- |^(?:\$ )?malipo )([a-z][^|;&>#)"\\]*)/.exec(span) ?? [];
  const [first = '', second = ''] = span.split(' ');
  const isBare =
    second !== '' &&
    program.commands.some((group) => group.name() === first) &&
    !NO_COMMANDS.test(span);
  const line = named ?? (isBare ? span.split(/[|;&>#\\]/)[0] : undefined);
  const words = line?.trim().split(/\s+/);
  return words !== undefined && ALONE.has(words[0] ?? '') ? undefined : words;
}

/** What is wrong with a command; undefined: it exists. */
function problemOf(words: readonly string[]): string | undefined {
  let at = program;
  for (const word of words) {
    const found = at.commands.find((each) => each.name() === word);
    if (found === undefined) {
      const isVerb = /^[a-z][a-z-]+$/.test(word) && at.commands.length > 0;
      if (isVerb && !takesArguments(at)) return `${words.join(' ')}: no command ${word}`;
      break;
    }
    at = found;
  }
  const known = new Set(['--help', '--version']);
  for (const { options } of [at, ...at.commands]) {
    for (const { long } of options) known.add(long ?? '');
  }
  const named = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? []);
  const missing = named.find((long) => !known.has(long));
  return missing === undefined ? undefined : `${words.join(' ')}: no option ${missing}`;
}

/** Those of the usual command of a group. */
function takesArguments(group: Command): boolean {
  const { _defaultCommandName: usual } = group as { _defaultCommandName?: string | null };
  return group.commands.some(
    (each) => each.name() === usual && each.registeredArguments.length > 0,
  );
}

const texts = files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')] as const);

test('every command and option that a document names exists', () => {
  const named = texts.flatMap(([, text]) => spansOf(text)).filter((span) => wordsOf(span));
  expect(named.length).toBeGreaterThan(300);
  const wrong = texts.flatMap(([file, text]) =>
    spansOf(text).flatMap((span) => {
      const problem = problemOf(wordsOf(span) ?? []);
      return problem === undefined ? [] : [`${file}: ${problem}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('every path of the staff API that a document names exists', () => {
  const wrong = texts.flatMap(([file, text]) =>
    Array.from(text.matchAll(/\/admin\/v1(\/[\w/{}:.-]*[\w}])/g), ([, at = '']) => at)
      .filter((at) => ![...paths].some((each) => isAt(at, each)))
      .map((at) => `${file}: ${at}`),
  );
  expect(wrong).toEqual([]);
});

/** A name in the path of a route may be anything. */
function isAt(given: string, route: string): boolean {
  const [parts, own] = [given.split('/'), route.split('/')];
  return parts.length === own.length && own.every((part, at) => part === '*' || part === parts[at]);
}

test.each([
  ['ledger chek', 'no command chek'],
  ['ledger check --heads x', 'no option --heads'],
  ['npm run -s malipo -- credit imports --tidy', 'no option --tidy'],
])('a command that does not exist is found: %s', (span, problem) => {
  expect(problemOf(wordsOf(span) ?? [])).toContain(problem);
});
