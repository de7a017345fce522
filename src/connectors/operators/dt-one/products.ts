import { CURRENCY } from '../../../platform/base/money.ts';
import type { Product, Range, ProductPage } from '../../operator.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { decimalCents, listOf, objectOf, textOf } from '../../values.ts';
import { goesOn } from './classify.ts';
import type { Answer } from './classify.ts';

type Content = Readonly<Record<string, unknown>> | undefined;

/** Our billers that buy the product, and for how much if the settings say so. */
export type BillersOf = (productId: string) => {
  readonly billerCodes: readonly string[];
  readonly amountCents: bigint | null;
};

/** One page of `GET /products`. */
export function readProducts(answer: Answer, page: number, billersOf: BillersOf): ProductPage {
  if (answer.kind !== 'content') {
    return { kind: 'unknown', reason: answer.kind === 'errors' ? answer.message : answer.reason };
  }
  if (!Array.isArray(answer.content)) return { kind: 'unknown', reason: 'the answer is no list' };
  const products = listOf(answer.content).flatMap(
    (one) => readProduct(objectOf(one), billersOf) ?? [],
  );
  return { kind: 'page', products, next: goesOn(answer, page) ? String(page + 1) : null };
}

function readProduct(given: Content, billersOf: BillersOf): Product | undefined {
  const productCode = textOf(given?.['id']);
  const destination = objectOf(given?.['destination']);
  const value = valueOf(destination);
  if (productCode === undefined || !/^\d{1,19}$/.test(productCode) || value === null) {
    return undefined;
  }
  const service = objectOf(given?.['service']);
  const kinds = [nameOf(service), nameOf(objectOf(service?.['subservice']))];
  const prices = objectOf(given?.['prices']);
  const { billerCodes, amountCents } = billersOf(productCode);
  // A product that is not money, such as data, has its retail price as value.
  const listed =
    destination?.['unit_type'] === 'CURRENCY'
      ? amountOf(destination)
      : amountOf(objectOf(prices?.['retail']));
  return {
    productCode,
    name: nameOf(given),
    service: kinds.filter((kind) => kind !== '').join(', '),
    provider: nameOf(objectOf(given?.['operator'])),
    value,
    amount: listed ?? (amountCents === null ? null : fixed(amountCents)),
    price: rangeOf(objectOf(prices?.['wholesale']), 'up'),
    validity: validityOf(objectOf(given?.['validity'])),
    requires: alternatives(given?.['required_credit_party_identifier_fields']),
    billerCodes,
  };
}

function nameOf(given: Content): string {
  return cleanMessage(textOf(given?.['name']) ?? '').slice(0, 200);
}

/** `100 KES`, `10 to 10000 KES`, `1 GB`; null for anything else. */
function valueOf(given: Content): string | null {
  const unit = textOf(given?.['unit']) ?? '';
  const ends = endsOf(given);
  if (!/^[A-Za-z]{1,12}$/.test(unit) || ends === undefined) return null;
  return `${[...new Set(ends)].join(' to ')} ${unit}`;
}

/** Payable amounts: a range is narrowed to whole cents; a fixed amount must have no fractions of a cent. */
function amountOf(given: Content): Range | null {
  return rangeOf(given, 'down');
}

/** An amount of money, or a range; null when it is neither. @param round the upper end. */
function rangeOf(given: Content, round: 'up' | 'down'): Range | null {
  const currency = textOf(given?.['unit']) ?? '';
  const ends = endsOf(given);
  if (!/^[A-Z]{3}$/.test(currency) || ends === undefined) return null;
  const [minimumCents, maximumCents] = [decimalCents(ends[0], 'up'), decimalCents(ends[1], round)];
  if (minimumCents === undefined || maximumCents === undefined) return null;
  return minimumCents > maximumCents || minimumCents === 0n
    ? null
    : { minimumCents, maximumCents, currency };
}

function fixed(amountCents: bigint): Range {
  return { minimumCents: amountCents, maximumCents: amountCents, currency: CURRENCY };
}

function endsOf(given: Content): readonly [string, string] | undefined {
  const range = objectOf(given?.['amount']);
  const [min, max] =
    range === undefined
      ? [decimal(given?.['amount']), decimal(given?.['amount'])]
      : [decimal(range['min']), decimal(range['max'])];
  return min === undefined || max === undefined ? undefined : [min, max];
}

/** `30 DAY`. */
function validityOf(given: Content): string | null {
  const [quantity, unit] = [decimal(given?.['quantity']), textOf(given?.['unit']) ?? ''];
  return quantity === undefined || !/^[A-Za-z]{1,12}$/.test(unit) ? null : `${quantity} ${unit}`;
}

/** A list of alternatives, each a list of fields that belong together. */
function alternatives(given: unknown): string {
  const texts = listOf(given).map((one) => listOf(one).flatMap((field) => textOf(field) ?? []));
  return cleanMessage(texts.map((fields) => fields.join(' + ')).join(' or ')).slice(0, 200);
}

function decimal(value: unknown): string | undefined {
  const text = textOf(value);
  return decimalCents(text, 'down') === undefined ? undefined : text;
}
