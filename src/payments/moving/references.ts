import type { WireTime } from '../../platform/base/clock.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { listBillers } from '../billers/store.ts';
import type { Problem } from './problem.ts';
import { findReferenceFile, listMoved } from './read-references.ts';
import { digestOf, readReferences } from './references-file.ts';
import type { Known } from './references-file.ts';
import { hashOf, Repeats } from './repeats.ts';
import { endReferenceFile, insertReferences } from './store.ts';
import type { UsedReference } from './store.ts';

interface Deps {
  readonly pool: Pool;
  readonly wireTime: WireTime;
  readonly now: Date;
  /** Throws when the work has to stop. */
  readonly onLines: (done: number) => void;
}

/** Problems that are listed; a file of the wrong kind has one on each line. */
const LISTED_PROBLEMS = 1_000;
/** Rows of a commit. */
const CHUNK_ROWS = 5_000;

export interface CheckedReferences {
  readonly sha256: string;
  readonly references: number;
  /** Vendors of the file, by vid. */
  readonly counts: ReadonlyMap<string, { readonly vendorId: number; readonly references: number }>;
  /** The first of them, in the order of the lines. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

async function knownNow({ pool, wireTime, now }: Deps): Promise<Known> {
  const billers = await listBillers(pool);
  return {
    ...{ wireTime, now, vendors: await listMoved(pool) },
    billers: new Map(billers.map((biller) => [biller.billerCode, biller])),
  };
}

const keyOf = ({ vendorId, merchantReference }: UsedReference): string =>
  `${vendorId} ${merchantReference}`;

/** Reads the whole file and stores nothing. Memory grows by 8 bytes for each line. */
export async function checkReferences(deps: Deps, file: string): Promise<CheckedReferences> {
  const known = await knownNow(deps);
  const problems: Problem[] = [];
  const perVendor = new Map<number, number>();
  const repeats = new Repeats();
  let problemCount = 0;
  let references = 0;
  const refuse = (problem: Problem): void => {
    problemCount += 1;
    if (problems.length < LISTED_PROBLEMS) problems.push(problem);
  };
  for await (const read of readReferences(file, known)) {
    if (read.line % 1_000 === 0) deps.onLines(read.line);
    if ('problem' in read) refuse(read.problem);
    else {
      references += 1;
      repeats.add(keyOf(read.row));
      perVendor.set(read.row.vendorId, (perVendor.get(read.row.vendorId) ?? 0) + 1);
    }
  }
  for (const problem of await findRepeated(file, known, repeats.suspects())) refuse(problem);
  if (references + problemCount === 0) {
    refuse({ line: 1, field: '', text: 'the file has no references' });
  }
  const vids = [...known.vendors].filter(([, vendorId]) => perVendor.has(vendorId));
  const counts = new Map(
    vids.map(([vid, vendorId]) => [vid, { vendorId, references: perVendor.get(vendorId) ?? 0 }]),
  );
  problems.sort((one, other) => one.line - other.line);
  return { sha256: await digestOf(file), references, counts, problems, problemCount };
}

/** The lines whose reference an earlier line has. Reads the file again only if there may be such lines. */
async function findRepeated(
  file: string,
  known: Known,
  suspects: ReadonlySet<bigint>,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  if (suspects.size === 0) return problems;
  const first = new Map<string, number>();
  for await (const read of readReferences(file, known)) {
    if ('problem' in read) continue;
    const key = keyOf(read.row);
    if (!suspects.has(hashOf(key))) continue;
    const before = first.get(key);
    if (before === undefined) first.set(key, read.line);
    else {
      const text = `line ${before} has the same reference of this vendor`;
      problems.push({ line: read.line, field: 'reference', text });
    }
  }
  return problems;
}

/**
 * Stores the references of a file that two people approved, in commits of 5,000. After a kill it is begun again, and
 * what is stored already stays. Until it ends, its vendors cannot be resumed.
 * Throws: `PlainError` if nobody approved the file, or a line of it cannot be read any more.
 */
export async function importReferences(
  deps: Deps & { readonly ledgerMac: Mac },
  file: string,
): Promise<CheckedReferences> {
  const { pool, ledgerMac } = deps;
  const checked = await checkReferences(deps, file);
  const { sha256, problems, problemCount } = checked;
  const approved = await findReferenceFile(pool, ledgerMac, sha256);
  if (approved === undefined) {
    throw new PlainError(
      'Two people have to approve exactly this file first: vendor propose-references.',
    );
  }
  const [problem] = problems;
  if (problem !== undefined) {
    throw new PlainError(
      `${problemCount} lines cannot be read any more, such as line ${problem.line}: ${problem.field} ${problem.text}. Nothing was imported.`,
    );
  }
  let chunk: UsedReference[] = [];
  for await (const read of readReferences(file, await knownNow(deps))) {
    if (!('problem' in read)) chunk.push(read.row);
    if (chunk.length < CHUNK_ROWS) continue;
    await insertReferences(pool, chunk);
    deps.onLines(read.line);
    chunk = [];
  }
  await insertReferences(pool, chunk);
  if ((await digestOf(file)) !== sha256) {
    throw new PlainError('The file was changed while it was read. Import it again.');
  }
  await endReferenceFile(pool, ledgerMac, approved.proposalId);
  return checked;
}
