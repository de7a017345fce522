import type { Pool } from './platform/db/pool.ts';
import type { Mac } from './platform/base/mac.ts';
import { payoutKind } from './payments/payouts/payout.ts';
import { payoutMadeKind } from './payments/payouts/made.ts';
import { payoutReturnKind } from './payments/payouts/return.ts';
import { Proposals } from './proposals/proposals.ts';

export interface ProposalOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
}

/** Proposals of every kind, for the console, the command line, the jobs and the simulation. */
export function createProposals({ pool, ledgerMac }: ProposalOptions): Proposals {
  return new Proposals(pool, ledgerMac, [payoutKind, payoutMadeKind(ledgerMac), payoutReturnKind]);
}
