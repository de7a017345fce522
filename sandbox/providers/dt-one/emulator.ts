import { Deliveries, shillings } from '../emulator.ts';
import type { Delivery, TruthEntry } from '../emulator.ts';
import { Later, jsonPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import { PRODUCTS } from './products.ts';
import { CONFIRM_WITHIN_MS, show } from './transaction.ts';
import type { State, Transaction } from './transaction.ts';

export interface DtOneOptions {
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Factor on the documented delays. */
  readonly speed: number;
  /** Look-ups by external_id that do not show a transaction yet; not established for the real one. */
  readonly lateLookups: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
}

/** HTTP status, content, how it travels, and headers. */
export type Reply = readonly [number, unknown, Delivery?, Readonly<Record<string, string>>?];

/** A later event: a callback, or the end of a transaction. */
type Task =
  | { readonly kind: 'post'; readonly post: Post }
  | { readonly kind: 'finish' | 'reverse'; readonly id: number };

type Body = Readonly<Record<string, unknown>>;

const DECLINES: Readonly<Record<string, string>> = {
  '02': 'DECLINED-INVALID-CREDIT-PARTY',
  '03': 'DECLINED-BARRED-CREDIT-PARTY',
  '04': 'DECLINED-OPERATOR-CURRENTLY-UNAVAILABLE',
  '05': 'DECLINED-DUPLICATED-TRANSACTION',
  '06': 'DECLINED',
};
const DELAYS_MS: Readonly<Record<string, number>> = { '1': 3_000, '2': 20_000, '3': 300_000 };
const FIELDS: ReadonlySet<string> = new Set([
  'external_id',
  'product_id',
  'calculation_mode',
  'source',
  'destination',
  'auto_confirm',
  'credit_party_identifier',
  'callback_url',
]);

const OPENING_BALANCE = 1_000_000;

/** Creates, confirms and executes transactions. */
export class DtOneEmulator {
  readonly later: Later<Task>;
  readonly deliveries: Deliveries;
  readonly options: DtOneOptions;
  readonly #transactions: Table<Transaction>;
  readonly #lookups = new Map<string, number>();
  readonly #wasLow: Table<true>;
  /** Everything that was ever paid into our float, in KES. */
  readonly #paidIn: Table<number>;
  #skewMs = 0;

  constructor(options: DtOneOptions, memory = new Memory()) {
    this.options = options;
    this.#transactions = memory.table('transactions');
    this.#wasLow = memory.table('low');
    this.#paidIn = memory.table('paid-in');
    this.deliveries = new Deliveries(memory, options.slowMs);
    this.later = new Later(memory, async (task) => await this.#perform(task));
  }

  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** Returns the rest of the float, in KES. */
  available(): number {
    const spent = this.truth().reduce((sum, { amount }) => sum + Number(amount), 0);
    return (this.#paidIn.get('KES') ?? OPENING_BALANCE) - spent;
  }

  setAvailable(amount: number): void {
    this.#paidIn.put(
      'KES',
      (this.#paidIn.get('KES') ?? OPENING_BALANCE) + amount - this.available(),
    );
  }

  /** As if the time for confirming were over. */
  expire(): void {
    for (const one of this.#transactions.rows()) {
      if (one.state === 'CREATED') this.#enter(one, 'CANCELLED');
    }
  }

  /** Lists everything that was delivered and not reversed. */
  truth(): TruthEntry[] {
    return this.#transactions
      .rows()
      .filter(({ state }) => state === 'COMPLETED')
      .map(({ externalId, productId, account, delivered, endedAtMs }) => ({
        reference: externalId,
        biller: String(productId),
        account,
        amount: shillings(delivered),
        paid_at: new Date(endedAtMs ?? 0).toISOString(),
      }));
  }

  create(body: Body, isSync: boolean): Reply {
    const problem = this.#problemOf(body);
    if (problem !== undefined) return refusal(problem[0], problem[1]);
    const party = body['credit_party_identifier'] as Record<string, string>;
    const account = party['account_number'] ?? party['mobile_number'] ?? '';
    if (account.endsWith('07') && !account.endsWith('9907')) {
      return [500, { errors: [{ code: 1009001, message: 'Unexpected error' }] }];
    }
    const destination = body['destination'] as { readonly amount: number } | undefined;
    const transaction: Transaction = {
      id: 7_000_000_001 + this.#transactions.size,
      externalId: String(body['external_id']),
      productId: Number(body['product_id']),
      account,
      creditParty: party,
      requested: destination?.amount ?? null,
      delivered: destination?.amount ?? 100,
      callbackUrl: (body['callback_url'] as string | undefined) ?? null,
      createdAtMs: Date.now(),
      confirmedAtMs: null,
      endedAtMs: null,
      state: 'CREATED',
      message: 'CREATED',
      hasPin: account.endsWith('01'),
    };
    const delivery = body['auto_confirm'] === true ? this.deliveries.of(account) : 'given';
    if (delivery === 'lost') return [500, null, delivery];
    this.#transactions.put(transaction.id, transaction);
    if (body['auto_confirm'] === true) this.#confirm(transaction, isSync);
    return [201, show(transaction, this.#skewMs), delivery];
  }

  confirm(id: number, isSync: boolean): Reply {
    const transaction = this.find(id);
    if (transaction === undefined) return refusal(404, 1_008_004);
    if (transaction.state === 'CANCELLED') return refusal(400, 1_007_005);
    if (transaction.state !== 'CREATED') return refusal(400, 1_007_002);
    const delivery = this.deliveries.of(transaction.account);
    if (delivery !== 'lost') this.#confirm(transaction, isSync);
    return [202, show(transaction, this.#skewMs), delivery];
  }

  cancel(id: number): Reply {
    const transaction = this.find(id);
    if (transaction === undefined) return refusal(404, 1_008_004);
    if (transaction.state === 'CANCELLED') return refusal(400, 1_007_005);
    if (transaction.state !== 'CREATED') return refusal(400, 1_007_007);
    this.#enter(transaction, 'CANCELLED');
    return [202, show(transaction, this.#skewMs)];
  }

  transaction(id: number): Reply {
    const found = this.find(id);
    return found === undefined ? refusal(404, 1_008_004) : [200, show(found, this.#skewMs)];
  }

  list(query: URLSearchParams): Reply {
    const externalId = query.get('external_id');
    let found = this.#transactions.rows();
    if (externalId !== null) {
      found = found.filter((one) => one.externalId === externalId);
      const asked = this.#lookups.get(externalId) ?? 0;
      if (found.length > 0) this.#lookups.set(externalId, asked + 1);
      if (asked < this.options.lateLookups) found = [];
    } else {
      const [from, to] = [query.get('from_date'), query.get('to_date')].map((text) =>
        Date.parse(text ?? ''),
      );
      if (from === undefined || to === undefined || !(to - from <= 86_400_000)) {
        return refusal(400, 1_000_400);
      }
      found = found.filter(({ createdAtMs }) => createdAtMs >= from && createdAtMs < to);
    }
    return pageOf(
      found.map((one) => show(one, this.#skewMs)),
      query,
    );
  }

  find(id: number): Transaction | undefined {
    const found = this.#transactions.get(id);
    const isLate = found && found.createdAtMs + CONFIRM_WITHIN_MS < Date.now();
    if (found?.state === 'CREATED' && isLate === true) this.#enter(found, 'CANCELLED');
    return found;
  }

  /** HTTP status and code of the refusal. */
  #problemOf(body: Body): readonly [number, number] | undefined {
    const { external_id: externalId, destination } = body;
    const isKnownFields = Object.keys(body).every((name) => FIELDS.has(name));
    const party = body['credit_party_identifier'];
    if (!isKnownFields || typeof externalId !== 'string' || typeof party !== 'object') {
      return [400, 1_000_400];
    }
    if (externalId.length > 40 || party === null) return [400, 1_000_400];
    if (this.#transactions.rows().some((one) => one.externalId === externalId)) {
      return [400, 1_007_001];
    }
    const product = PRODUCTS.find(({ id }) => id === body['product_id']);
    if (product === undefined) return [404, 1_003_001];
    const mobile = (party as Record<string, string>)['mobile_number'];
    if (mobile !== undefined && !/^\+\d{9,15}$/.test(mobile)) return [400, 1_005_003];
    const isRanged = typeof product.destination.amount === 'object';
    if (isRanged !== (body['calculation_mode'] === 'DESTINATION_AMOUNT')) return [400, 1_000_400];
    if (!isRanged) return destination === undefined ? undefined : [400, 1_000_400];
    const { unit, amount } = destination as { readonly unit: string; readonly amount: number };
    if (unit !== 'KES') return [400, 1_003_003];
    return amount >= 10 && amount <= 10_000 ? undefined : [400, 1_003_002];
  }

  #confirm(transaction: Transaction, isSync: boolean): void {
    const { account } = transaction;
    transaction.confirmedAtMs = Date.now();
    this.#enter(transaction, 'CONFIRMED');
    const [special, digit] = [account.slice(-4), account.slice(-3, -2)];
    const isLow = special === '9918' && this.#wasLow.get(account) === undefined;
    if (isLow) this.#wasLow.put(account, true);
    if (isLow || transaction.delivered > this.available()) {
      return this.#enter(transaction, 'REJECTED', 'REJECTED-INSUFFICIENT-BALANCE');
    }
    if (special === '9909') return this.#enter(transaction, 'SUBMITTED');
    const isSlow = Object.hasOwn(DELAYS_MS, digit) || ['9905', '9906', '9924'].includes(special);
    if (isSync && !isSlow) return this.#finish(transaction);
    if (isSync) this.#enter(transaction, 'SUBMITTED');
    const longMs = special === '9905' || special === '9906' ? 2_000 : 100;
    const delayMs = (DELAYS_MS[digit] ?? longMs) * this.options.speed;
    this.later.run(delayMs, { kind: 'finish', id: transaction.id });
  }

  async #perform(task: Task): Promise<void> {
    if (task.kind === 'post') return void (await post(task.post));
    const transaction = this.#transactions.get(task.id);
    if (transaction === undefined) return;
    if (task.kind === 'finish') return this.#finish(transaction);
    this.#enter(transaction, 'REVERSED');
    this.#callBack(transaction);
  }

  #finish(transaction: Transaction): void {
    const special = transaction.account.slice(-4);
    const isListed = special.startsWith('99') && special !== '9902' && special !== '9904';
    const decline = isListed ? undefined : DECLINES[transaction.account.slice(-2)];
    if (decline !== undefined || special === '9924') {
      this.#enter(transaction, 'DECLINED', decline ?? 'DECLINED');
      return this.#callBack(transaction);
    }
    if (special === '9914') transaction.delivered -= 10;
    this.#enter(transaction, 'COMPLETED');
    if (special === '9911') return;
    const late = 5_000 * this.options.speed;
    this.#callBack(transaction, special === '9906' ? [0, 0, late] : [0]);
    if (special === '9915') this.later.run(1, { kind: 'reverse', id: transaction.id });
  }

  /** @param afterMs when each callback is sent. */
  #callBack(transaction: Transaction, afterMs: readonly number[] = [0]): void {
    const { callbackUrl } = transaction;
    const content = show(transaction, this.#skewMs);
    if (callbackUrl === null) return;
    for (const delayMs of afterMs) {
      this.later.run(delayMs, { kind: 'post', post: jsonPost(callbackUrl, content) });
    }
  }

  #enter(transaction: Transaction, state: State, message: string = state): void {
    transaction.state = state;
    transaction.message = message;
    if (state === 'COMPLETED') transaction.endedAtMs = Date.now();
    this.#transactions.put(transaction.id, transaction);
  }
}

/** One page of a list, with the headers that say how many there are. */
export function pageOf(all: readonly unknown[], query: URLSearchParams): Reply {
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 50)];
  const start = (page - 1) * size;
  const pages = Math.max(1, Math.ceil(all.length / size));
  return [
    200,
    all.slice(start, start + size),
    'given',
    {
      'x-page': String(page),
      'x-per-page': String(size),
      'x-total': String(all.length),
      'x-total-pages': String(pages),
      ...(page < pages && { 'x-next-page': String(page + 1) }),
      ...(page > 1 && { 'x-prev-page': String(page - 1) }),
    },
  ];
}

export function refusal(httpStatus: number, code: number): Reply {
  return [httpStatus, { errors: [{ code, message: `Error ${code}` }] }];
}
