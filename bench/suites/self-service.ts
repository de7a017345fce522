import { completeSums } from '../../src/payments/ledger/sums.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { BUSY_VENDOR, insertUsedLists, insertUsedMonths, samplePayment } from '../console-store.ts';
import { signedReads } from '../load/signed-reads.ts';
import type { SignedReads } from '../load/signed-reads.ts';
import { median } from '../ratios.ts';
import { measuredLists } from '../self-service-lists.ts';
import type { MeasuredList } from '../self-service-lists.ts';
import type { Child, Stage } from '../stage.ts';
import { settleDown } from '../store.ts';
import type { Suite, SuiteOptions } from './suite.ts';

const SELF_SERVICE_LISTS = 'self-service lists';

const FEW_PAYMENTS = 10_000;
/** Requests in the log for each payment. */
const PAYMENTS_PER_REQUEST = 25;
/** Number of times that each page is read in a run, in turns from both databases. */
const READS = 9;
/** Rows of the pages that lead to the last one. */
const STRIDE = '200';
/** A longer list is not read to its end; filters by time begin elsewhere in it. */
const MOST_STRIDES = 400;

const PLACES = ['first', 'middle', 'last'] as const;

type Query = MeasuredList['query'];

/** A page of a list: reads it once. */
type Read = () => Promise<unknown>;

interface Filled {
  readonly read: SignedReads;
  readonly lists: readonly MeasuredList[];
  readonly child: Child<unknown>;
}

/** A vendor's lists by program, on a database with few payments and on one with many. */
export const selfServiceSuite: Suite = {
  name: 'self-service',
  contestants: [SELF_SERVICE_LISTS],
  open: async (stage, options) => {
    const few = await fill(stage, 'few', FEW_PAYMENTS, options.log);
    const many = await fill(stage, 'many', options.listRows, options.log);
    return {
      run: async (name) => ({
        contestant: name,
        value: await mostGrown(few, many, options.log),
        unit: 'ratio',
      }),
      close: async () => {
        await few.child.stop();
        await many.child.stop();
      },
    };
  },
};

/** A busy vendor has every fifth of the payments, which are of the last 90 days. */
async function fill(
  stage: Stage,
  name: string,
  payments: number,
  log: SuiteOptions['log'],
): Promise<Filled> {
  const startedAt = performance.now();
  const url = await stage.database(`lists_${name}`);
  const pool = createPool({ url, max: 1, name: 'bench lists', statementTimeoutMs: 0 });
  try {
    await insertUsedMonths(pool, payments);
    await insertUsedLists(pool, payments / PAYMENTS_PER_REQUEST);
    await completeSums(pool);
    await settleDown(pool);
    const sample = await samplePayment(pool, BUSY_VENDOR);
    const { account, merchantReference, vendorId, paymentId } = sample;
    const child = await stage.start<{ port: number }>('server.ts', {
      DATABASE_URL: url,
      ROLES: 'api',
      SELF_SERVICE_REQUESTS_PER_SECOND: '0',
    });
    const vendor = stage.hot.find(({ vid }) => vid === BUSY_VENDOR);
    if (vendor === undefined) throw new Error(`there is no vendor ${BUSY_VENDOR}`);
    const wireTime = createWireTime('Africa/Nairobi');
    const reference = encodeReference(vendorId, paymentId);
    const lists = measuredLists({
      ...{ account, merchantReference, reference },
      dayAgo: (days) => wireTime.format(new Date(Date.now() - days * DAY_MS)).slice(0, 10),
    });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    log(`self-service: ${payments} payments were written after ${seconds} s`);
    return { lists, read: signedReads(child.first.port, vendor), child };
  } finally {
    await pool.end();
  }
}

/** The largest ratio of two medians of a page. The log has all of them. */
async function mostGrown(few: Filled, many: Filled, log: SuiteOptions['log']): Promise<number> {
  const pages: { readonly name: string; readonly few: number; readonly many: number }[] = [];
  for (const [index, list] of few.lists.entries()) {
    const other = many.lists[index] ?? list;
    const askedMany = await askPages(many, other);
    const askedFew = await askPages(few, list);
    const isCut = askedMany.length > MOST_STRIDES;
    const inMany = pagesOf(many, other, askedMany);
    // A page with as many rows: where the list ends, there may be fewer.
    const inFew = pagesOf(
      few,
      list,
      isCut && askedFew.length > 1 ? askedFew.slice(0, -1) : askedFew,
    );
    for (const place of PLACES) {
      const name = `${place} page of ${other.path}?${new URLSearchParams(other.query).toString()}`;
      pages.push({ name, ...(await timesOf(inFew[place], inMany[place])) });
    }
  }
  pages.sort((one, another) => another.many / another.few - one.many / one.few);
  for (const page of pages) {
    const ratio = (page.many / page.few).toFixed(2).padStart(6);
    log(`  ${ratio}: ${page.few.toFixed(1)} ms, then ${page.many.toFixed(1)} ms ${page.name}`);
  }
  const [most] = pages;
  return most === undefined ? Number.NaN : most.many / most.few;
}

/** The queries of pages that lead through the list, up to its end or `MOST_STRIDES`. */
async function askPages({ read }: Filled, { path, query }: MeasuredList): Promise<Query[]> {
  const asked: Query[] = [query];
  for (let stride = 0; stride < MOST_STRIDES; stride += 1) {
    const page = await read(path, { ...(asked.at(-1) ?? query), limit: STRIDE });
    if (typeof page['next_cursor'] !== 'string') break;
    asked.push({ ...query, cursor: page['next_cursor'] });
  }
  return asked;
}

/** The first page, one in the middle and the last one, as far as the list has them. */
function pagesOf(
  { read }: Filled,
  { path, query }: MeasuredList,
  asked: readonly Query[],
): Record<(typeof PLACES)[number], Read> {
  const reading = (page = query) => {
    return async () => await read(path, page);
  };
  return {
    first: reading(),
    middle: reading(asked[asked.length >> 1]),
    last: reading(asked.at(-1)),
  };
}

/** Medians in milliseconds, of reads in turns, so that a disturbance affects both. */
async function timesOf(
  few: Read,
  many: Read,
): Promise<{ readonly few: number; readonly many: number }> {
  const times = { few: [] as number[], many: [] as number[] };
  for (let read = 0; read < READS; read += 1) {
    times.few.push(await msOf(few));
    times.many.push(await msOf(many));
  }
  return { few: median(times.few), many: median(times.many) };
}

async function msOf(read: Read): Promise<number> {
  const startedAt = performance.now();
  await read();
  return performance.now() - startedAt;
}
