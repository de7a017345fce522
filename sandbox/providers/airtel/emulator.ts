import { createHmac } from 'node:crypto';
import { Deliveries, shillings } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { Later, jsonPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import { refusalOf, statusOf } from './codes.ts';
import type { Code } from './codes.ts';

export interface AirtelOptions {
  /** Time from the answer to the end; 9905 and 9906 take four times as long. */
  readonly endsAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** Where payments are reported; left out: nowhere, as it is not established that they are. */
  readonly callbackUrl?: () => string;
  /** The key with which callbacks are authenticated, and what is hashed, which is not established. */
  readonly hash?: { readonly key: string; readonly over: 'transaction' | 'envelope' };
  /** The code of an id that was used; the documents have both. */
  readonly usedId: 'similar_exists' | 'duplicate_id';
  /** How many enquiries about a new payment find nothing. */
  readonly lateLookups: number;
}

/** As the gateway has checked it. */
export interface Disbursement {
  readonly id: string;
  readonly msisdn: string;
  readonly amount: number;
  readonly hasCorrectPin: boolean;
}

interface Payment extends Disbursement {
  readonly number: number;
  status: 'TS' | 'TF' | 'TA' | 'TIP';
  endedAtMs: number | null;
  hiddenFrom: number;
}

/** A later event: a callback, or the end of a payment. */
type Task =
  | { readonly kind: 'post'; readonly post: Post }
  | {
      readonly kind: 'end';
      readonly id: string;
      readonly status: 'TS' | 'TF';
      /** When each callback is sent, from the end on. */
      readonly tellAfterMs: readonly number[];
    };

const OPENING_FLOAT = 1_000_000;

/** Disbursements to wallets. The partner's transaction id is accepted once. */
export class AirtelEmulator {
  readonly later: Later<Task>;
  readonly deliveries: Deliveries;
  readonly #options: AirtelOptions;
  readonly #payments: Table<Payment>;
  readonly #wasLow: Table<true>;

  constructor(options: AirtelOptions, memory = new Memory()) {
    this.#options = options;
    this.#payments = memory.table('payments');
    this.#wasLow = memory.table('low');
    this.deliveries = new Deliveries(memory, options.slowMs);
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'post') await post(task.post);
      else this.#end(task);
    });
  }

  /** Lists everything that was paid. */
  truth(): TruthEntry[] {
    return this.#payments
      .rows()
      .filter(({ status }) => status === 'TS')
      .map(({ id, msisdn, amount, endedAtMs }) => ({
        reference: id,
        biller: 'B2C',
        account: msisdn,
        amount: shillings(amount),
        paid_at: new Date(endedAtMs ?? 0).toISOString(),
      }));
  }

  balance(): string {
    const spent = this.truth().reduce((sum, { amount }) => sum + Number(amount), 0);
    return shillings(OPENING_FLOAT - spent);
  }

  pay(order: Disbursement): object {
    if (this.#payments.get(order.id) !== undefined) return refused(this.#options.usedId);
    if (!order.hasCorrectPin) return refused('refused');
    const suffix = order.msisdn.slice(-4);
    const refusal = this.#isLow(suffix, order.msisdn) ? 'insufficient_funds' : refusalOf(suffix);
    if (refusal !== undefined) return refused(refusal);
    const payment: Payment = {
      ...order,
      number: this.#payments.size + 1,
      status: 'TIP',
      endedAtMs: null,
      hiddenFrom: this.#options.lateLookups,
    };
    this.#payments.put(order.id, payment);
    return this.#act(payment, suffix);
  }

  /** The answer to an enquiry; it is found by the partner's id only. */
  enquire(id: string): object {
    const payment = this.#payments.get(id);
    if (payment === undefined) return refused('not_found');
    if (payment.hiddenFrom > 0) {
      payment.hiddenFrom -= 1;
      this.#payments.put(id, payment);
      return refused('not_found');
    }
    const { status } = payment;
    const code = { TS: 'success', TF: 'failed', TA: 'ambiguous', TIP: 'in_process' } as const;
    return shown(payment, code[status]);
  }

  #isLow(suffix: string, msisdn: string): boolean {
    if (suffix !== '9918' || this.#wasLow.get(msisdn) !== undefined) return false;
    this.#wasLow.put(msisdn, true);
    return true;
  }

  #act(payment: Payment, suffix: string): object {
    const { endsAfterMs } = this.#options;
    const end = (status: 'TS' | 'TF', tellAfterMs = [endsAfterMs], afterMs = endsAfterMs): void =>
      this.later.run(afterMs, { kind: 'end', id: payment.id, status, tellAfterMs });
    const open = (status: 'TA' | 'TIP', code: Code): object => {
      payment.status = status;
      this.#payments.put(payment.id, payment);
      return shown(payment, code);
    };
    switch (suffix) {
      case '9904':
      case '9924':
        end('TF');
        return open('TIP', 'in_process');
      case '9905':
        end('TS', [endsAfterMs], 4 * endsAfterMs);
        return open('TIP', 'in_process');
      case '9906':
        end('TS', [endsAfterMs, endsAfterMs, 10 * endsAfterMs], 4 * endsAfterMs);
        return open('TIP', 'in_process');
      case '9909':
        return open('TIP', 'in_process');
      case '9911':
        end('TS', []);
        return open('TIP', 'in_process');
      case '9917':
        end('TS');
        return open('TA', 'ambiguous');
      case '9919':
        end('TF');
        return open('TA', 'ambiguous');
      case '9921':
        end('TS');
        return { status: statusOf('timed_out') };
      case '9922':
        end('TF');
        return { status: statusOf('timed_out') };
      default: {
        this.#end({ kind: 'end', id: payment.id, status: 'TS', tellAfterMs: [endsAfterMs] });
        if (suffix === '9920') this.#report({ ...payment, id: `${payment.id}X`, status: 'TF' }, 1);
        return suffix === '9925' ? withoutCode() : shown(payment, 'success');
      }
    }
  }

  #end({ id, status, tellAfterMs }: Extract<Task, { kind: 'end' }>): void {
    const payment = this.#payments.get(id);
    if (payment === undefined) return;
    payment.status = status;
    payment.endedAtMs = Date.now();
    this.#payments.put(id, payment);
    for (const afterMs of tellAfterMs) this.#report(payment, afterMs);
  }

  #report(payment: Payment, afterMs: number): void {
    const { callbackUrl, hash } = this.#options;
    if (callbackUrl === undefined) return;
    const transaction = {
      id: payment.id,
      message: messageOf(payment),
      status_code: payment.status,
      airtel_money_id: moneyIdOf(payment),
    };
    const content = {
      transaction,
      ...(hash !== undefined && {
        hash: createHmac('sha256', hash.key)
          .update(JSON.stringify(hash.over === 'transaction' ? transaction : { transaction }))
          .digest('base64'),
      }),
    };
    this.later.run(afterMs, { kind: 'post', post: jsonPost(callbackUrl(), content) });
  }
}

