import { createHmac } from 'node:crypto';
import { Deliveries, shillings } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { Later, post, signedPost } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';

export interface ReloadlyOptions {
  readonly webhookUrl: () => string;
  readonly webhookSecret: string;
  /** Time from a top-up that is being processed to its end, and to its webhook. */
  readonly endsAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** Time between looking for an identifier and recording it: two at once both pass. */
  readonly recordsAfterMs: number;
  /** True: a refused request uses up its identifier; not established for the real one. */
  readonly refusalUsesIdentifier: boolean;
}

export interface TopUpBody {
  readonly operatorId: number;
  readonly amount: number;
  readonly useLocalAmount: boolean;
  readonly customIdentifier: string;
  readonly recipientPhone: { readonly countryCode: string; readonly number: string };
}

interface TopUp {
  readonly transactionId: number;
  readonly customIdentifier: string;
  readonly phone: string;
  readonly operatorId: number;
  readonly atMs: number;
  /** In cents of the recipient's currency. */
  readonly deliveredCents: number;
  status: 'PROCESSING' | 'SUCCESSFUL' | 'REFUNDED' | 'FAILED';
}

type Ending = Exclude<TopUp['status'], 'PROCESSING'>;

/** A later event: a webhook, or the end of a top-up. */
type Task =
  | { readonly kind: 'callback'; readonly data: object; readonly oldMs: number }
  | {
      readonly kind: 'end';
      readonly transactionId: number;
      readonly status: Ending;
      readonly webhooks: number;
      /** Age of their timestamp. */
      readonly oldMs: number;
    };

export interface Refused {
  readonly httpStatus: number;
  readonly errorCode: string;
}

/** Cents of a dollar for one shilling, times 1,000: 128.2 shillings to the dollar. */
const RATE = 128.2;
const OPENING_WALLET = 10_000;
const EAST_AFRICA_MS = 3 * 3_600_000;

/** Executes top-ups, one for each `customIdentifier`, unless two come at once. */
export class ReloadlyEmulator {
  readonly later: Later<Task>;
  readonly deliveries: Deliveries;
  readonly #options: ReloadlyOptions;
  readonly #topUps: Table<TopUp>;
  readonly #used: Table<true>;
  readonly #wasLow: Table<true>;
  #skewMs = 0;

