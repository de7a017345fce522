import { readVids } from '../../parties/read-vendors.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { snapshot } from '../../platform/db/pool.ts';
import { readTrialBalance } from '../house/trial-balance.ts';
import { findSummary, findTerms, listLines, readCodes } from './store.ts';
import type { ListedSummary, SummaryTerms } from './store.ts';
import { codeOf } from './summary.ts';
import type { Codes, SummaryLine } from './summary.ts';

export { listSummaries } from './store.ts';
export type { ListedSummary } from './store.ts';

/** A line as people see it. */
export interface NamedLine extends SummaryLine {
  readonly vid: string | null;
  /** The company's own code; null: it has none. */
  readonly code: string | null;
  /** The money moved before the period of the journal: an item of a prior period. */
  readonly isLate: boolean;
}

export interface WholeSummary extends ListedSummary {
  readonly lines: readonly NamedLine[];
  readonly terms: SummaryTerms;
}

/** A journal with its lines, and the codes of the time at which it was exported; undefined: there is none. */
export async function readSummary(
  pool: Pool,
  number: number,
  wireTime: WireTime,
): Promise<WholeSummary | undefined> {
  return await snapshot(pool, async (client) => {
    const found = await findSummary(client, number);
    const terms = await findTerms(client);
    if (found === undefined || terms === undefined) return undefined;
    const codes =
      found.codes === null ? await readCodes(client) : (JSON.parse(found.codes) as Codes);
    const vids = await readVids(client);
    const firstDay = wireTime.format(found.fromAt).slice(0, 10);
    const lines = (await listLines(client, number)).map((line) => ({
      ...line,
      vid: line.vendorId === null ? null : (vids.get(line.vendorId) ?? String(line.vendorId)),
      code: codeOf(line.account, codes) ?? null,
      isLate: line.day < firstDay,
    }));
    return { ...found, lines, terms };
  });
}

/** How summary journals are made, and the code of each account that the books have. */
export async function readSettings(pool: Pool, now: Date) {
  const balance = await readTrialBalance(pool, { from: now, to: new Date(Number(now) + 1) });
  const codes = await readCodes(pool);
  return {
    terms: (await findTerms(pool)) ?? null,
    accounts: balance.lines.map(({ account, class: of }) => ({
      ...{ account, class: of, code: codeOf(account, codes) ?? null },
    })),
    codes: Object.entries(codes).map(([account, code]) => ({ account, code })),
  };
}
