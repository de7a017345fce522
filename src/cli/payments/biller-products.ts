import type { Command } from 'commander';
import { listListings, listProducts } from '../../payments/billers/products-store.ts';
import type { ListedProduct, ListingRow } from '../../payments/billers/products-store.ts';
import { listRoutes } from '../../payments/billers/routes-store.ts';
import { findBiller } from '../../payments/billers/store.ts';
import { refreshProducts } from '../../payments/dispatch/product-watch.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { code, command, wideOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import { askConnector } from './open-connector.ts';
import { PRODUCT_TITLES, productCells, productJson } from './product-view.ts';

interface ProductsOptions {
  readonly json?: boolean;
  readonly refresh?: boolean;
  readonly wide?: boolean;
}

export function addBillerProducts(biller: Command, cli: Cli): void {
  command(
    biller,
    'products',
    'What the biller’s operators sell for it, as they listed it last, and which amounts it takes.',
  )
    .argument('<code>', 'biller code', code)
    .option('--refresh', 'ask the operators first')
    .addOption(wideOption())
    .action(async (billerCode: string, options: ProductsOptions) => {
      await cli.run(options, async ({ pool, config, sealing, wireTime }) => {
        const row = await findBiller(pool, billerCode);
        if (row === undefined) throw new PlainError(`Biller ${billerCode} does not exist.`);
        const routes = (await listRoutes(pool)).get(billerCode) ?? [];
        const operators = routes.map(({ operatorCode }) => operatorCode);
        if (options.refresh === true) {
          const { masterKeys } = await sealing();
          await refreshAll(operators, { pool, masterKeys, publicUrl: config.publicUrl });
        }
        const listings = await listListings(pool);
        const products = (await listProducts(pool)).filter(
          (one) => operators.includes(one.operatorCode) && one.billerCodes.includes(billerCode),
        );
        const lists = operators.map((operatorCode) => ({
          operatorCode,
          listing: listings.find((one) => one.operatorCode === operatorCode),
        }));
        return {
          json: {
            biller_code: billerCode,
            amounts: row.amounts,
            operators: lists.map(({ operatorCode, listing }) => ({
              operator: operatorCode,
              refreshed_at: listing?.refreshedAt?.toISOString() ?? null,
              error: listing?.error ?? null,
            })),
            products: products.map((one) => ({ operator: one.operatorCode, ...productJson(one) })),
          },
          text: [
            textOf(products, options.wide),
            ...lists.map((one) => listingText(one, wireTime)),
            row.amounts === 'any'
              ? `${billerCode} takes any amount within its limits.`
              : `${billerCode} takes only amounts of these products.`,
          ].join('\n'),
        };
      });
    });
}

/** Throws: `PlainError` if an operator that has a list did not give it. */
async function refreshAll(
  operators: readonly string[],
  by: Parameters<typeof askConnector>[1] & {
    readonly pool: Parameters<typeof refreshProducts>[0];
  },
): Promise<void> {
  for (const operatorCode of operators) {
    const refreshed = await askConnector(
      operatorCode,
      by,
      async (connector) => await refreshProducts(by.pool, operatorCode, { connector }),
    );
    if (refreshed.kind === 'failed') {
      throw new PlainError(`${operatorCode} did not give its list: ${refreshed.reason}`);
    }
  }
}

function textOf(products: readonly ListedProduct[], wide = false): string {
  return table(
    [{ title: 'OPERATOR' }, ...PRODUCT_TITLES],
    products.map((one) => [one.operatorCode, ...productCells(one)]),
    'No products.',
    wide,
  );
}

function listingText(
  {
    operatorCode,
    listing,
  }: { readonly operatorCode: string; readonly listing: ListingRow | undefined },
  wireTime: WireTime,
): string {
  if (listing === undefined) return `${operatorCode} has never listed anything.`;
  const { refreshedAt, error } = listing;
  const last = refreshedAt === null ? 'never' : wireTime.format(refreshedAt);
  return `${operatorCode} listed them last: ${last}${error === null ? '' : `; since then it failed: ${error}`}`;
}
