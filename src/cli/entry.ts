import type { Command } from 'commander';
import { mayActAlone } from '../proposals/actors.ts';
import { orNotReady } from '../platform/db/version.ts';
import type { Session } from './session.ts';
import { noted } from './parties/noted.ts';

/** Groups and commands that only read. Everything else leaves an entry in the audit log. */
const READS = new Set(['demo-data list']);
/**
 * `demo-data` makes entries of its own. The others may run before the log exists, while it
 * moves to other machines, or read only.
 */
const OTHERS = new Set(['demo-data', 'migrate', 'cluster', 'backup', 'restore']);

/** Entry in the audit log of a command that changes something; undefined: it only reads. */
export interface CommandEntry {
  readonly action: string;
  readonly reason: string | null;
}

/** Pure. Never what was given as an option, apart from `--by` and `--reason`: that may be a secret. */
export function entryOf(command: Command): CommandEntry | undefined {
  const path = pathOf(command);
  const [group = ''] = path;
  const action = path.join(' ');
  if (OTHERS.has(group) || READS.has(group) || READS.has(action)) return undefined;
  const { by, reason } = command.opts<{ readonly by?: unknown; readonly reason?: unknown }>();
  const told = [by, reason].filter((text) => typeof text === 'string');
  return { action, reason: told.length === 0 ? null : told.join(': ') };
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** Without a second person, and why that is possible. */
const ALONE = 'at once, because fewer than two members of staff sign in';
const COMMAND = 'at once, by somebody who may run commands on the machine of the service';

/** Carries out a command between its two entries in the audit log. */
export async function withEntry<Result>(
  { pool }: Pick<Session, 'pool'>,
  entry: CommandEntry | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (entry === undefined) return await work();
  const { action } = entry;
  const why = (await orNotReady(mayActAlone(pool), true)) ? ALONE : COMMAND;
  const reason = [entry.reason, why].filter((text) => text !== null).join('; ');
  return await noted(pool, { action, target: null, reason }, work);
}
