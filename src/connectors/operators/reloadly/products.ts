import type { Ending } from '../../../platform/outbound/exchange.ts';
import type { Product, Range, ProductPage } from '../../operator.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { decimalCents, listOf, textOf } from '../../values.ts';
import { readBody, readError } from './classify.ts';
import { readNetwork } from './network.ts';
import type { Network } from './network.ts';
import type { AmountsIn } from './requests.ts';

interface Listing {
  readonly amountsIn: AmountsIn;
  /** Reloadly's number of the network of each of our billers, or `by_number`. */
  readonly billers: ReadonlyMap<string, string>;
}

/**
 * The networks of a country, with the amounts that they take: one product for a range, or one for each
 * fixed amount. Reloadly lists no prices: what we pay depends on the exchange rate and our discount.
 */
export function readProducts(ending: Ending, listing: Listing): ProductPage {
  const content = readBody(ending);
  if (!Array.isArray(content)) {
    const reason = ending.kind === 'answer' ? readError(ending)?.code : ending.reason;
    return { kind: 'unknown', reason: reason ?? 'the answer is no list' };
  }
  const products = listOf(content).flatMap((one) => {
    const network = readNetwork(one);
    return network?.isActive === true ? productsOf(network, listing) : [];
  });
  return { kind: 'page', products, next: null };
}

function productsOf(network: Network, { amountsIn, billers }: Listing): Product[] {
  const { id, values, takesLocalAmounts } = network;
  const isLocal = amountsIn === 'recipient';
  const [currency, fixed, least, most] = isLocal
    ? ([
        'destinationCurrencyCode',
        'localFixedAmounts',
        'localMinAmount',
        'localMaxAmount',
      ] as const)
    : (['senderCurrencyCode', 'fixedAmounts', 'minAmount', 'maxAmount'] as const);
  const unit = textOf(values[currency]) ?? '';
  const isBought = !isLocal || takesLocalAmounts;
  const name = cleanMessage(textOf(values['name']) ?? '').slice(0, 200);
  const common = {
    ...{ name, service: serviceOf(values), provider: name, price: null, validity: null },
    requires: 'phone number',
    billerCodes: isBought ? [...billers].flatMap(([code, one]) => (one === id ? [code] : [])) : [],
  };
  const made = (code: string, value: string, amount: Range | null): Product => ({
    ...common,
    productCode: code,
    value: value === '' ? '' : `${value} ${unit}`.trim(),
    amount,
  });
  if (values['denominationType'] === 'FIXED') {
    return listOf(values[fixed]).flatMap((one) => {
      const text = textOf(one) ?? '';
      const amount = rangeOf(text, text, unit);
      return amount === null ? [] : [made(`${id}/${text}`, text, amount)];
    });
  }
  const [from, to] = [textOf(values[least]) ?? '', textOf(values[most]) ?? ''];
  const amount = rangeOf(from, to, unit);
  return [made(id, amount === null ? '' : `${from} to ${to}`, amount)];
}

/** Whole cents within the range; null if it is none, or a fixed amount with fractions of a cent. */
function rangeOf(from: string, to: string, currency: string): Range | null {
  const [minimumCents, maximumCents] = [decimalCents(from, 'up'), decimalCents(to, 'down')];
  if (minimumCents === undefined || maximumCents === undefined) return null;
  if (!/^[A-Z]{3}$/.test(currency) || minimumCents === 0n || minimumCents > maximumCents) {
    return null;
  }
  return { minimumCents, maximumCents, currency };
}

const SERVICES = [
  ['pin', 'Voucher'],
  ['data', 'Data'],
  ['bundle', 'Bundle'],
  ['comboProduct', 'Combined bundle'],
] as const;

function serviceOf(values: Network['values']): string {
  const kinds = SERVICES.flatMap(([name, kind]) => (values[name] === true ? [kind] : []));
  return ['Mobile', ...(kinds.length === 0 ? ['Airtime'] : kinds)].join(', ');
}
