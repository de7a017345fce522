import { CURRENCY } from '../../platform/base/money.ts';
import { repeatableTransaction } from '../../platform/db/pool.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { markChanged } from '../../platform/db/settings-watch.ts';
import type { Product, Range } from '../../connectors/operator.ts';
import type { SoldProduct } from './product.ts';

/** When an operator's list was read. */
export interface ListingRow {
  operatorCode: string;
  /** The last complete list; null: none yet. */
  refreshedAt: Date | null;
  /** Why the last attempt failed; null: it did not. */
  error: string | null;
}

/** Takes the operators whose list of products is due. Each is given to one caller only. */
export async function takeDueListings(
  db: Queryable,
  operatorCodes: readonly string[],
  { everyMs, retryMs }: { readonly everyMs: number; readonly retryMs: number },
): Promise<string[]> {
  await insertMissing(db, operatorCodes);
  const taken = await db.query<{ operatorCode: string }>(
    `with due as materialized (
       select operator_code from operator_listings
       where operator_code = any ($1) and coalesce(asked_at, '-infinity')
         -- A list that was taken and not saved is due again soon.
         <= now() - case when error is null and refreshed_at >= asked_at then $2::integer else $3::integer end
           * interval '1 millisecond'
       order by operator_code for update
     )
     update operator_listings l set asked_at = now() from due
     where l.operator_code = due.operator_code
     returning l.operator_code as "operatorCode"`,
    [operatorCodes, everyMs, retryMs],
  );
  return taken.rows.map((row) => row.operatorCode);
}

async function insertMissing(db: Queryable, operatorCodes: readonly string[]): Promise<void> {
  await db.query(
    `insert into operator_listings (operator_code) select unnest($1::text[])
     on conflict do nothing`,
    [operatorCodes],
  );
}

export async function listListings(db: Queryable): Promise<ListingRow[]> {
  const read = await db.query<ListingRow>(
    `select operator_code as "operatorCode", refreshed_at as "refreshedAt", error
     from operator_listings order by operator_code`,
  );
  return read.rows;
}

/** Records that the operator did not return its list. The earlier list stays. */
export async function saveListingError(
  db: Queryable,
  operatorCode: string,
  error: string,
): Promise<void> {
  await insertMissing(db, [operatorCode]);
  await db.query(
    'update operator_listings set asked_at = now(), error = $2 where operator_code = $1',
    [operatorCode, error],
  );
}

/** Replaces what the operator sells. Running processes reload if it changed. */
export async function saveProducts(
  pool: Pool,
  operatorCode: string,
  products: readonly Product[],
): Promise<void> {
  await repeatableTransaction(pool, async (client) => {
    await insertMissing(client, [operatorCode]);
    await client.query(
      `update operator_listings set asked_at = now(), refreshed_at = now(), error = null
       where operator_code = $1`,
      [operatorCode],
    );
    const known = await listProducts(client, operatorCode);
    if (textOf(known) === textOf(products)) return;
    await markChanged(client, 'billers');
    await client.query('delete from operator_products where operator_code = $1', [operatorCode]);
    await insertProducts(client, operatorCode, products);
  });
}

function textOf(products: readonly Product[]): string {
  return JSON.stringify(
    products.toSorted((one, other) => (one.productCode < other.productCode ? -1 : 1)).map(valuesOf),
  );
}

function valuesOf(product: Product): (string | null)[] {
  return [
    product.productCode,
    product.name,
    product.service,
    product.provider,
    product.value,
    ...endsOf(product.amount),
    ...endsOf(product.price),
    product.validity,
    product.requires,
    product.billerCodes.toSorted().join(' '),
  ];
}

function endsOf(range: Range | null): (string | null)[] {
  if (range === null) return [null, null, null];
  return [String(range.minimumCents), String(range.maximumCents), range.currency];
}

async function insertProducts(
  db: Queryable,
  operatorCode: string,
  products: readonly Product[],
): Promise<void> {
  const rows = products.map(valuesOf);
  const column = (index: number): (string | null)[] => rows.map((row) => row[index] ?? null);
  await db.query(
    `insert into operator_products (operator_code, product_code, name, service, provider, value,
       minimum_cents, maximum_cents, currency, price_minimum_cents, price_maximum_cents,
       price_currency, validity, requires, biller_codes)
     select $1, product_code, name, service, provider, value, minimum, maximum, currency,
       price_minimum, price_maximum, price_currency, validity, requires,
       string_to_array(biller_codes, ' ')
     from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
         $8::bigint[], $9::text[], $10::bigint[], $11::bigint[], $12::text[], $13::text[],
         $14::text[], $15::text[])
       as p (product_code, name, service, provider, value, minimum, maximum, currency,
         price_minimum, price_maximum, price_currency, validity, requires, biller_codes)`,
    [operatorCode, ...Array.from({ length: 14 }, (_, index) => column(index))],
  );
}

interface ProductRow extends Omit<Product, 'amount' | 'price'> {
  operatorCode: string;
  billerCodes: string[];
  minimumCents: bigint | null;
  maximumCents: bigint | null;
  currency: string | null;
  priceMinimumCents: bigint | null;
  priceMaximumCents: bigint | null;
  priceCurrency: string | null;
}

/** A product in the catalogue of an operator. */
export type ListedProduct = Product & { readonly operatorCode: string };

/** Lists products as operators listed them last. @param operatorCode default: all operators. */
export async function listProducts(
  db: Queryable,
  operatorCode: string | null = null,
): Promise<ListedProduct[]> {
  const read = await db.query<ProductRow>(
    `select operator_code as "operatorCode", product_code as "productCode", name, service, provider,
       value, minimum_cents as "minimumCents", maximum_cents as "maximumCents", currency,
       price_minimum_cents as "priceMinimumCents", price_maximum_cents as "priceMaximumCents",
       price_currency as "priceCurrency", validity, requires, biller_codes as "billerCodes"
     from operator_products where $1::text is null or operator_code = $1
     order by operator_code, product_code`,
    [operatorCode],
  );
  return read.rows.map((row) => {
    const { minimumCents, maximumCents, currency, ...others } = row;
    const { priceMinimumCents, priceMaximumCents, priceCurrency, ...about } = others;
    return {
      ...about,
      amount: rangeOf(minimumCents, maximumCents, currency),
      price: rangeOf(priceMinimumCents, priceMaximumCents, priceCurrency),
    };
  });
}

function rangeOf(
  minimumCents: bigint | null,
  maximumCents: bigint | null,
  currency: string | null,
): Range | null {
  return minimumCents === null || maximumCents === null || currency === null
    ? null
    : { minimumCents, maximumCents, currency };
}

/** Products with known amounts in our currency, by amount, for each biller whose payments buy them. */
export async function listSoldProducts(db: Queryable): Promise<SoldProduct[]> {
  const read = await db.query<SoldProduct>(
    `select b.biller_code as "billerCode", p.operator_code as "operatorCode", p.name, p.value,
       p.validity, p.minimum_cents as "minimumCents", p.maximum_cents as "maximumCents", p.currency
     from billers b join operator_products p on b.biller_code = any (p.biller_codes)
     where p.minimum_cents is not null and p.currency = $1
     order by b.biller_code, p.minimum_cents, p.maximum_cents, p.name, p.operator_code`,
    [CURRENCY],
  );
  return read.rows;
}
