import type { Pool } from '../../platform/db/pool.ts';
import { countInstructions } from '../../payments/dispatch/queue-totals-store.ts';
import type { Cli } from '../cli.ts';

/** Help of the option. */
export const SAME_ACCOUNT =
  'the change reaches the same merchant account: open instructions are asked about with it. Without it, each is asked about where it was sent';

/** Says, before a change, how many instructions of the operator have no result yet. Returns how many. */
export async function tellOpen(pool: Pool, cli: Cli, operatorCode: string): Promise<number> {
  const counts = await countInstructions(pool);
  const open = counts.find((one) => one.operatorCode === operatorCode)?.count ?? 0;
  if (open > 0) cli.surroundings.stderr.write(`${openText(open, operatorCode)}\n`);
  return open;
}

function openText(open: number, operatorCode: string): string {
  return open === 1
    ? `1 payment at ${operatorCode} has no result yet.`
    : `${open} payments at ${operatorCode} have no result yet.`;
}

/** Where the instructions that were open are asked about from now on. */
export function whoIsAsked(open: number, sameAccount = false): string {
  if (open === 0) return '';
  return sameAccount
    ? ' The open payments are asked about with the new settings, at the same merchant account.'
    : ' The open payments are asked about where they were sent. If that is the same merchant account, run the command again with --same-account alone (operator set).';
}
