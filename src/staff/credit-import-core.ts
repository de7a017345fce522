import type { ImportDeps, ProposedFile } from '../credit/decisions/imports.ts';
import { Refusal } from '../platform/base/errors.ts';
import { requireFile } from './deps.ts';
import type { StaffDeps } from './deps.ts';
import { readDay } from '../platform/base/times.ts';

export async function importTools(deps: StaffDeps): Promise<ImportDeps> {
  const { wireTime } = deps;
  const { pool, vault, clock } = await deps.credit();
  return { pool, vault, clock, wireTime, proposals: await deps.proposals() };
}

let isBusy = false;

/**
 * Until the end of its file, a trial holds one of the few connections of its surface, and the registry, for which the
 * next file would wait with another. Throws: `too_many_requests`.
 */
export async function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  if (isBusy) {
    const text = 'Another file is being tried or imported. Wait until it is done.';
    throw new Refusal('too_many_requests', { retryAfterSeconds: 5, text });
  }
  isBusy = true;
  try {
    return await work();
  } finally {
    isBusy = false;
  }
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
