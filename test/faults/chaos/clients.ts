import type { Random } from '../../simulation/random.ts';
import { startDriver } from '../../clients/driver.ts';
import type { ClientName, Driver } from '../../clients/driver.ts';
import type { TestVendor } from '../fleet.ts';

/** What a program of a vendor learned about a payment. */
export interface Answered {
  /** The `ipay_reference`. */
  readonly reference: string;
  /** The final state, if there was one in time. */
  readonly final?: 'SUCCESS' | 'FAILED';
}

/** A bill as the load makes it. */
export interface Bill {
  readonly biller: string;
  readonly account: string;
  /** Decimal text. */
  readonly amount: string;
  readonly merchantReference: string;
}

/** Pays bills; undefined if it has to be tried again, with the same bill. Throws if it is refused. */
export type Payer = (vendor: TestVendor, bill: Bill) => Promise<Answered | undefined>;

/** Several test programs of clients, started as they are needed. */
export interface Clients {
  readonly pay: Payer;
  end(): Promise<void>;
}

/** How long a client waits for a final state. */
const WAIT_FOR_MS = 3_000;
const TIMEOUT_MS = 5_000;
/** How long a client repeats a request, so that its own repeats are what is tested. */
const RETRY_FOR_MS = 60_000;

/** @param origins the addresses of the API; each payment goes to one of them, with all its repeats. */
export function startClients(
  names: readonly ClientName[],
  origins: readonly string[],
  random: Random,
): Clients {
  const all: Driver[] = [];
  const idle: Driver[] = [];
  const pay: Payer = async ({ vid, key }, bill) => {
    let driver = idle.shift();
    if (driver === undefined) {
      // One after the other, so that each client gets its share.
      driver = startDriver(names[all.length % names.length] ?? 'typescript');
      all.push(driver);
    }
    try {
      const url = random.pick(origins);
      const timing = { timeoutMs: TIMEOUT_MS, retryForMs: RETRY_FOR_MS };
      await driver.value('open', { url, vid, key, ...timing });
      return await payWith(driver, bill);
    } finally {
      idle.push(driver);
    }
  };
  return { pay, end: async () => void (await Promise.all(all.map((driver) => driver.end()))) };
}

async function payWith(driver: Driver, bill: Bill): Promise<Answered | undefined> {
  const { value, error } = await driver.call('pay', {
    billerName: bill.biller,
    account: bill.account,
    amountCents: Math.round(Number(bill.amount) * 100),
    merchantReference: bill.merchantReference,
    waitForMs: WAIT_FOR_MS,
  });
  if (error === undefined) {
    const { reference, status } = value as { reference: string; status: 'SUCCESS' | 'FAILED' };
    return { reference, final: status };
  }
  if (error.type === 'OutcomeUnknown' && typeof error.reference === 'string') {
    return { reference: error.reference };
  }
  if (error.type === 'OutcomeUnknown' || error.type === 'Unavailable') return undefined;
  throw new Error(`${bill.merchantReference}: ${JSON.stringify(error)}`);
}