export function refused(code: Code, message?: string): object {
  return { status: statusOf(code, message) };
}

/** Live answers have been seen without the code that decides; this one belongs to a payment. */
function withoutCode(): object {
  const message = 'Request could not be processed';
  return { status: { code: 400, success: false, result_code: 'ESB000008', message } };
}

function shown(payment: Payment, code: Code): object {
  const isEnded = payment.status === 'TS' || payment.status === 'TF';
  return {
    data: {
      transaction: {
        reference_id: referenceOf(payment),
        ...(isEnded && { airtel_money_id: moneyIdOf(payment) }),
        id: payment.id,
        status: payment.status,
      },
    },
    status: statusOf(code, payment.status === 'TS' ? messageOf(payment) : undefined),
  };
}

function messageOf(payment: Payment): string {
  const { amount, msisdn, status } = payment;
  if (status !== 'TS') return 'Transaction failed.';
  return `You have sent KES ${shillings(amount)} to ${msisdn} TEST CUSTOMER. TID: ${referenceOf(payment)}`;
}

const referenceOf = ({ number }: Payment): string =>
  `CI260105.1015.H${String(number).padStart(5, '0')}`;

const moneyIdOf = ({ number }: Payment): string =>
  `disbursement-Y79CTORHGI-${String(number).padStart(8, '0')}`;
