import * as decode from './decode.ts';
import { decimalOf } from './money.ts';
import { Transport } from './transport.ts';
import type { TransportOptions } from './transport.ts';
import type { Movement } from './types.ts';

/** A client for collectors: programs that report the income that they have collected for vendors. */
export class Collector {
  readonly #collector: string;
  readonly #base: string;
  readonly #transport: Transport;

  /** @param options.url the base address of the fund operation. */
  constructor(options: TransportOptions & { readonly collector: string; readonly url: string }) {
    this.#collector = options.collector;
    this.#base = options.url;
    this.#transport = new Transport(options);
  }

  /** Reports income, once for each `reference`. */
  async collect(income: {
    readonly vid: string;
    readonly reference: string;
    readonly amountCents: number;
    readonly paidAt: Date;
  }): Promise<Movement> {
    const call = {
      base: this.#base,
      path: '/payments/v2/collections',
      effect: 'write',
      parameters: {
        collector: this.#collector,
        vid: income.vid,
        reference: income.reference,
        amount: decimalOf(income.amountCents),
        currency: 'KES',
        paid_at: String(income.paidAt.getTime()),
      },
    } as const;
    return await this.#transport.call(call, (body, replayed) =>
      decode.movement(decode.part(body, 'msg'), replayed),
    );
  }
}
