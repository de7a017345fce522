import type { Mac } from '../../platform/base/mac.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { listAbsent } from '../../platform/history/processes-store.ts';
import type { UsingProcess } from '../../platform/history/processes-store.ts';
import { listProposals } from '../../proposals/store.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { undoForgedReleases } from './forged.ts';
import { QUARANTINE_RELEASE } from './release-kind.ts';
import { readStakes } from './stakes.ts';
import type { Stake } from './stakes.ts';
import { findOpenQuarantine, listEvents } from './read-quarantine.ts';
import type { EventRow, QuarantineRow } from './read-quarantine.ts';

const EVENTS_SHOWN = 20;

/** The quarantine, and what its end waits for. */
export interface QuarantineState {
  /** Undefined: payments are sent. */
  readonly open: QuarantineRow | undefined;
  readonly stakes: readonly Stake[];
  /** The processes that have not confirmed that nothing is missing. */
  readonly absent: readonly UsingProcess[];
  /** The open proposal to end the quarantine without statements. */
  readonly waiting: ProposalRow | undefined;
  /** Newest first. */
  readonly events: readonly EventRow[];
}

/** @param ledgerMac undefined: the master key is not at hand; the service, which has it, undoes forged releases. */
export async function readQuarantine(
  pool: Pool,
  ledgerMac: Mac | undefined,
): Promise<QuarantineState> {
  if (ledgerMac !== undefined) await undoForgedReleases({ pool, ledgerMac });
  const open = await findOpenQuarantine(pool);
  const [waiting] = await listProposals(pool, {
    open: true,
    kinds: [QUARANTINE_RELEASE],
    limit: 1,
  });
  return {
    open,
    stakes: open === undefined ? [] : await readStakes(pool, open),
    absent: open?.seemsComplete === true ? await listAbsent(pool) : [],
    waiting,
    events: await listEvents(pool, EVENTS_SHOWN),
  };
}
