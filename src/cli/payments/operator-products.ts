import type { Command } from 'commander';
import type { Connector, Product } from '../../payments/dispatch/connector.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { code, command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import { openConnector } from './open-connector.ts';

interface ProductsOptions {
  readonly json?: boolean;
  readonly search?: string;
}

/** Enough for every list seen, and an end for one that has none. */
const MAX_PAGES = 100;

export function addProducts(operator: Command, cli: Cli): void {
  command(operator, 'products', 'List what the operator sells, with prices.')
    .argument('<code>', 'operator code', code)
    .option('--search <text>', 'only products with this text in name, service or provider')
    .action(async (operatorCode: string, options: ProductsOptions) => {
      await cli.run(options, async ({ pool, config, sealing }) => {
        const connector = await openConnector(operatorCode, {
          pool,
          masterKeys: (await sealing()).masterKeys,
          publicUrl: config.publicUrl,
        });
        try {
          const all = await listAll(operatorCode, connector);
          const products = all.filter((product) => matches(product, options.search));
          return { json: { operator_code: operatorCode, products }, text: productTable(products) };
        } finally {
          await connector.close();
        }
      });
    });
}

/** Throws: `PlainError` when the operator has no list, or does not give it. */
async function listAll(operatorCode: string, connector: Connector): Promise<Product[]> {
  const { products } = connector;
  if (products === null) {
    throw new PlainError(`${operatorCode} has no list of products.`);
  }
  const all: Product[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const signal = AbortSignal.timeout(connector.payDeadlineMs + 1_000);
    const answer: Awaited<ReturnType<typeof products>> = await products(cursor, signal);
    if (answer.kind === 'unknown') {
      throw new PlainError(`${operatorCode} did not give its list: ${answer.reason}`);
    }
    all.push(...answer.products);
    cursor = answer.next;
    if (cursor === null) return all;
  }
  throw new PlainError(`The list of ${operatorCode} does not end.`);
}

function matches({ name, service, provider }: Product, search: string | undefined): boolean {
  const text = [name, service, provider].join(' ').toLowerCase();
  return search === undefined || text.includes(search.toLowerCase());
}

function productTable(products: readonly Product[]): string {
  const titles = ['ID', 'NAME', 'SERVICE', 'PROVIDER', 'VALUE', 'PRICE', 'REQUIRES'];
  return table(
    titles.map((title) => ({ title })),
    products.map((one) => [
      one.productId,
      one.name,
      one.service,
      one.provider,
      one.value,
      one.price ?? '',
      one.requires,
    ]),
    'No products.',
  );
}
