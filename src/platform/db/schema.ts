import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RuntimeGrants } from './runtime-grants.ts';

/** A part of the program with tables of its own. Its folders `schema` and `functions` hold the SQL. */
export interface Wing {
  readonly name: string;
  readonly folder: string;
  readonly grants: RuntimeGrants;
}

export interface SqlFile {
  /** `wing/file` of a migration, `wing/functions/file` of a function. */
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** What this version of the program expects of the database. */
export interface Schema {
  /** Applied once each, in this order. */
  readonly migrations: readonly SqlFile[];
  /** Applied again whenever their text changes. */
  readonly functions: readonly SqlFile[];
  /** Of the functions as a set: a set of a lower number never replaces one of a higher number. */
  readonly functionsRelease: number;
  /** Of every table and view. What is not listed is not granted to the runtime role. */
  readonly grants: RuntimeGrants;
}

/**
 * Reads every file now, because the files of a newer version may replace them while this one runs.
 * @param wings in the order in which they are applied.
 */
export function readSchema(wings: readonly Wing[], functionsRelease: number): Schema {
  return {
    migrations: wings.flatMap(({ name, folder }) =>
      readFiles(path.join(folder, 'schema'), `${name}/`, /^\d{4}_[a-z0-9_]+\.sql$/),
    ),
    functions: wings.flatMap(({ name, folder }) =>
      readFiles(path.join(folder, 'functions'), `${name}/functions/`, /^[a-z0-9_]+\.sql$/),
    ),
    functionsRelease,
    grants: Object.assign({}, ...wings.map(({ grants }) => grants)) as RuntimeGrants,
  };
}

/** In the order of their names; none when the wing has no such folder. */
function readFiles(folder: string, prefix: string, pattern: RegExp): SqlFile[] {
  return listFolder(folder)
    .filter((file) => pattern.test(file))
    .toSorted()
    .map((file) => {
      const sql = readFileSync(path.join(folder, file), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name: `${prefix}${file}`, sql, checksum };
    });
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