  constructor(options: ReloadlyOptions, memory = new Memory()) {
    this.#options = options;
    this.deliveries = new Deliveries(memory, options.slowMs);
    this.#topUps = memory.table('top_ups');
    this.#used = memory.table('used');
    this.#wasLow = memory.table('low');
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'callback') await this.#callBack(task.data, task.oldMs);
      else this.#end(task);
    });
  }

  /** Moves its clock against the real one. */
  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** Lists everything that was executed and not taken back. */
  truth(): TruthEntry[] {
    return this.#topUps
      .rows()
      .filter(({ status }) => status === 'SUCCESSFUL')
      .map(({ customIdentifier, operatorId, phone, deliveredCents, atMs }) => ({
        reference: customIdentifier,
        biller: String(operatorId),
        account: phone,
        amount: shillings(deliveredCents / 100),
        paid_at: new Date(atMs).toISOString(),
      }));
  }

  async topUp(body: TopUpBody): Promise<object | Refused> {
    const identifier = body.customIdentifier.toLowerCase();
    if (this.#used.get(identifier) !== undefined)
      return refuse(400, 'CUSTOM_IDENTIFIER_ALREADY_USED');
    // Not atomic, as with the real one.
    await new Promise((resolve) => setTimeout(resolve, this.#options.recordsAfterMs));
    const phone = body.recipientPhone.number;
    const suffix = phone.slice(-4);
    const refused = this.#refusalOf(body, suffix);
    if (refused !== undefined) {
      if (this.#options.refusalUsesIdentifier) this.#used.put(identifier, true);
      return refused;
    }
    this.#used.put(identifier, true);
    if (suffix === '9920') return refuse(400, 'PHONE_BANNED_BY_OPERATOR');
    const topUp = this.#record(body, suffix);
    this.#proceed(topUp, suffix);
    return suffix === '9917'
      ? refuse(400, 'TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT')
      : this.#shown(topUp);
  }

  /** The report's rows; the filter ignores case. */
  report(identifier: string | null): object[] {
    return this.#topUps
      .rows()
      .filter(
        (topUp) =>
          identifier === null || topUp.customIdentifier.toLowerCase() === identifier.toLowerCase(),
      )
      .map((topUp) => this.#shown(topUp));
  }

  balance(): object {
    const spent = this.#topUps
      .rows()
      .filter(({ status }) => status !== 'REFUNDED' && status !== 'FAILED')
      .reduce((sum, { deliveredCents }) => sum + dollars(deliveredCents), 0);
    return {
      balance: Number((OPENING_WALLET - spent).toFixed(2)),
      frozenBalance: 0,
      currencyCode: 'USD',
      currencyName: 'US Dollar',
      updatedAt: stamp(this.#nowMs()),
    };
  }

  #refusalOf(body: TopUpBody, suffix: string): Refused | undefined {
    const { number } = body.recipientPhone;
    if (suffix === '9902') return refuse(400, 'INVALID_RECIPIENT_PHONE');
    if (networkOf(number) !== body.operatorId) {
      return refuse(400, 'OPERATOR_AND_RECIPIENT_PHONE_MISMATCH');
    }
    if (body.amount < 5 || body.amount > 10_000) {
      return refuse(400, 'INVALID_LOCAL_AMOUNT_FOR_OPERATOR');
    }
    if (suffix === '9918' && this.#wasLow.get(number) === undefined) {
      this.#wasLow.put(number, true);
      return refuse(400, 'INSUFFICIENT_BALANCE');
    }
    return undefined;
  }

  #record(body: TopUpBody, suffix: string): TopUp {
    const local = body.useLocalAmount ? body.amount : body.amount * RATE;
    const topUp: TopUp = {
      transactionId: 900_001 + this.#topUps.size,
      customIdentifier: body.customIdentifier,
      phone: body.recipientPhone.number,
      operatorId: body.operatorId,
      atMs: this.#nowMs(),
      deliveredCents: Math.round(local * 100) - (suffix === '9914' ? 1_000 : 0),
      status: 'PROCESSING',
    };
    this.#topUps.put(topUp.transactionId, topUp);
    return topUp;
  }

  #proceed(topUp: TopUp, suffix: string): void {
    const { endsAfterMs } = this.#options;
    const end = (status: Ending, webhooks = 1, oldMs = 0): void =>
      this.later.run(endsAfterMs, {
        kind: 'end',
        transactionId: topUp.transactionId,
        status,
        webhooks,
        oldMs,
      });
    switch (suffix) {
      case '9904':
      case '9924':
        return end('REFUNDED');
      case '9905':
        return end('SUCCESSFUL');
      case '9906':
        return end('SUCCESSFUL', 3);
      case '9909':
        return;
      case '9911':
        return end('SUCCESSFUL', 0);
      case '9915':
        this.#succeed(topUp);
        return end('REFUNDED');
      case '9919':
        return end('FAILED');
      case '9921':
        return end('SUCCESSFUL', 1, 3_600_000);
      default:
        this.#succeed(topUp);
    }
  }

  #succeed(topUp: TopUp): void {
    topUp.status = 'SUCCESSFUL';
    this.#topUps.put(topUp.transactionId, topUp);
  }

  /** The last of several webhooks comes late. */
  #end({ transactionId, status, webhooks, oldMs }: Extract<Task, { kind: 'end' }>): void {
    const topUp = this.#topUps.get(transactionId);
    if (topUp === undefined) return;
    topUp.status = status;
    this.#topUps.put(transactionId, topUp);
    const data = this.#shown(topUp);
    for (let time = 0; time < webhooks; time += 1) {
      const delayMs = time === 2 ? 2.5 * this.#options.endsAfterMs : 0;
      this.later.run(delayMs, { kind: 'callback', data, oldMs });
    }
  }

  async #callBack(data: object, oldMs: number): Promise<void> {
    const body = JSON.stringify({ type: 'airtime_transaction.status', data });
    const timestamp = String(Math.floor((this.#nowMs() - oldMs) / 1000));
    const signature = createHmac('sha256', this.#options.webhookSecret)
      .update(`${body}:${timestamp}`)
      .digest('hex');
    const headers = {
      'x-reloadly-signature': signature,
      'x-reloadly-request-timestamp': timestamp,
    };
    await post(signedPost(this.#options.webhookUrl(), body, headers));
  }

  #shown(topUp: TopUp): object {
    const { transactionId, status, customIdentifier, phone, deliveredCents } = topUp;
    const cost = topUp.status === 'REFUNDED' ? 0 : dollars(deliveredCents);
    return {
      transactionId,
      status,
      operatorTransactionId: status === 'SUCCESSFUL' ? `OT-${transactionId}` : null,
      customIdentifier,
      recipientPhone: phone,
      recipientEmail: null,
      senderPhone: null,
      countryCode: 'KE',
      operatorId: topUp.operatorId,
      operatorName: 'Example Kenya',
      discount: 0,
      discountCurrencyCode: 'USD',
      requestedAmount: dollars(deliveredCents),
      requestedAmountCurrencyCode: 'USD',
      deliveredAmount: deliveredCents / 100,
      deliveredAmountCurrencyCode: 'KES',
      // In the recipient's time; the wallet's is in UTC.
      transactionDate: stamp(topUp.atMs + EAST_AFRICA_MS),
      fee: 0,
      pinDetail: null,
      balanceInfo: { cost, currencyCode: 'USD', currencyName: 'US Dollar' },
    };
  }

  #nowMs(): number {
    return Date.now() + this.#skewMs;
  }
}

function refuse(httpStatus: number, errorCode: string): Refused {
  return { httpStatus, errorCode };
}

/** Numbers that begin with 25473 or 073 belong to the second network, ported ones included. */
export function networkOf(phone: string): number {
  return /^(?:254|0)73/.test(phone) ? 342 : 341;
}

export function networkShown(id: number): object {
  return {
    operatorId: id,
    name: `Example Kenya ${id}`,
    bundle: false,
    data: false,
    comboProduct: false,
    pin: false,
    supportsLocalAmounts: true,
    denominationType: 'RANGE',
    senderCurrencyCode: 'USD',
    destinationCurrencyCode: 'KES',
    commission: 3,
    minAmount: 0.04,
    maxAmount: 78,
    localMinAmount: 5,
    localMaxAmount: 10_000,
    fx: { rate: RATE, currencyCode: 'KES' },
    fixedAmounts: [],
    localFixedAmounts: [],
    status: 'ACTIVE',
  };
}

/** A network that sells bundles of data. */
export function bundlesShown(id: number): object {
  return {
    ...networkShown(id),
    ...{ name: 'Example Kenya Data', bundle: true, data: true, denominationType: 'FIXED' },
    ...{ minAmount: null, maxAmount: null, localMinAmount: null, localMaxAmount: null },
    ...{ fixedAmounts: [0.39, 0.78], localFixedAmounts: [50, 100.0] },
  };
}

export function fxShown(id: number, amount: number): object {
  const fxRate = Number((amount * RATE).toFixed(4));
  return { id, name: `Example Kenya ${id}`, fxRate, currencyCode: 'KES' };
}

function dollars(shillingCents: number): number {
  return Number((shillingCents / 100 / RATE).toFixed(4));
}

function stamp(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').replace(/\..*/, '');
}
