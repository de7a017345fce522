import type { Command } from 'commander';
import { mayActAlone } from '../proposals/actors.ts';
import { orNotReady } from '../platform/db/version.ts';
import type { Session } from './session.ts';
import { noted } from './parties/noted.ts';

/** Groups and commands that only read. Everything else leaves an entry in the audit log. */
const READS = new Set([
  ...['ledger', 'receipts push-status', 'receipts source list'],
  'receipts account list',
  ...['quarantine status', 'archive verify', 'demo-data list'],
]);
/** The second part of these commands, or a part of that, is what only reads. */
const CREDIT_READS = new Set(['list', 'show', 'verify', 'usage', 'report', 'findings', 'imports']);
/**
 * `demo-data` makes entries of its own. The others may run before the log exists, while it
 * moves to other machines, or read only.
 */
const OTHERS = new Set(['demo-data', 'migrate', 'cluster', 'backup', 'restore']);
/** Steps of what two people decide. */
const STEPS = new Set(['propose', 'approve', 'reject', 'withdraw', 'preview']);
/** Settings, and income by hand, that another person approves. */
const SETTINGS = new Set([
  ...['receipts source set', 'receipts source set-key'],
  ...['receipts account add', 'receipts account remove'],
]);

/** Entry in the audit log of a command that changes something; undefined: it only reads. */
export interface CommandEntry {
  readonly action: string;
  readonly target: string | null;
  readonly reason: string | null;
  /** Part of a decision of two people. */
  readonly isStep: boolean;
  /** Only proposed where there is a second person. */
  readonly isSetting: boolean;
}

/** Pure. Never what was given as an option, apart from `--by` and `--reason`: that may be a secret. */
export function entryOf(command: Command): CommandEntry | undefined {
  const path = pathOf(command);
  const [group = '', second = ''] = path;
  const action = path.join(' ');
  if (OTHERS.has(group) || READS.has(group) || READS.has(action)) return undefined;
  const last = path.at(-1) ?? '';
  if (group === 'credit' && [second, last].some((word) => CREDIT_READS.has(word))) return undefined;
  const { by, reason } = command.opts<{ readonly by?: unknown; readonly reason?: unknown }>();
  const told = [by, reason].filter((text) => typeof text === 'string');
  // Their first argument is a code, and never personal data.
  const isNamed = action.startsWith('receipts source');
  return {
    action,
    target: (isNamed ? command.args[0] : undefined) ?? null,
    reason: told.length === 0 ? null : told.join(': '),
    isStep: STEPS.has(last),
    isSetting: SETTINGS.has(action),
  };
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** Without a second person, and why that is possible. */
const ALONE = 'at once, because fewer than two members of staff sign in';
const COMMAND = 'at once, by somebody who may run commands on the machine of the service';
const PROPOSED = 'proposed: another person decides';

/** Carries out a command between its two entries in the audit log. */
export async function withEntry<Result>(
  { pool }: Pick<Session, 'pool'>,
  entry: CommandEntry | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (entry === undefined) return await work();
  const { action, target, isStep, isSetting } = entry;
  const why = isStep ? null : await reasonFor(pool, isSetting);
  const reason = [entry.reason, why].filter((text) => text !== null).join('; ') || null;
  return await noted(pool, { action, target, reason }, work);
}

async function reasonFor(pool: Session['pool'], isSetting: boolean): Promise<string> {
  if (await orNotReady(mayActAlone(pool), true)) return ALONE;
  return isSetting ? PROPOSED : COMMAND;
}
