import type { ImportDeps, ProposedFile } from '../credit/decisions/imports.ts';
import { oneAtATime } from '../credit/importing/one-at-a-time.ts';
import { requireFile } from './deps.ts';
import type { StaffDeps } from './deps.ts';
import { readDay } from '../platform/base/times.ts';

export async function importTools(deps: StaffDeps): Promise<ImportDeps> {
  const { wireTime } = deps;
  const { pool, vault, clock } = await deps.credit();
  return { pool, vault, clock, wireTime, proposals: await deps.proposals() };
}

type How = Omit<ProposedFile, 'file' | 'fileName' | 'asOf'> & { readonly as_of: string };

/** Reads the file that was sent. Throws: `invalid_field`, `too_many_requests`. */
export async function withSentFile<Result>(
  { as_of: asOf, template, lender, sector, amounts, corrects }: How,
  deps: StaffDeps,
  work: (tools: ImportDeps, proposed: ProposedFile) => Promise<Result>,
): Promise<Result> {
  const { path, name: fileName } = requireFile(deps);
  const how = { template, lender, sector, amounts, corrects, asOf: readDay(asOf, 'as_of') };
  const tools = await importTools(deps);
  return await oneAtATime(async () => await work(tools, { ...how, file: path, fileName }));
}
