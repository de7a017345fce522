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
  /** Oldest release whose programs work after this migration. Default: the one before its own. */
  readonly oldestRelease?: number;
}

/** A line of a migration that older programs, or only newer ones, can work with. */
const OLDEST_RELEASE = /^-- oldest release: (\d+)$/m;

/** The schema that this version of the program expects. */
export interface Schema {
  /** Applied once each, in this order. */
  readonly migrations: readonly SqlFile[];
  /** Applied again whenever their text changes. */
  readonly functions: readonly SqlFile[];
  /**
   * The number of the release. A set of functions with a lower number never replaces one with a
   * higher number, and a program works with a database of the release after its own.
   */
  readonly release: number;
  /** Privileges by table and view. The runtime role has none on a table that is missing here. */
  readonly grants: RuntimeGrants;
}

/**
 * Reads every file now, because a newer version may replace the files while this one runs.
 * @param wings in the order in which they are applied.
 */
export function readSchema(wings: readonly Wing[], release: number): Schema {
  return {
    migrations: wings.flatMap(({ name, folder }) =>
      readFiles(path.join(folder, 'schema'), `${name}/`, /^\d{4}_[a-z0-9_]+\.sql$/),
    ),
    functions: wings.flatMap(({ name, folder }) =>
      readFiles(path.join(folder, 'functions'), `${name}/functions/`, /^[a-z0-9_]+\.sql$/),
    ),
    release,
    grants: Object.assign({}, ...wings.map(({ grants }) => grants)) as RuntimeGrants,
  };
}

/** Ordered by name; empty if the wing has no such folder. */
function readFiles(folder: string, prefix: string, pattern: RegExp): SqlFile[] {
  return listFolder(folder)
    .filter((file) => pattern.test(file))
    .toSorted()
    .map((file) => {
      const sql = readFileSync(path.join(folder, file), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      const oldest = OLDEST_RELEASE.exec(sql)?.[1];
      const read = { name: `${prefix}${file}`, sql, checksum };
      return oldest === undefined ? read : { ...read, oldestRelease: Number(oldest) };
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
