import type { ServerResponse } from 'node:http';
import type { Memory, Table } from './memory.ts';

/** A payment that a provider really made and has not taken back. */
export interface TruthEntry {
  /** The caller's name for the payment; an id of the provider's where callers cannot name payments. */
  readonly reference: string;
  /** The provider's name for what was paid: a pay bill number, a product, a service. */
  readonly biller: string;
  readonly account: string;
  /** Shillings with two decimals. */
  readonly amount: string;
  readonly paid_at: string;
}

/** The way of the answer to an instruction; it says nothing about the execution. */
export type Delivery = 'given' | 'never' | 'garbage' | 'slow' | 'lost';

/** Decides how instructions are answered, the same for all providers. */
export class Deliveries {
  readonly #lost: Table<true>;
  readonly #slowMs: number;

  /** @param slowMs how long a slow answer takes. */
  constructor(memory: Memory, slowMs = 10_000) {
    this.#lost = memory.table('lost');
    this.#slowMs = slowMs;
  }

  /**
   * By the last four digits of the account. `lost`: the instruction is lost on its way, and nobody
   * knows of it; the first for each account only.
   */
  of(account: string): Delivery {
    switch (account.slice(-4)) {
      case '9903':
      case '9904':
        return 'never';
      case '9907':
        return 'slow';
      case '9908':
        return 'garbage';
      case '9910':
        return this.#isFirst(account) ? 'lost' : 'given';
      default:
        return 'given';
    }
  }

  /** Answers, or does what is done instead. */
  answer(response: ServerResponse, how: Delivery, send: () => void): void {
    switch (how) {
      case 'given':
        return send();
      case 'slow':
        return void setTimeout(send, this.#slowMs);
      case 'garbage':
        response.writeHead(200, { 'content-type': 'text/html' });
        return void response.end('<html><body><h1>It works!</h1');
      case 'lost':
        return void response.destroy();
      case 'never':
    }
  }

  #isFirst(account: string): boolean {
    if (this.#lost.get(account) !== undefined) return false;
    this.#lost.put(account, true);
    return true;
  }
}

/** Shillings with two decimals. */
export function shillings(amount: number): string {
  return amount.toFixed(2);
}
