import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { Product } from '../connectors/operator.ts';
import { CURRENCY } from '../platform/base/money.ts';
import { money, orNull, text, textOrNull } from './fields.ts';
import { fit, wireOf } from './wire.ts';

/** What an operator sells. */

interface RangeView {
  readonly minimum: string;
  readonly maximum: string;
  readonly currency: string;
}

function rangeText(range: RangeView | null): string {
  if (range === null) return '';
  const ends = [...new Set([range.minimum, range.maximum])].join(' to ');
  return range.currency === CURRENCY ? ends : `${ends} ${range.currency}`;
}

const range = (title: string) =>
  orNull(Type.Object({ minimum: money(), maximum: money(), currency: text() }), {
    ...{ title, unit: 'count', text: rangeText },
  });

export const product = {
  product_code: text({ title: 'Code' }),
  name: text({ title: 'Name' }),
  service: text({ title: 'Service', wide: true }),
  provider: text({ title: 'Provider', wide: true }),
  /** For the receiver. */
  value: text({ title: 'Value' }),
  /** The payable amount. */
  amount: range('Amount'),
  /** Our price. */
  price: range('We pay'),
  validity: textOrNull({ title: 'Valid', nullText: '' }),
  requires: text({ title: 'Requires', wide: true }),
  billers: Type.Array(Type.String(), {
    ...{ title: 'Billers', wide: true },
    text: (codes: readonly string[]) => codes.join(' '),
  }),
};

const whole = Type.Object(product);

export const productOf = ({ billerCodes, ...one }: Product): Static<typeof whole> =>
  fit(whole, { ...wireOf(one), billers: [...billerCodes] });
