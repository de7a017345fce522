import { Deliveries, shillings } from '../emulator.ts';
import type { Delivery, TruthEntry } from '../emulator.ts';
import { Later, jsonPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import {
  balanceResult,
  declinedResult,
  failedQuery,
  paidResult,
  statusResult,
  terseResult,
} from './results.ts';
import { declineCodeOf } from './result-codes.ts';
import type { Ids, Order } from './results.ts';

export interface DarajaOptions {
  /** Time from the answer to the Result; 9905 and 9906 take four times as long. */
  readonly resultAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** Answer to a status query about an unknown id; not known of the real provider. */
  readonly unknownId: 'code_25' | 'silence';
  /**
   * Which of the two ids of an instruction a status query calls `OriginalConversationID`; documents and clients
   * contradict each other.
   */
  readonly originalId: 'originator' | 'conversation';
  /** Identifier type of tills: the page says 4, clients send 2. Left out: either. */
  readonly tillIdentifier?: '2' | '4';
  /** The share of Results, of payments and of queries, that are never sent. Default: 0. */
  readonly lostResults?: number;
  /** Checks the initiator's credential; a wrong one is noticed only later. */
  readonly acceptsCredential: (credential: string) => boolean;
}

interface Known {
  readonly order: Order;
  /** Our caller's name for it: the id that it gave, or else the text in Occassion. */
  readonly reference: string;
  status: string;
  paidAmount: number;
  executedAtMs: number | null;
}

const OPENING_FLOAT = 1_000_000;

/** Executes payment requests and sends their Results. Every request that arrives is a payment of its own. */
export class DarajaEmulator {
  readonly later: Later<Post>;
  readonly deliveries: Deliveries;
  readonly #options: DarajaOptions;
  readonly #known: Table<Known>;
  /** One row: how many ids were given. */
  readonly #ids: Table<number>;
  #skewMs = 0;

  constructor(options: DarajaOptions, memory = new Memory()) {
    this.#options = options;
    this.#known = memory.table('payments');
    this.#ids = memory.table('ids');
    this.deliveries = new Deliveries(memory, options.slowMs);
    const { lostResults = 0 } = options;
    this.later = new Later(memory, async (message) => {
      if (Math.random() >= lostResults) await post(message);
    });
  }

  /** Moves its clock against the real one. */
  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** Lists everything that was executed and not taken back. */
  truth(): TruthEntry[] {
    return this.#known
      .rows()
      .filter(({ status }) => status === 'Completed')
      .map(({ order, reference, paidAmount, executedAtMs }) => ({
        reference,
        biller: order.receiver,
        account: order.account,
        amount: shillings(paidAmount),
        paid_at: new Date(executedAtMs ?? 0).toISOString(),
      }));
  }

  /** Chooses the answer to a request to pay this account. */
  deliveryOf(account: string): Delivery {
    return account.endsWith('9916') ? 'never' : this.deliveries.of(account);
  }

  acceptsReceiver(body: Readonly<Record<string, unknown>>): boolean {
    const { tillIdentifier = body['RecieverIdentifierType'] } = this.#options;
    return (
      body['CommandID'] !== 'BusinessBuyGoods' || body['RecieverIdentifierType'] === tillIdentifier
    );
  }

  /** An id that a caller gave is given once. */
  knowsOriginator(id: string): boolean {
    return this.#known.rows().some(({ order }) => order.originatorConversationId === id);
  }

  #newIds(): Ids {
    const count = (this.#ids.get('last') ?? 0) + 1;
    this.#ids.put('last', count);
    const number = String(count);
    return {
      originatorConversationId: `5118-111210482-${number}`,
      conversationId: `AG_20260105_0000${number.padStart(16, '0')}`,
    };
  }

  /** Pays a business: a pay bill or a till. */
  pay(body: Readonly<Record<string, unknown>>): Order {
    return this.#accept(body, {
      ...this.#newIds(),
      product: body['CommandID'] === 'BusinessBuyGoods' ? 'till' : 'pay_bill',
      account: String(body['AccountReference']),
      reference: String(body['Occassion']),
    });
  }

  /** Pays a customer. @param originatorConversationId the caller's own, which v1 does not have. */
  payPhone(body: Readonly<Record<string, unknown>>, originatorConversationId?: string): Order {
    const ids = this.#newIds();
    return this.#accept(body, {
      ...ids,
      originatorConversationId: originatorConversationId ?? ids.originatorConversationId,
      product: 'phone',
      account: String(body['PartyB']),
      reference: originatorConversationId ?? String(body['Occasion'] ?? body['Occassion']),
    });
  }

  #accept(
    body: Readonly<Record<string, unknown>>,
    {
      reference,
      ...named
    }: Pick<Order, 'product' | 'account' | keyof Ids> & { readonly reference: string },
  ): Order {
    const order: Order = {
      ...named,
      receipt: `UA5${(this.#ids.get('last') ?? 0).toString().padStart(7, '0')}`,
      receiver: String(body['PartyB']),
      payer: String(body['PartyA']),
      amount: Number(body['Amount']),
      resultUrl: String(body['ResultURL']),
      timeoutUrl: String(body['QueueTimeOutURL']),
    };
    const known: Known = {
      order,
      reference,
      status: 'Initiated',
      paidAmount: order.amount,
      executedAtMs: null,
    };
    this.#known.put(order.conversationId, known);
    if (!this.#options.acceptsCredential(String(body['SecurityCredential']))) {
      this.#decline(known, '2001', 'Declined');
    } else {
      this.#act(known, order.account.slice(-4));
    }
    return order;
  }

  queryStatus(body: Readonly<Record<string, unknown>>): Ids {
    const ids = this.#newIds();
    const url = String(body['ResultURL']);
    const known = this.#askedFor(body);
    if (known !== undefined) {
      const { status, paidAmount } = known;
      const state = { status, amount: paidAmount, atMs: this.#nowMs() };
      this.#send(url, statusResult(ids, known.order, state));
    } else if (this.#options.unknownId === 'code_25') {
      this.#send(url, failedQuery(ids));
    }
    return ids;
  }

  #askedFor(body: Readonly<Record<string, unknown>>): Known | undefined {
    const { TransactionID: receipt, OriginalConversationID: id } = body;
    if (receipt === undefined && this.#options.originalId === 'conversation') {
      return this.#known.get(String(id));
    }
    return this.#known
      .rows()
      .find(({ order }) =>
        receipt === undefined ? order.originatorConversationId === id : order.receipt === receipt,
      );
  }

  queryBalance(body: Readonly<Record<string, unknown>>): Ids {
    const ids = this.#newIds();
    const spent = this.truth().reduce((sum, { amount }) => sum + Number(amount), 0);
    const balance = { amount: OPENING_FLOAT - spent, atMs: this.#nowMs() };
    this.#send(String(body['ResultURL']), balanceResult(ids, balance));
    return ids;
  }

  #act(known: Known, suffix: string): void {
    const { order } = known;
    const { resultAfterMs } = this.#options;
    const code = declineCodeOf(suffix);
    if (code !== undefined) return this.#decline(known, code, 'Failed');
    switch (suffix) {
      case '9902':
        return this.#decline(known, '2006', 'Declined');
      case '9904':
      case '9922':
      case '9924':
        return this.#decline(known, '2006', 'Failed');
      case '9909':
        return;
      case '9905':
        this.#execute(known);
        return this.#callBack(known, [4 * resultAfterMs]);
      case '9906':
        this.#execute(known);
        return this.#callBack(known, [4 * resultAfterMs, 4 * resultAfterMs, 14 * resultAfterMs]);
      case '9911':
      case '9916':
        return this.#execute(known);
      case '9912':
        this.#execute(known);
        return this.#send(order.resultUrl, terseResult(order, { amount: known.paidAmount }));
      case '9913':
        this.#send(order.timeoutUrl, {});
        this.#execute(known);
        return this.#callBack(known);
      case '9914':
        known.paidAmount -= 10;
        this.#execute(known);
        return this.#callBack(known);
      case '9915':
        this.#execute(known, 'Reversed');
        return this.#callBack(known);
      case '9919':
        return this.#decline(known, '17', 'Failed');
      case '9920':
        this.#sendForeign(order);
        this.#execute(known);
        return this.#callBack(known);
      case '9921':
        // The Result says that the system failed, which says nothing about the payment.
        this.#execute(known);
        return this.#send(order.resultUrl, declinedResult(order, '17', this.#nowMs()));
      default:
        this.#execute(known);
        return this.#callBack(known);
    }
  }

  #execute(known: Known, status: 'Completed' | 'Reversed' = 'Completed'): void {
    known.status = status;
    known.executedAtMs = this.#nowMs();
    this.#known.put(known.order.conversationId, known);
  }

  #decline(known: Known, code: string, status: string): void {
    known.status = status;
    const { order } = known;
    this.#known.put(order.conversationId, known);
    this.#send(order.resultUrl, declinedResult(order, code, this.#nowMs()));
  }

  /** A Result that names other ids than the payment's, at its URL. */
  #sendForeign(order: Order): void {
    const foreign = {
      ...order,
      originatorConversationId: '5118-111210482-0',
      conversationId: 'AG_20260105_00000000000000000000',
    };
    this.#send(order.resultUrl, declinedResult(foreign, '2006', this.#nowMs()));
  }

  /** @param afterMs when each Result is sent. */
  #callBack({ order, paidAmount }: Known, afterMs = [this.#options.resultAfterMs]): void {
    const result = paidResult(order, { amount: paidAmount, atMs: this.#nowMs() });
    for (const delayMs of afterMs) this.later.run(delayMs, jsonPost(order.resultUrl, result));
  }

  #send(url: string, content: unknown): void {
    this.later.run(this.#options.resultAfterMs, jsonPost(url, content));
  }

  #nowMs(): number {
    return Date.now() + this.#skewMs;
  }
}
