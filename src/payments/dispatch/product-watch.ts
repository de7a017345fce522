import type { Logger } from 'pino';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Product, Connector } from '../../connectors/operator.ts';
import { saveListingError, saveProducts, takeDueListings } from '../billers/products-store.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';

/** Interval between two readings of an operator's list, and the pause after a failed one. */
const REFRESH = { everyMs: 6 * 3_600_000, retryMs: 600_000 };
/** More than every list seen so far; limits an endless list. */
const MAX_PAGES = 100;

export interface ProductWatchOptions {
  readonly pool: Pool;
  readonly catalogue: Pick<BillerCatalogue, 'operators'>;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly log: Logger;
}

/** Keeps what operators sell up to date, one process at a time. */
export function startProductWatch(
  options: ProductWatchOptions & { readonly pollMs: number },
): PeriodicJob {
  return startPeriodicJob({
    everyMs: options.pollMs,
    atOnce: true,
    work: async (stopping) => await refreshDue(options, stopping),
    failureText: 'what operators sell could not be read',
    log: options.log,
  });
}

/** Reads the lists that are due. */
export async function refreshDue(
  { pool, catalogue, connectorOf, log }: ProductWatchOptions,
  stopping: AbortSignal,
): Promise<void> {
  const codes = catalogue.operators().map(({ operatorCode }) => operatorCode);
  const listing = codes.filter((code) => (connectorOf(code)?.products ?? null) !== null);
  if (listing.length === 0) return;
  const due = await takeDueListings(pool, listing, REFRESH);
  await Promise.all(
    due.map(async (operatorCode) => {
      const connector = connectorOf(operatorCode);
      if (connector === undefined) return;
      const refreshed = await refreshProducts(pool, operatorCode, { connector, stopping });
      if (refreshed.kind === 'failed' && !stopping.aborted) {
        log.warn(
          { operator: operatorCode, reason: refreshed.reason },
          'the operator did not list its products',
        );
      }
    }),
  );
}

export type Refreshed =
  | { readonly kind: 'refreshed'; readonly count: number }
  /** The earlier list stays. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The operator has no list. */
  | { readonly kind: 'none' };

/** Reads an operator’s whole list and saves it. An incomplete list changes nothing. */
export async function refreshProducts(
  pool: Pool,
  operatorCode: string,
  by: { readonly connector: Connector; readonly stopping?: AbortSignal },
): Promise<Refreshed> {
  const listed = await readProducts(by.connector, by.stopping);
  if (listed === null) return { kind: 'none' };
  if (typeof listed === 'string') {
    await saveListingError(pool, operatorCode, listed);
    return { kind: 'failed', reason: listed };
  }
  await saveProducts(pool, operatorCode, listed);
  return { kind: 'refreshed', count: listed.length };
}

/** An operator may list a product once for each of our billers. */
function merged(product: Product, listed: ReadonlyMap<string, Product>): Product {
  const known = listed.get(product.productCode)?.billerCodes ?? [];
  return { ...product, billerCodes: [...new Set([...known, ...product.billerCodes])] };
}

/** Everything that the operator sells; null: it has no list; a text: why the list could not be read. */
export async function readProducts(
  { products, payDeadlineMs }: Pick<Connector, 'products' | 'payDeadlineMs'>,
  stopping?: AbortSignal,
): Promise<readonly Product[] | string | null> {
  if (products === null) return null;
  const all = new Map<string, Product>();
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const deadline = AbortSignal.timeout(payDeadlineMs + 1_000);
    const signal = stopping === undefined ? deadline : AbortSignal.any([deadline, stopping]);
    const answer: Awaited<ReturnType<typeof products>> = await products(cursor, signal).catch(
      (error: unknown) => ({ kind: 'unknown', reason: (error as Error).message }),
    );
    if (answer.kind === 'unknown') return answer.reason.slice(0, 500);
    for (const product of answer.products) all.set(product.productCode, merged(product, all));
    cursor = answer.next;
    if (cursor === null) return [...all.values()];
  }
  return 'the list does not end';
}
