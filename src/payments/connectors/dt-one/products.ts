import type { Product, ProductPage } from '../../dispatch/connector.ts';
import { cleanMessage } from '../text.ts';
import { listOf, objectOf, textOf } from '../values.ts';
import type { Answer } from './classify.ts';
import { PER_PAGE } from './requests.ts';

type Content = Readonly<Record<string, unknown>> | undefined;

/** One page of `GET /products`. */
export function readProducts(answer: Answer, page: number): ProductPage {
  if (answer.kind !== 'content') {
    return { kind: 'unknown', reason: answer.kind === 'errors' ? answer.message : answer.reason };
  }
  if (!Array.isArray(answer.content)) return { kind: 'unknown', reason: 'the answer is no list' };
  const products = listOf(answer.content).flatMap((one) => readProduct(objectOf(one)) ?? []);
  const isFull = answer.content.length >= PER_PAGE;
  return { kind: 'page', products, next: isFull ? String(page + 1) : null };
}

function readProduct(given: Content): Product | undefined {
  const productId = textOf(given?.['id']);
  const name = nameOf(given);
  const value = amountOf(objectOf(given?.['destination']));
  if (productId === undefined || !/^\d{1,19}$/.test(productId) || value === null) return undefined;
  const service = objectOf(given?.['service']);
  const kinds = [nameOf(service), nameOf(objectOf(service?.['subservice']))];
  return {
    productId,
    name,
    service: kinds.filter((kind) => kind !== '').join(', '),
    provider: nameOf(objectOf(given?.['operator'])),
    value,
    price: amountOf(objectOf(objectOf(given?.['prices'])?.['wholesale'])),
    requires: alternatives(given?.['required_credit_party_identifier_fields']),
  };
}

function nameOf(given: Content): string {
  return cleanMessage(textOf(given?.['name']) ?? '').slice(0, 200);
}

/** `100 KES`, or `10 to 10000 KES`; null when it is neither. */
function amountOf(given: Content): string | null {
  const unit = textOf(given?.['unit']) ?? '';
  if (!/^[A-Z]{3}$/.test(unit)) return null;
  const range = objectOf(given?.['amount']);
  if (range === undefined) {
    const amount = decimal(given?.['amount']);
    return amount === undefined ? null : `${amount} ${unit}`;
  }
  const [min, max] = [decimal(range['min']), decimal(range['max'])];
  return min === undefined || max === undefined ? null : `${min} to ${max} ${unit}`;
}

/** A list of alternatives, each a list of fields that belong together. */
function alternatives(given: unknown): string {
  const texts = listOf(given).map((one) => listOf(one).flatMap((field) => textOf(field) ?? []));
  return cleanMessage(texts.map((fields) => fields.join(' + ')).join(' or ')).slice(0, 200);
}

function decimal(value: unknown): string | undefined {
  const text = textOf(value) ?? '';
  return /^\d{1,12}(\.\d{1,12})?$/.test(text) ? text : undefined;
}
