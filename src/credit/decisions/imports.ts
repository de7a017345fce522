import type { WireTime } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { hashFile, importFile } from '../importing/import.ts';
import type { ImportOptions, ImportResult } from '../importing/import.ts';
import { findImportOf } from '../importing/imports-store.ts';
import type { ListedImport } from '../importing/imports-store.ts';
import type { Vault } from '../registry/vault.ts';
import { isAuthentic } from './authenticity.ts';
import type { Content } from './content.ts';
import { ALTERED, approveAnd } from './decide.ts';
import type { DecisionRequest } from './decide.ts';
import { record } from './propose.ts';
import type { Deps, Grounds } from './propose.ts';
import { findProposal } from './proposals-store.ts';
import type { ProposalRow } from './proposals-store.ts';

export interface ImportDeps extends Deps {
  readonly vault: Vault;
  readonly wireTime: Pick<WireTime, 'format'>;
}

export type ProposedFile = Pick<
  ImportOptions,
  'file' | 'lender' | 'sector' | 'template' | 'asOf' | 'corrects' | 'amounts'
> & { readonly fileName: string };

type ImportContent = Extract<Content, { kind: 'import' }>;

/**
 * Tries the file, and proposes to import exactly this file in exactly this way.
 * Throws: `PlainError` if nothing of it can be imported.
 */
export async function proposeImport(
  deps: ImportDeps,
  proposed: ProposedFile,
  grounds: Grounds,
): Promise<ProposalRow> {
  const { counts, sha256, amounts } = await importFile({
    ...deps,
    ...proposed,
    by: grounds.by,
    dryRun: true,
  });
  if (counts.records === counts.rejected) {
    throw new PlainError('No record of the file can be imported.', { field: 'content' });
  }
  const { lender, sector, template, asOf, corrects, fileName } = proposed;
  const how = { lender, sector, template, asOf, corrects, amounts, fileName };
  return await record(deps, { kind: 'import', ...how, sha256, counts }, grounds);
}

/**
 * Approves another person's proposal with the file, and imports it. The file is not kept in between:
 * who approves has it from the lender, too. With the same file again, an interrupted import continues.
 * Throws: `PlainError` if it is another file, or the proposal is somebody's own or rejected.
 */
export async function approveImport(
  deps: ImportDeps,
  request: DecisionRequest,
  file: string,
): Promise<ImportResult> {
  const found = await findProposal(deps.pool, request.proposalId);
  if (found?.content.kind !== 'import') {
    throw new PlainError('This is not a proposal to import a file.');
  }
  const { content } = found;
  const { fileHash } = await hashFile(file);
  if (fileHash.toString('hex') !== content.sha256) {
    throw new PlainError('This is not the file that was proposed.', { field: 'content' });
  }
  if (!isAuthentic(found, deps.ledgerMac)) throw new PlainError(ALTERED);
  const isContinued = found.decision === 'approved' && !(await isImported(deps, content));
  const row = isContinued ? found : await approveAnd(deps, request, async () => {});
  const { lender, sector, template, asOf, corrects, amounts, fileName } = content;
  const by = `${row.proposedBy}, approved by ${row.decidedBy}`;
  const how = { lender, sector, template, asOf, corrects, amounts, fileName, by };
  return await importFile({ ...deps, file, ...how });
}

/** The import that a proposal led to; undefined: it has not begun. */
export async function importOf(
  { pool }: Pick<Deps, 'pool'>,
  { lender, asOf, corrects, sha256 }: ImportContent,
): Promise<ListedImport | undefined> {
  const fileHash = Buffer.from(sha256, 'hex');
  return await findImportOf(pool, { lender, asOf, corrects, fileHash });
}

async function isImported(deps: Deps, content: ImportContent): Promise<boolean> {
  const made = await importOf(deps, content);
  return made !== undefined && made.finishedAt !== null;
}
