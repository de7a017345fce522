import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import { PATHS, encode, send, signed } from '../../support/vendor-client.ts';
import type { Answer, Params } from '../../support/vendor-client.ts';
import type { TestVendor, TestParties } from '../fleet.ts';
import type { Payer } from './clients.ts';

/** The last digits of accounts, which decide what the operators do, with their shares. */
const SUFFIXES: readonly (readonly [string, number])[] = [
  ['9901', 60],
  ['9902', 6],
  ['9903', 5],
  ['9904', 5],
  ['9905', 6],
  ['9906', 5],
  ['9907', 2],
  ['9908', 5],
  ['9909', 1],
  ['9910', 5],
];

/** One bill that a vendor wants paid, once, whatever happens. */
export interface Order {
  readonly vid: string;
  readonly merchantReference: string;
  readonly account: string;
  /** Decimal text. */
  readonly amount: string;
  /** Every `ipay_reference` that an answer gave for it. There must be only one. */
  readonly references: Set<string>;
  /** Final states that a client returned for it. */
  readonly finals: Set<'SUCCESS' | 'FAILED'>;
}

export interface Load {
  readonly orders: readonly Order[];
  /** Confirmed collections of each vendor, in cents. */
  readonly collectedCents: ReadonlyMap<string, bigint>;
  /** Unexpected answers. */
  readonly findings: readonly string[];
  /** How many orders were answered. */
  readonly accepted: number;
  /** Starts no new requests, and waits until all requests in progress have been answered. */
  stop(): Promise<void>;
}

const WORKERS = 12;
/** The longest pause between two orders of a worker. */
const MAX_PAUSE_MS = 100;
/** The longest pause between two attempts of a request. */
const MAX_RETRY_MS = 100;
/** How long a vendor repeats one request. */
const MAX_PATIENCE_MS = 120_000;
/** The amount of one collection; an order costs about a hundredth of it. */
const INCOME = '10000.00';

/**
 * Well-behaved vendors: each order has its own reference and is repeated with it at any of the
 * addresses until it is answered. Every answer is kept.
 */
export function startLoad(options: {
  readonly parties: TestParties;
  /** The addresses of the processes with the role `api`. */
  readonly origins: readonly string[];
  readonly random: Random;
  /** Returns an account of the biller without its last four digits, a different one for each number. */
  readonly accountOf: (biller: string, number: number) => string;
  /** Cents that amounts may have. */
  readonly cents: readonly string[];
  /** How a bill is paid; default: a create, without waiting for the result. */
  readonly pay?: Payer | undefined;
}): Load {
  const { parties, random } = options;
  const orders: Order[] = [];
  const collectedCents = new Map<string, bigint>();
  const findings: string[] = [];
  const stopping = new AbortController();
  let stoppedAtMs = Infinity;
  const isOver = (): boolean => performance.now() > stoppedAtMs + MAX_PATIENCE_MS;
  let count = 0;

  /** Repeats a request until it is answered with 200. Any other answer must be a 503. */
  const repeatUntilAnswered = async (
    path: string,
    params: Params,
    key: string,
  ): Promise<Answer> => {
    while (!isOver()) {
      const request = encode(path, signed(params, key), 'urlencoded');
      const answer = await send(random.pick(options.origins), request).catch(() => undefined);
      if (answer?.status === 200) return answer;
      if (answer !== undefined && answer.status !== 503) {
        throw new Error(`${path} was answered with ${answer.status}: ${answer.text}`);
      }
      await delay(random.whole(10, MAX_RETRY_MS));
    }
    throw new Error(`${path} was not answered within ${MAX_PATIENCE_MS} ms after the last kill`);
  };

  const earn = async ({ vid, key }: TestVendor): Promise<void> => {
    count += 1;
    const income = {
      collector: parties.collector.vid,
      vid,
      reference: `receipt-${count}`,
      amount: INCOME,
      currency: 'KES',
      paid_at: '2026-01-05 09:00:00',
    };
    await repeatUntilAnswered(PATHS.collect, income, parties.collector.key);
    collectedCents.set(vid, (collectedCents.get(vid) ?? 0n) + 1_000_000n);
    // Each call needs a different time. With an earlier one the service would repeat the earlier answer.
    const time = String(1_700_000_000_000 + count * 1000);
    await repeatUntilAnswered(PATHS.fund, { vid, time, currency: 'KES' }, key);
  };

  const create: Payer = async ({ vid, key }, bill) => {
    const params = {
      vid,
      biller_name: bill.biller,
      account: bill.account,
      amount: bill.amount,
      merchant_reference: bill.merchantReference,
    };
    const answer = await repeatUntilAnswered(PATHS.create, params, key);
    return { reference: String(answer.body.msg['ipay_reference']) };
  };
  const { pay: payBill = create } = options;

  const pay = async (vendor: TestVendor): Promise<void> => {
    const { vid } = vendor;
    count += 1;
    const biller = random.pick(parties.billers);
    const order: Order = {
      vid,
      merchantReference: `order-${count}`,
      account: options.accountOf(biller, count) + pickSuffix(random),
      amount: `${random.whole(50, 150)}.${random.pick(options.cents)}`,
      references: new Set(),
      finals: new Set(),
    };
    orders.push(order);
    // Sometimes a vendor repeats a request that was answered.
    for (let times = random.chance(0.1) ? 2 : 1; times > 0; times -= 1) {
      let answered = await payBill(vendor, { biller, ...order });
      while (answered === undefined && !isOver()) {
        answered = await payBill(vendor, { biller, ...order });
      }
      if (answered === undefined) throw new Error(`${order.merchantReference} was not answered`);
      order.references.add(answered.reference);
      if (answered.final !== undefined) order.finals.add(answered.final);
    }
  };

  const work = async (vendor: TestVendor): Promise<void> => {
    await earn(vendor);
    for (let done = 1; !stopping.signal.aborted; done += 1) {
      if (done % 40 === 0) await earn(vendor);
      await pay(vendor);
      await delay(random.whole(0, MAX_PAUSE_MS));
    }
  };
  // Several workers share the float of one vendor.
  const workers = Array.from({ length: WORKERS }, async (_, index) => {
    const vendor = parties.vendors[index % parties.vendors.length];
    try {
      if (vendor !== undefined) await work(vendor);
    } catch (error) {
      findings.push(String(error));
    }
  });
  return {
    orders,
    collectedCents,
    findings,
    get accepted() {
      return orders.filter(({ references }) => references.size > 0).length;
    },
    stop: async () => {
      stoppedAtMs = performance.now();
      stopping.abort();
      await Promise.all(workers);
    },
  };
}

function pickSuffix(random: Random): string {
  let ticket = random.whole(
    1,
    SUFFIXES.reduce((sum, [, share]) => sum + share, 0),
  );
  for (const [suffix, share] of SUFFIXES) {
    ticket -= share;
    if (ticket <= 0) return suffix;
  }
  return '9901';
}
