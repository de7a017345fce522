import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCE = path.join(ROOT, 'src');

/** Rows from the bottom up: a file may import from lower rows and from its own folder only. */
const ROWS: readonly (readonly string[])[] = [
  ['base'],
  ['db', 'log', 'outbound'],
  ['ledger', 'vendors', 'billers', 'quarantine'],
  ['collections', 'transactions', 'credit'],
  ['dispatch', 'bulk', 'events'],
  ['reconciliation'],
  ['connectors', 'http', 'timeline'],
  ['environment'],
  ['config'],
  ['compose'],
  ['serve'],
  ['cli'],
  ['main'],
];

interface Import {
  /** Relative to the root, such as `src/platform/db/pool.ts`. */
  readonly file: string;
  readonly imported: string;
}

function sourceFiles(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join('src', name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => ({
    file,
    imported: path.relative(ROOT, path.resolve(ROOT, path.dirname(file), match[1] ?? '')),
  }));
}

/** The place of a file in the rows: its folder below `src`, or its name at the top. */
function placeOf(file: string): string {
  const [, first = ''] = file.split(path.sep);
  return first.replace(/\.ts$/, '');
}

function rowOf(place: string): number {
  return ROWS.findIndex((row) => row.includes(place));
}

const files = sourceFiles();
const imports = files.flatMap(importsOf).filter(({ imported }) => imported.startsWith('src'));

describe('the structure of src', () => {
  test('every folder has a row', () => {
    const places = new Set(files.map(placeOf));
    expect([...places].filter((place) => rowOf(place) === -1)).toEqual([]);
  });

  test('imports point down', () => {
    const upward = imports.filter(({ file, imported }) => {
      const [from, to] = [placeOf(file), placeOf(imported)];
      return from !== to && rowOf(to) >= rowOf(from);
    });
    // config is a table of values; who needs one takes it as a value and may know its type.
    expect(upward.map(({ file, imported }) => `${file} → ${imported}`)).toEqual([]);
  });

  test('only the sandbox is outside, and only main starts it', () => {
    const outside = files
      .flatMap(importsOf)
      .filter(({ imported }) => !imported.startsWith('src'))
      .map(({ file }) => file);
    expect(outside).toEqual(['src/main.ts']);
  });

  test('SQL is in stores, in db, and in the ledger’s check and chain', () => {
    const allowed =
      /(^|\/)(store|.*-store)\.ts$|^src\/db\/|^src\/ledger\/(check|chain|chain-check|authenticity)\.ts$|^src\/http\/(metrics|health)\.ts$|^src\/serve\.ts$/;
    const withSql = files.filter((file) =>
      /\.query(<[^(]*>)?\(/.test(readFileSync(path.join(ROOT, file), 'utf8')),
    );
    expect(withSql.filter((file) => !allowed.test(file))).toEqual([]);
  });

  test('the environment is read in config only', () => {
    const readers = files.filter((file) =>
      readFileSync(path.join(ROOT, file), 'utf8').includes('process.env'),
    );
    expect(readers).toEqual(['src/config.ts']);
  });

  test('every folder says what belongs in it', () => {
    const folders = new Set(files.map((file) => path.dirname(file)));
    const silent = [...folders].filter((folder) => {
      try {
        return readFileSync(path.join(ROOT, folder, 'README.md'), 'utf8').trim() === '';
      } catch {
        return true;
      }
    });
    expect(silent).toEqual([]);
  });
});
