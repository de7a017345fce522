import { Later, postJson } from '../later.ts';
import {
  balanceResult,
  declinedResult,
  failedQuery,
  paidResult,
  statusResult,
  terseResult,
} from './results.ts';
import type { Ids, Order } from './results.ts';

export interface DarajaOptions {
  /** Time from the answer to the Result. */
  readonly resultAfterMs: number;
  /** What a status query about an unknown id comes to; not established for the real one. */
  readonly unknownId: 'code_25' | 'silence';
  /** Whether the initiator's credential is right; a wrong one is noticed only later. */
  readonly acceptsCredential: (credential: string) => boolean;
}

export interface TruthEntry {
  readonly conversationId: string;
  readonly payBill: string;
  readonly account: string;
  readonly amount: string;
}

/** What the HTTP side does with the connection. */
export type Reply =
  { readonly kind: 'accepted'; readonly order: Order } | { readonly kind: 'never' | 'garbage' };

interface Known {
  readonly order: Order;
  status: string;
  paidAmount: number;
}

const OPENING_FLOAT = 1_000_000;
const UNSPEAKABLE = new Set(['9903', '9916']);

/** Executes payment requests and sends their Results. Every request that arrives is a payment of its own. */
export class DarajaEmulator {
  readonly later = new Later();
  readonly #options: DarajaOptions;
  readonly #known = new Map<string, Known>();
  readonly #executed: Known[] = [];
  #ids = 0;
  #skewMs = 0;

  constructor(options: DarajaOptions) {
    this.#options = options;
  }

  /** Moves its clock against the real one. */
  skewClock(byMs: number): void {
    this.#skewMs = byMs;
  }

  /** What was executed and not taken back. */
  truth(): TruthEntry[] {
    return this.#executed
      .filter((known) => known.status !== 'Reversed')
      .map(({ order, paidAmount }) => ({
        conversationId: order.conversationId,
        payBill: order.payBill,
        account: order.account,
        amount: `${paidAmount}.00`,
      }));
  }

  #newIds(): Ids {
    this.#ids += 1;
    const number = String(this.#ids);
    return {
      originatorConversationId: `5118-111210482-${number}`,
      conversationId: `AG_20260105_0000${number.padStart(16, '0')}`,
    };
  }

  pay(body: Readonly<Record<string, unknown>>): Reply {
    const ids = this.#newIds();
    const order: Order = {
      ...ids,
      receipt: `UA5${String(this.#ids).padStart(7, '0')}`,
      account: String(body['AccountReference']),
      payBill: String(body['PartyB']),
      payer: String(body['PartyA']),
      amount: Number(body['Amount']),
      resultUrl: String(body['ResultURL']),
      timeoutUrl: String(body['QueueTimeOutURL']),
    };
    const known: Known = { order, status: 'Initiated', paidAmount: order.amount };
    this.#known.set(order.conversationId, known);
    const suffix = order.account.slice(-4);
    if (!this.#options.acceptsCredential(String(body['SecurityCredential']))) {
      this.#decline(known, '2001', 'Declined');
    } else {
      this.#act(known, suffix);
    }
    if (UNSPEAKABLE.has(suffix)) return { kind: 'never' };
    return suffix === '9908' ? { kind: 'garbage' } : { kind: 'accepted', order };
  }

  queryStatus(body: Readonly<Record<string, unknown>>): Ids {
    const ids = this.#newIds();
    const url = String(body['ResultURL']);
    const known = this.#known.get(String(body['OriginalConversationID']));
    if (known !== undefined) {
      const { status, paidAmount } = known;
      const state = { status, amount: paidAmount, atMs: this.#nowMs() };
      this.#send(url, statusResult(ids, known.order, state));
    } else if (this.#options.unknownId === 'code_25') {
      this.#send(url, failedQuery(ids));
    }
    return ids;
  }

  queryBalance(body: Readonly<Record<string, unknown>>): Ids {
    const ids = this.#newIds();
    const spent = this.#executed.reduce((sum, { paidAmount }) => sum + paidAmount, 0);
    const balance = { amount: OPENING_FLOAT - spent, atMs: this.#nowMs() };
    this.#send(String(body['ResultURL']), balanceResult(ids, balance));
    return ids;
  }

  #act(known: Known, suffix: string): void {
    const { order } = known;
    switch (suffix) {
      case '9902':
        return this.#decline(known, '2006', 'Declined');
      case '9904':
        return this.#decline(known, '2006', 'Failed');
      case '9909':
        return;
      case '9906':
        this.#execute(known);
        return this.#tell(known, 3);
      case '9911':
      case '9916':
        return this.#execute(known);
      case '9912':
        this.#execute(known);
        return this.#send(order.resultUrl, terseResult(order, { amount: known.paidAmount }));
      case '9913':
        this.#send(order.timeoutUrl, {});
        this.#execute(known);
        return this.#tell(known, 1);
      case '9914':
        known.paidAmount -= 10;
        this.#execute(known);
        return this.#tell(known, 1);
      case '9915':
        this.#execute(known);
        known.status = 'Reversed';
        return this.#tell(known, 1);
      default:
        this.#execute(known);
        return this.#tell(known, 1);
    }
  }

  #execute(known: Known): void {
    known.status = 'Completed';
    this.#executed.push(known);
  }

  #decline(known: Known, code: string, status: string): void {
    known.status = status;
    const { order } = known;
    this.#send(order.resultUrl, declinedResult(order, code, this.#nowMs()));
  }

  #tell({ order, paidAmount }: Known, times: number): void {
    const result = paidResult(order, { amount: paidAmount, atMs: this.#nowMs() });
    for (let time = 0; time < times; time += 1) this.#send(order.resultUrl, result);
  }

  #send(url: string, content: unknown): void {
    this.later.run(this.#options.resultAfterMs, async () => {
      await postJson(url, content);
    });
  }

  #nowMs(): number {
    return Date.now() + this.#skewMs;
  }
}
