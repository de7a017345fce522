import type { Pool } from '../../platform/db/pool.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { auditOf } from '../../staff/proposal-core.ts';
import { Audited } from '../route.ts';
import type { Viewer } from '../route.ts';

export interface ProposalRoutesOptions {
  readonly pool: Pool;
  readonly proposals: Proposals;
}

/** The person who is signed in, as proposals name people. */
export function actorOf({ personId, login }: Viewer): Actor {
  return { personId, name: login };
}

/** What the audit log keeps of a proposal that was made or decided. @param answer of the route. */
export function auditedOf(row: ProposalRow, answer?: unknown): Audited {
  return new Audited(answer, auditOf(row));
}
