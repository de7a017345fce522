import { Deliveries, shillings } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { Later, jsonPost, post } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import { failsByCode, failureOf, PAID, QUEUED, REFUSALS, refusalOf } from './codes.ts';
import type { Leg, RefusalName } from './codes.ts';

export interface CoopPesalinkOptions {
  /** Time from the answer to the end; 9905 and 9906 take four times as long. */
  readonly endsAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** The HTTP status about a message in process: documented as 102, which cannot end an answer. */
  readonly inProcess: 200 | 202;
}

/** A transfer to one account, as the gateway has checked it. */
export interface Message {
  readonly reference: string;
  readonly legReference: string;
  readonly source: string;
  readonly account: string;
  readonly bankCode: string;
  readonly amount: number;
  readonly narration: string;
  readonly callbackUrl: string;
}

interface Transfer {
  readonly message: Message;
  readonly number: number;
  leg: Leg | null;
  isPaid: boolean;
  endedAtMs: number | null;
}

/** A later event: a callback, or the end of a transfer. */
type Task =
  | { readonly kind: 'post'; readonly post: Post }
  | {
      readonly kind: 'end';
      readonly reference: string;
      readonly leg: Leg;
      readonly isPaid: boolean;
      /** When each callback is sent, from the end on. */
      readonly tellAfterMs: readonly number[];
    };

export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Transfers by PesaLink. A message reference is accepted once. */
export class CoopPesalinkEmulator {
  readonly later: Later<Task>;
  readonly deliveries: Deliveries;
  readonly #options: CoopPesalinkOptions;
  readonly #transfers: Table<Transfer>;

  constructor(options: CoopPesalinkOptions, memory = new Memory()) {
    this.#options = options;
    this.#transfers = memory.table('transfers');
    this.deliveries = new Deliveries(memory, options.slowMs);
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'post') await post(task.post);
      else this.#end(task);
    });
  }

  /** Lists everything that was paid. */
  truth(): TruthEntry[] {
    return this.#transfers
      .rows()
      .filter(({ isPaid }) => isPaid)
      .map(({ message, endedAtMs }) => ({
        reference: message.reference,
        biller: message.bankCode,
        account: message.account,
        amount: shillings(message.amount),
        paid_at: new Date(endedAtMs ?? 0).toISOString(),
      }));
  }

  transfer(message: Message): Answer {
    const { reference, account } = message;
    if (this.#transfers.get(reference) !== undefined) return refusal('duplicate', reference);
    const suffix = account.slice(-4);
    const refused = refusalOf(suffix);
    if (refused !== undefined) return refusal(refused, reference);
    const number = this.#transfers.size + 1;
    this.#transfers.put(reference, { message, number, leg: null, isPaid: false, endedAtMs: null });
    this.#act(message, suffix);
    return suffix === '9917' || suffix === '9919'
      ? refusal('timed_out', reference)
      : { status: 200, body: head(reference, '0', 'REQUEST ACCEPTED FOR PROCESSING') };
  }

  enquire(reference: string): Answer {
    const transfer = this.#transfers.get(reference);
    if (transfer === undefined) return refusal('unknown', reference);
    if (transfer.leg === null) {
      const body = head(reference, '0', 'REQUEST ACCEPTED FOR PROCESSING');
      return { status: this.#options.inProcess, body };
    }
    const { leg } = transfer;
    return { status: leg.code === PAID.code ? 200 : 207, body: shown(transfer, leg) };
  }

  #act({ reference, callbackUrl }: Message, suffix: string): void {
    const { endsAfterMs } = this.#options;
    const end = (leg: Leg, tellAfterMs = [1], afterMs = endsAfterMs, isPaid = leg === PAID): void =>
      this.later.run(afterMs, { kind: 'end', reference, leg, isPaid, tellAfterMs });
    if (failsByCode(suffix)) return end(failureOf(suffix));
    switch (suffix) {
      case '9904':
      case '9919':
      case '9924':
        return end(failureOf(suffix));
      case '9905':
        return end(PAID, [1], 4 * endsAfterMs);
      case '9906':
        return end(PAID, [1, 1, 10 * endsAfterMs], 4 * endsAfterMs);
      case '9909':
        return;
      case '9911':
        return end(PAID, []);
      case '9920':
        this.#post(callbackUrl, head(`${reference}X`, '2', 'FULL FAILURE'), 1);
        return end(PAID);
      case '9921':
        return end(QUEUED, [1], endsAfterMs, true);
      case '9922':
        return end(QUEUED);
      default:
        return end(PAID);
    }
  }

  #end({ reference, leg, isPaid, tellAfterMs }: Extract<Task, { kind: 'end' }>): void {
    const transfer = this.#transfers.get(reference);
    if (transfer === undefined) return;
    transfer.leg = leg;
    transfer.isPaid = isPaid;
    transfer.endedAtMs = Date.now();
    this.#transfers.put(reference, transfer);
    for (const afterMs of tellAfterMs) {
      this.#post(transfer.message.callbackUrl, shown(transfer, leg), afterMs);
    }
  }

  #post(url: string, content: object, afterMs: number): void {
    this.later.run(afterMs, { kind: 'post', post: jsonPost(url, content) });
  }
}

export function refusal(name: RefusalName, reference: string): Answer {
  const { status, code, text } = REFUSALS[name];
  return { status, body: head(reference, code, text) };
}

function head(reference: string, code: string, text: string) {
  return {
    MessageReference: reference,
    MessageDateTime: new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 19),
    MessageCode: code,
    MessageDescription: text,
  };
}

/** The body of the callback, and of the answer to an enquiry. */
function shown({ message, number }: Transfer, { code, text }: Leg) {
  const isPaid = code === '0';
  const common = {
    Amount: message.amount,
    TransactionCurrency: 'KES',
    Narration: message.narration,
  };
  const result = { ResponseCode: code, ResponseDescription: text };
  return {
    ...head(message.reference, isPaid ? '0' : '2', isPaid ? 'FULL SUCCESS' : 'FULL FAILURE'),
    Source: { AccountNumber: message.source, ...common, ...result },
    Destinations: [
      {
        ReferenceNumber: message.legReference,
        AccountNumber: message.account,
        BankCode: message.bankCode,
        ...common,
        ...(isPaid && { TransactionID: `1169${String(number).padStart(8, '0')}` }),
        ...result,
      },
    ],
  };
}
