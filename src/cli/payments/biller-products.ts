import type { Command } from 'commander';
import { readBillerProducts } from '../../payments/billers/biller-products.ts';
import type { BillerProducts } from '../../payments/billers/biller-products.ts';
import type { ListedProduct, ListingRow } from '../../payments/billers/products-store.ts';
import { refreshProducts } from '../../payments/dispatch/product-watch.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { code, command, wideOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import { askConnector } from '../../payments/billers/open-connector.ts';
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
    'What the biller’s operators sell for it, according to their last lists, and the amounts that the biller accepts.',
  )
    .argument('<code>', 'biller code', code)
    .option('--refresh', 'ask the operators first')
    .addOption(wideOption())
    .action(async (billerCode: string, options: ProductsOptions) => {
      await cli.run(options, async ({ pool, config, sealing, wireTime }) => {
        const before = await read(pool, billerCode);
        if (options.refresh === true) {
          const { masterKeys } = await sealing();
          const operators = before.listings.map(({ operatorCode }) => operatorCode);
          await refreshAll(operators, { pool, masterKeys, publicUrl: config.publicUrl });
        }
        const { amounts, listings, products } = await read(pool, billerCode);
        return {
          json: {
            biller_code: billerCode,
            amounts,
            operators: listings.map(({ operatorCode, refreshedAt, error }) => ({
              operator: operatorCode,
              refreshed_at: refreshedAt?.toISOString() ?? null,
              error,
            })),
            products: products.map((one) => ({ operator: one.operatorCode, ...productJson(one) })),
          },
          text: [
            textOf(products, options.wide),
            ...listings.map((one) => listingText(one, wireTime)),
            amounts === 'any'
              ? `${billerCode} takes any amount within its limits.`
              : `${billerCode} takes only amounts of these products.`,
          ].join('\n'),
        };
      });
    });
}

/** Throws: `PlainError` if the biller does not exist. */
async function read(pool: Pool, billerCode: string): Promise<BillerProducts> {
  const found = await readBillerProducts(pool, billerCode);
  if (found === undefined) throw new PlainError(`Biller ${billerCode} does not exist.`);
  return found;
}

/** Throws: `PlainError` if an operator that has a list did not give it. */
async function refreshAll(
  operators: readonly string[],
  by: Parameters<typeof askConnector>[1] & {
    readonly pool: Pool;
  },
): Promise<void> {
  for (const operatorCode of operators) {
    const refreshed = await askConnector(
      operatorCode,
      by,
      async (connector) => await refreshProducts(by.pool, operatorCode, { connector }),
    );
    if (refreshed.kind === 'failed') {
      throw new PlainError(`${operatorCode} did not send its list: ${refreshed.reason}`);
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

function listingText({ operatorCode, refreshedAt, error }: ListingRow, wireTime: WireTime): string {
  const failed = error === null ? '' : `; the last attempt failed: ${error}`;
  return refreshedAt === null
    ? `${operatorCode} has never listed anything${failed}.`
    : `${operatorCode} listed them last: ${wireTime.format(refreshedAt)}${failed}`;
}
