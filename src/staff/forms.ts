import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { Refusal } from '../platform/base/errors.ts';
import type { Pool } from '../platform/db/pool.ts';
import type { Tasks } from '../platform/jobs/tasks.ts';

/** The forms of what is no JSON: one for each kind of thing, so that no definition is an exception. */

/** A file that comes with the input of an action. */
export interface SentFile {
  /** The argument of the command, which is a path there. */
  readonly name: string;
  readonly description: string;
  readonly maxBytes: number;
}

/** A file that has arrived, or that whoever runs a command named. */
export interface ArrivedFile {
  /** As the sender calls it, without folders. */
  readonly name: string;
  /** Where it can be read until the action ends. */
  readonly path: string;
}

/** Formats of a file with every row of a table. */
export const FILE_FORMATS = ['csv', 'xlsx'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/**
 * The file of an argument. Its name is stored and shown, as that of an import. Throws: `invalid_field`.
 * @param at where it can be read.
 */
export function arrivedFile({ name: field }: SentFile, named: string, at: string): ArrivedFile {
  const name = path.basename(named);
  if (/^\P{C}{1,200}$/u.test(name)) return { name, path: at };
  const says = `${field} must have a name of 1 to 200 printable characters`;
  throw new Refusal('invalid_field', { field, text: says });
}

/** A file that is made. */
export interface FileAnswer {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly body: Readable;
  /** The input without personal data, for the audit log. Default: the whole input. */
  readonly filter?: object;
  /** What a check found makes the command end with 1. */
  readonly hasFailed?: boolean;
}

/** Sends the current state, then every change. Returns a function that ends this. */
export interface LiveAnswer {
  subscribe(send: (data: unknown) => void): () => void;
}

/** Where the service works on jobs, so that nobody waits for them. */
export interface Background {
  readonly pool: Pool;
  readonly tasks: Tasks;
  readonly log: Logger;
}
