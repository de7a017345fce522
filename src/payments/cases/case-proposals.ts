import type { Queryable } from '../../platform/db/pool.ts';
import { listProposals } from '../../proposals/store.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { listRecordedEvents } from './read-cases.ts';
import type { ProposedResolution } from './cases-store.ts';
import type { CaseEvent, CaseRow } from './read-cases.ts';

/** The kind of proposal: see `../corrections/case-resolution.ts`. */
export const CASE_RESOLUTION = 'case_resolution';

/** More proposals than these are not looked for. */
const MAX_PROPOSALS = 10_000;

interface Resolution extends ProposedResolution {
  readonly caseId: string;
}

const contentOf = ({ content }: Pick<ProposalRow, 'content'>): Resolution => content as Resolution;

const OF_CASES = { kinds: [CASE_RESOLUTION], limit: MAX_PROPOSALS };

/** The proposals that wait, by case. What they contain is verified only by `Proposals`. */
export async function listOpenProposals(
  db: Queryable,
  /** Undefined: of all cases. */
  caseIds?: readonly string[],
): Promise<ReadonlyMap<string, ProposalRow>> {
  if (caseIds?.length === 0) return new Map();
  const about = caseIds?.map((caseId) => `${CASE_RESOLUTION} ${caseId}`);
  const rows = await listProposals(db, { ...OF_CASES, open: true, about });
  return new Map(rows.map((row) => [contentOf(row).caseId, row]));
}

/** The resolution that a proposal names. */
export function resolutionOf(row: Pick<ProposalRow, 'content'>): string {
  return contentOf(row).resolution;
}

/** The history of a case, oldest first. */
export async function listCaseEvents(
  db: Queryable,
  { vendorId, caseId }: Pick<CaseRow, 'vendorId' | 'caseId'>,
): Promise<CaseEvent[]> {
  const recorded = await listRecordedEvents(db, vendorId, [caseId]);
  const proposed = await listProposedEvents(db, [caseId]);
  return [...recorded, ...proposed].toSorted((one, other) => Number(one.at) - Number(other.at));
}

/** Proposals about cases and their decisions, as events. */
export async function listProposedEvents(
  db: Queryable,
  caseIds: readonly string[],
): Promise<(CaseEvent & { readonly caseId: string })[]> {
  if (caseIds.length === 0) return [];
  const having = caseIds.map((caseId) => ({ caseId }));
  return (await listProposals(db, { ...OF_CASES, open: false, having })).flatMap((row) => {
    const { proposalId, proposedAt, proposedBy, note, decision, decidedAt, decidedBy } = row;
    const common = { proposal: proposalId, resolution: resolutionOf(row) };
    const proposed = { at: proposedAt, action: 'proposed', actor: proposedBy } as const;
    const events: CaseEvent[] = [{ ...proposed, detail: { ...common, note } }];
    if (decision !== null && decidedAt !== null && decidedBy !== null) {
      const reason = row.decisionNote ? { note: row.decisionNote } : {};
      const detail = { ...common, ...reason };
      events.push({ at: decidedAt, action: decision, actor: decidedBy, detail });
    }
    return events.map((event) => ({ ...event, caseId: contentOf(row).caseId }));
  });
}
