import { audited } from '../../parties/people/audited.ts';
import type { Noted } from '../../parties/people/audited.ts';
import { systemClock } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Pool } from '../../platform/db/pool.ts';

/** Who did what. Without a person: anybody who can run commands. */
type Note = Pick<Noted, 'action' | 'target'> &
  Partial<Pick<Noted, 'personId' | 'login' | 'role' | 'reason'>>;

/** Runs a command's work between its two entries in the audit log, as the console does. */
export async function noted<Result>(
  pool: Pool,
  note: Note,
  work: () => Promise<Result>,
): Promise<Result> {
  const entry: Noted = {
    ...{ personId: null, login: COMMAND_LINE, role: null, channel: 'command', reason: null },
    ...{ vendorId: null, address: COMMAND_LINE, requestId: newId(), ...note },
  };
  return await audited(entry, { pool, clock: systemClock }, async () => ({ answer: await work() }));
}

const COMMAND_LINE = 'command line';
