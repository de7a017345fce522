import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { parseAst } from 'vitest/node';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A test that a page of the documentation names as `file` “title”. */
export interface NamedTest {
  /** From the root of the project. */
  readonly file: string;
  /**
   * The title of the test, or `suite › title`, with placeholders such as %s as they are written.
   */
  readonly title: string;
}

/** Every test named in a text; several titles may follow one file: `file` “one”, “another”. */
export function listNamedTests(text: string): NamedTest[] {
  return [...text.matchAll(/`(test\/[^`]+\.test\.ts)` (“[^”]+”(?:, “[^”]+”)*)/g)].flatMap(
    ([, file = '', titles = '']) =>
      [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  );
}

const titlesByFile = new Map<string, ReadonlySet<string>>();

/** The named tests that do not exist: no such file, or no test in it with exactly this title. */
export function findMissing(named: readonly NamedTest[]): NamedTest[] {
  return named.filter(({ file, title }) => {
    const titles = titlesByFile.get(file) ?? titlesIn(path.join(ROOT, file));
    titlesByFile.set(file, titles);
    return !titles.has(title);
  });
}

function titlesIn(file: string): ReadonlySet<string> {
  if (!existsSync(file)) return new Set();
  return testTitles(readFileSync(file, 'utf8'));
}

/**
 * Titles of the tests in a file, each alone and with the titles of its suites in front: the first
 * argument of `test`, `it`, or functions that they return, such as `test.each(cases)`. Skipped tests,
 * titles of suites and other texts are left out.
 */
export function testTitles(source: string): ReadonlySet<string> {
  const titles = new Set<string>();
  const visit = (node: unknown, suites: string): void => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child, suites);
    } else if (isNode(node)) {
      const title = titleOf(node);
      const called = title === undefined ? undefined : rootOf(node['callee']);
      if (title !== undefined && (called === 'test' || called === 'it'))
        titles.add(title).add(suites + title);
      const within = called === 'describe' ? `${suites}${title} › ` : suites;
      for (const child of Object.values(node)) visit(child, within);
    }
  };
  visit(parseAst(stripTypeScriptTypes(source)), '');
  return titles;
}

/** The first argument of a call, if it is a text. */
function titleOf(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const [first] = node['arguments'] as readonly Node[];
  const value = first?.type === 'Literal' ? first['value'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** `test` for `test`, `test.concurrent`, `test.each(…)` and so on; undefined for skipped tests. */
function rootOf(callee: unknown): unknown {
  if (!isNode(callee)) return undefined;
  if (callee.type === 'Identifier') return callee['name'];
  if (callee.type === 'CallExpression') return rootOf(callee['callee']);
  if (callee.type !== 'MemberExpression') return undefined;
  const { name } = callee['property'] as Node;
  return name === 'skip' || name === 'todo' ? undefined : rootOf(callee['object']);
}
