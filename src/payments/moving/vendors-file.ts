import { SECTORS } from '../../parties/vendor.ts';
import type { Sector } from '../../parties/vendor.ts';
import type { CsvLine } from '../../platform/base/csv.ts';
import { parseMoney } from '../../platform/base/money.ts';
import { DISPLAY_NAME } from '../../platform/base/visible.ts';
import { LineProblem, readLine, requireColumns } from './problem.ts';
import type { Problem } from './problem.ts';

/** Vendors of one file: they are decided together, in one commit. */
export const MAX_VENDORS = 500;

const NEEDED = ['vid', 'name', 'sector', 'key', 'collected', 'float', 'references'] as const;
const KNOWN = [...NEEDED, 'reference_required'] as const;

const NAME = new RegExp(DISPLAY_NAME, 'u');
const VID = /^[A-Za-z0-9_.-]{1,64}$/;
/** What a client can hold: no spaces at the ends, no control characters. Shorter ones can be guessed. */
const KEY = /^[\x21-\x7E]([\x20-\x7E]{6,198}[\x21-\x7E])$/;

export interface MovedVendor {
  readonly vid: string;
  readonly name: string;
  readonly sector: Sector;
  /** The key that it signs with already. */
  readonly key: string;
  readonly collectedCents: bigint;
  readonly floatCents: bigint;
  /** It used references at the other system. */
  readonly hasReferences: boolean;
  readonly referenceRequired: boolean;
}

/**
 * The vendors of a file, and why lines are refused. With one refusal nothing is imported.
 * @param existing vids of vendors, in lower case.
 */
export async function readVendors(
  lines: AsyncIterable<CsvLine>,
  existing: ReadonlySet<string>,
): Promise<{ readonly vendors: readonly MovedVendor[]; readonly problems: readonly Problem[] }> {
  const vendors: MovedVendor[] = [];
  const problems: Problem[] = [];
  const seen = { vids: new Map<string, number>(), keys: new Map<string, number>() };
  let columns: readonly string[] | undefined;
  for await (const line of lines) {
    if (columns === undefined) {
      const head = readLine(line, line.values, () =>
        requireColumns(line, { needed: NEEDED, known: KNOWN }),
      );
      if ('problem' in head) return { vendors, problems: [head.problem] };
      columns = head.row;
      continue;
    }
    const read = readLine(line, columns, (cell) => {
      const vendor = vendorOf(cell);
      if (existing.has(vendor.vid.toLowerCase())) {
        throw new LineProblem('vid', `vendor ${vendor.vid} exists already`);
      }
      requireNew(seen.vids, { value: vendor.vid.toLowerCase(), field: 'vid', line: line.line });
      requireNew(seen.keys, { value: vendor.key, field: 'key', line: line.line });
      return vendor;
    });
    if ('problem' in read) problems.push(read.problem);
    else if (vendors.length < MAX_VENDORS) vendors.push(read.row);
    else {
      const text = `a file has at most ${MAX_VENDORS} vendors; put the others into another one`;
      return { vendors, problems: [...problems, { line: line.line, field: '', text }] };
    }
  }
  if (vendors.length + problems.length === 0) {
    problems.push({ line: 1, field: '', text: 'the file has no vendors' });
  }
  return { vendors, problems };
}

function vendorOf(cell: (column: string) => string): MovedVendor {
  const [vid, name, key] = [cell('vid'), cell('name'), cell('key')];
  if (!VID.test(vid)) {
    throw new LineProblem('vid', 'must be 1 to 64 letters, digits, dots, hyphens or underscores');
  }
  if (!NAME.test(name)) {
    throw new LineProblem('name', 'must be 1 to 100 characters that people see');
  }
  const sector = SECTORS.find((one) => one === cell('sector'));
  if (sector === undefined) throw new LineProblem('sector', `must be one of ${SECTORS.join(', ')}`);
  // The key itself is in no message: they are shown, and kept.
  if (!KEY.test(key)) throw new LineProblem('key', 'must be 8 to 200 printable ASCII characters');
  return {
    ...{ vid, name, sector, key },
    collectedCents: parseMoney(cell('collected'), 'collected'),
    floatCents: parseMoney(cell('float'), 'float'),
    hasReferences: yesOrNo(cell('references'), 'references'),
    referenceRequired: yesOrNo(cell('reference_required') || 'yes', 'reference_required'),
  };
}

function yesOrNo(text: string, field: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes';
  throw new LineProblem(field, 'must be yes or no');
}

function requireNew(
  seen: Map<string, number>,
  { value, field, line }: { readonly value: string; readonly field: string; readonly line: number },
): void {
  const before = seen.get(value);
  if (before !== undefined) throw new LineProblem(field, `line ${before} has the same ${field}`);
  seen.set(value, line);
}
