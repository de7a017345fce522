import { CURRENCY } from '../../../platform/base/money.ts';
import type { Product, Connector, ProductPage } from '../../operator.ts';
import { cleanMessage, cleanName } from '../../../platform/base/clean-text.ts';
import { readAmount } from './amount.ts';
import { readAnswer } from './answer.ts';
import { compileExpression, textOf } from './expression.ts';
import type { Asking } from './asking.ts';
import { ask } from './send.ts';
import type { HttpSettings } from './settings.ts';

type ProductSettings = NonNullable<HttpSettings['products']>;
type Amounts = NonNullable<NonNullable<HttpSettings['amounts']>['answers']>;

const MAX_CODE_LENGTH = 100;

/** Reads what the operator sells, with one request for each biller. Throws: `Error` naming the setting. */
export function compileProducts(
  settings: HttpSettings,
  { context, routeOf, deadlineMs }: Asking,
): Connector['products'] {
  const { products, billers, amounts, answer_format: format = 'json' } = settings;
  if (products === undefined) return null;
  const route = routeOf('products', products);
  const read = compileList(products.answer, amounts?.answers ?? 'decimal');
  const codes = Object.keys(billers);
  return async (cursor, signal) => {
    const index = Number(/^\d{1,6}$/.exec(cursor ?? '')?.[0] ?? 0);
    const billerCode = codes[index] ?? '';
    const input = { ...context, biller: billerCode, service: billers[billerCode] ?? {} };
    const ending = await ask(route, input, { deadlineMs, signal });
    const body = readAnswer(ending, { format, httpStatus: products.answer.http_status });
    if (typeof body === 'string') return { kind: 'unknown', reason: body };
    try {
      const listed = await read({ ...input, body });
      if (listed === undefined) return { kind: 'unknown', reason: 'the answer has no list' };
      const next = index + 1 < codes.length ? String(index + 1) : null;
      const page = listed.map((product) => ({ ...product, billerCodes: [billerCode] }));
      return { kind: 'page', products: page, next } satisfies ProductPage;
    } catch (error) {
      return { kind: 'unknown', reason: cleanMessage((error as Error).message) };
    }
  };
}

type Listed = Omit<Product, 'billerCodes'>;

function compileList(
  answer: ProductSettings['answer'],
  amounts: Amounts,
): (input: object) => Promise<Listed[] | undefined> {
  const list = compileExpression('products.answer.list', answer.list);
  const of = (name: 'code' | 'name' | 'amount' | 'minimum' | 'maximum' | 'validity') => {
    const expression = compileExpression(`products.answer.${name}`, answer[name] ?? 'null');
    return async (input: object) => textOf(await expression.evaluate(input));
  };
  const [code, name, validity] = [of('code'), of('name'), of('validity')];
  const [fixed, minimum, maximum] = [of('amount'), of('minimum'), of('maximum')];
  const currency = answer.currency ?? CURRENCY;
  return async (input) => {
    const items = await list.evaluate(input);
    if (!Array.isArray(items)) return undefined;
    const products: Listed[] = [];
    for (const product of items as unknown[]) {
      const seen = { ...input, product };
      const productCode = cleanName(await code(seen));
      if (productCode === null || productCode.length > MAX_CODE_LENGTH) continue;
      const cents = async (text: Promise<string | undefined>) => readAmount(amounts, await text);
      const price = await cents(fixed(seen));
      const [low, high] = [
        price ?? (await cents(minimum(seen))),
        price ?? (await cents(maximum(seen))),
      ];
      const amount =
        low === undefined || high === undefined || low === 0n || low > high
          ? null
          : { minimumCents: low, maximumCents: high, currency };
      products.push({
        productCode,
        name: cleanName(await name(seen)) ?? productCode,
        service: '',
        provider: '',
        value: '',
        amount,
        price: null,
        validity: cleanName(await validity(seen)),
        requires: '',
      });
    }
    return products;
  };
}
