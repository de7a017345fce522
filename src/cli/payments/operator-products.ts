import type { Command } from 'commander';
import type { Product } from '../../connectors/operator.ts';
import { readProducts } from '../../payments/dispatch/product-watch.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { code, command, wideOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import { askConnector } from '../../payments/billers/open-connector.ts';
import { PRODUCT_TITLES, productCells, productJson } from './product-view.ts';

interface ProductsOptions {
  readonly json?: boolean;
  readonly wide?: boolean;
  readonly search?: string;
}

export function addProducts(operator: Command, cli: Cli): void {
  command(operator, 'products', 'Ask the operator what it sells now. Saves nothing.')
    .argument('<code>', 'operator code', code)
    .option('--search <text>', 'only products with this text in name, service or provider')
    .addOption(wideOption())
    .action(async (operatorCode: string, options: ProductsOptions) => {
      await cli.run(options, async ({ pool, config, sealing }) => {
        const by = { pool, masterKeys: (await sealing()).masterKeys, publicUrl: config.publicUrl };
        const all = await askConnector(operatorCode, by, async (one) => await readProducts(one));
        if (all === null) throw new PlainError(`${operatorCode} has no list of products.`);
        if (typeof all === 'string') {
          throw new PlainError(`${operatorCode} did not send its list: ${all}`);
        }
        const products = all.filter((product) => matches(product, options.search));
        return {
          json: { operator_code: operatorCode, products: products.map(productJson) },
          text: table(PRODUCT_TITLES, products.map(productCells), 'No products.', options.wide),
        };
      });
    });
}

function matches({ name, service, provider }: Product, search: string | undefined): boolean {
  const text = [name, service, provider].join(' ').toLowerCase();
  return search === undefined || text.includes(search.toLowerCase());
}
