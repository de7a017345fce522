import type { WireTime } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { importFile } from '../importing/import.ts';
import { hashFile } from '../importing/lender-file.ts';
import type { ImportOptions, ImportResult } from '../importing/import.ts';
import { findImportOf } from '../importing/read-imports.ts';
import type { ListedImport } from '../importing/read-imports.ts';
import type { Vault } from '../registry/vault.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { kindNameOf } from './content.ts';
import type { Content, Grounded } from './content.ts';
import { record } from './propose.ts';
import type { Deps, Grounds } from './propose.ts';

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
    by: grounds.by.name,
    dryRun: true,
  });
  if (counts.records === counts.rejected) {
    throw new PlainError('No record of the file can be imported.', { field: 'file' });
  }
  const { lender, sector, template, asOf, corrects, fileName } = proposed;
  const how = { lender, sector, template, asOf, corrects, amounts, fileName };
  return await record(deps, { kind: 'import', ...how, sha256, counts }, grounds);
}

/**
 * Approves another person's proposal with the file, if it waits, and imports it. The file is not kept in between:
 * who approves has it from the lender, too. With the same file again, an interrupted import continues.
 * @param request.seen of the preview; not needed once it is approved.
 * Throws: `PlainError` if it is another file, or the proposal is somebody's own or rejected.
 */
export async function approveImport(
  deps: ImportDeps,
  request: { readonly proposalId: string; readonly by: Actor; readonly seen?: string | undefined },
  file: string,
): Promise<ImportResult> {
  const { pool, proposals } = deps;
  const { proposalId, by, seen = '' } = request;
  const found = await proposals.find(proposalId);
  if (found.kind !== kindNameOf('import') || proposals.describe(found) === undefined) {
    throw new PlainError('This is not a proposal to import a file.');
  }
  const { what } = found.content as Grounded<ImportContent>;
  const fileHash = await hashFile(file);
  if (fileHash.toString('hex') !== what.sha256) {
    throw new PlainError('This is not the file that was proposed.', { field: 'file' });
  }
  if (found.decision === null) await proposals.approve({ proposalId, by, seen });
  const row = await proposals.requireApproved(pool, proposalId, found.kind);
  if ((await importOf(deps, what))?.finishedAt) {
    throw new PlainError(`The proposal was already approved by ${row.decidedBy}, and imported.`);
  }
  const { lender, sector, template, asOf, corrects, amounts, fileName } = what;
  const how = { lender, sector, template, asOf, corrects, amounts, fileName };
  const people = `${row.proposedBy}, approved by ${row.decidedBy}`;
  return await importFile({ ...deps, ...how, file, by: people });
}

/** The import that a proposal led to; undefined: it has not begun. */
export async function importOf(
  { pool }: Pick<Deps, 'pool'>,
  { lender, asOf, corrects, sha256 }: ImportContent,
): Promise<ListedImport | undefined> {
  const fileHash = Buffer.from(sha256, 'hex');
  return await findImportOf(pool, { lender, asOf, corrects, fileHash });
}
