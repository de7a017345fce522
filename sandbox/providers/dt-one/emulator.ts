import { Later, postJson } from '../later.ts';
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
}

export interface TruthEntry {
  readonly externalId: string;
  readonly account: string;
  readonly amount: string;
}

/** `[HTTP status, content]`; null: never answered. */
export type Reply = readonly [number, unknown] | null;

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

/** Creates, confirms and executes transactions. */
export class DtOneEmulator {
  readonly later = new Later();
  readonly options: DtOneOptions;
  readonly #transactions = new Map<number, Transaction>();
  readonly #lookups = new Map<string, number>();
  readonly #wasLow = new Set<string>();
  #skewMs = 0;

  constructor(options: DtOneOptions) {
    this.options = options;
  }

  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** As if the time for confirming were over. */
  expire(): void {
    for (const one of this.#transactions.values()) {
      if (one.state === 'CREATED') enter(one, 'CANCELLED');
    }
  }

  /** What was delivered and not reversed. */
  truth(): TruthEntry[] {
    return [...this.#transactions.values()]
      .filter(({ state }) => state === 'COMPLETED')
      .map(({ externalId, account, delivered }) => ({
        externalId,
        account,
        amount: delivered.toFixed(2),
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
      state: 'CREATED',
      message: 'CREATED',
      hasPin: account.endsWith('01'),
    };
    this.#transactions.set(transaction.id, transaction);
    if (body['auto_confirm'] === true) this.#confirm(transaction, isSync);
    return [201, show(transaction, this.#skewMs)];
  }

  confirm(id: number, isSync: boolean): Reply {
    const transaction = this.find(id);
    if (transaction === undefined) return refusal(404, 1_008_004);
    if (transaction.state === 'CANCELLED') return refusal(400, 1_007_005);
    if (transaction.state !== 'CREATED') return refusal(400, 1_007_002);
    this.#confirm(transaction, isSync);
    return transaction.account.endsWith('9903') ? null : [202, show(transaction, this.#skewMs)];
  }

  cancel(id: number): Reply {
    const transaction = this.find(id);
    if (transaction === undefined) return refusal(404, 1_008_004);
    if (transaction.state === 'CANCELLED') return refusal(400, 1_007_005);
    if (transaction.state !== 'CREATED') return refusal(400, 1_007_007);
    enter(transaction, 'CANCELLED');
    return [202, show(transaction, this.#skewMs)];
  }

  transaction(id: number): Reply {
    const found = this.find(id);
    return found === undefined ? refusal(404, 1_008_004) : [200, show(found, this.#skewMs)];
  }

  list(query: URLSearchParams): Reply {
    const externalId = query.get('external_id');
    let found = [...this.#transactions.values()];
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
    const size = Number(query.get('per_page') ?? 50);
    const start = (Number(query.get('page') ?? 1) - 1) * size;
    return [200, found.slice(start, start + size).map((one) => show(one, this.#skewMs))];
  }

  find(id: number): Transaction | undefined {
    const found = this.#transactions.get(id);
    const isLate = found && found.createdAtMs + CONFIRM_WITHIN_MS < Date.now();
    if (found?.state === 'CREATED' && isLate === true) enter(found, 'CANCELLED');
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
    if ([...this.#transactions.values()].some((one) => one.externalId === externalId)) {
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
    enter(transaction, 'CONFIRMED');
    const [special, digit] = [account.slice(-4), account.slice(-3, -2)];
    if (special === '9918' && !this.#wasLow.has(account)) {
      this.#wasLow.add(account);
      return enter(transaction, 'REJECTED', 'REJECTED-INSUFFICIENT-BALANCE');
    }
    if (special === '9909') return enter(transaction, 'SUBMITTED');
    const isSlow = Object.hasOwn(DELAYS_MS, digit) || ['9905', '9910'].includes(special);
    if (isSync && !isSlow) return this.#finish(transaction);
    if (isSync) enter(transaction, 'SUBMITTED');
    const delayMs = (DELAYS_MS[digit] ?? 100) * this.options.speed;
    this.later.run(delayMs, () => this.#finish(transaction));
  }

  #finish(transaction: Transaction): void {
    const special = transaction.account.slice(-4);
    const decline = special === '9910' ? 'DECLINED' : DECLINES[transaction.account.slice(-2)];
    const isSpecial = ['9903', '9905', '9906'].includes(special);
    if (decline !== undefined && !isSpecial) {
      enter(transaction, 'DECLINED', decline);
      return this.#tell(transaction, 1);
    }
    if (special === '9914') transaction.delivered -= 10;
    enter(transaction, 'COMPLETED');
    if (special === '9911') return;
    this.#tell(transaction, special === '9906' ? 3 : 1);
    if (special !== '9908') return;
    // Together with the first, so that whoever waits for quiet sees both.
    this.later.run(1, () => {
      enter(transaction, 'REVERSED');
      this.#tell(transaction, 1);
    });
  }

  #tell(transaction: Transaction, times: number): void {
    const { callbackUrl } = transaction;
    const content = show(transaction, this.#skewMs);
    if (callbackUrl === null) return;
    for (let time = 0; time < times; time += 1) {
      this.later.run(0, async () => void (await postJson(callbackUrl, content)));
    }
  }
}

function enter(transaction: Transaction, state: State, message: string = state): void {
  transaction.state = state;
  transaction.message = message;
}

export function refusal(httpStatus: number, code: number): Reply {
  return [httpStatus, { errors: [{ code, message: `Error ${code}` }] }];
}
