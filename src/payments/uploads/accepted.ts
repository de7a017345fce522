import type { Logger } from 'pino';
import type { WireTime } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { isDecisionAuthentic, proposalText } from '../../proposals/authenticity.ts';
import { findProposal } from '../../proposals/store.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { takeLines } from '../receipts/statements/import.ts';
import type { Imported } from '../receipts/statements/import.ts';
import type { SourceRow } from '../receipts/sources-store.ts';
import type { ReportedLine } from '../receipts/statements/report.ts';
import { BANK_STATEMENT } from './content.ts';
import type { BankStatement } from './content.ts';
import { setDone } from './store.ts';

export interface UploadDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
  readonly log: Logger;
}

type ReadLines = (
  db: Queryable,
  asked: BankStatement,
) => Promise<{ readonly source: SourceRow; readonly lines: readonly ReportedLine[] }>;

/**
 * Takes the lines of a bank statement that two people accepted. Can be repeated: lines that were taken before change
 * nothing. The codes of the proposal and of its decision are checked before each batch.
 * Throws: `PlainError` if they are not valid, or another import to the source is running.
 */
export async function takeAccepted(
  deps: UploadDeps,
  proposalId: string,
  readLines: ReadLines,
): Promise<Imported> {
  const { pool, ledgerMac } = deps;
  const { content } = await requireAccepted(pool, ledgerMac, proposalId);
  const { source, lines } = await readLines(pool, content as BankStatement);
  const counts = await takeLines(deps, source, lines, async () => {
    await requireAccepted(pool, ledgerMac, proposalId);
  });
  await setDone(pool, proposalId, { ...counts });
  return counts;
}

async function requireAccepted(pool: Pool, mac: Mac, proposalId: string): Promise<ProposalRow> {
  const row = await findProposal(pool, proposalId);
  const isAccepted =
    row !== undefined &&
    row.kind === BANK_STATEMENT &&
    row.decision === 'approved' &&
    mac.verify(proposalText(row), row.mac) &&
    isDecisionAuthentic(row, mac);
  if (isAccepted) return row;
  throw new PlainError(`The bank statement of proposal ${proposalId} was accepted by nobody.`);
}
