import type { Answer } from './answers.ts';
import { acceptedAnswer, answerFor, operatorReferenceOf } from './answers.ts';
import { planFor } from './behaviour.ts';
import type { Delays } from './behaviour.ts';
import type { Book, Entry, Instruction, Payment } from './book.ts';
import { sameContent } from './book.ts';
import type { CallbackSender } from './callbacks.ts';
import type { Journal } from './journal.ts';

/** How the server answers a request. */
export type Reply =
  | { readonly kind: 'answer'; readonly httpStatus: number; readonly answer: Answer }
  /** A body that is no answer, with HTTP status 200. */
  | { readonly kind: 'garbage' }
  /** The connection is cut without an answer. */
  | { readonly kind: 'cut' }
  /** The connection is held without an answer. */
  | { readonly kind: 'never' }
  /** The answer comes when the payment is executed: `OperatorSimulator.whenExecuted`. */
  | { readonly kind: 'when_executed'; readonly payment: Payment };

export interface SimulatorOptions {
  readonly book: Book;
  readonly journal: Journal;
  readonly callbacks: CallbackSender;
  readonly delays: Delays;
}

/** Accepts instructions, executes them when they are due, and reports the results. */
export class OperatorSimulator {
  readonly #options: SimulatorOptions;
  /** Callers whose connection waits for the execution. */
  readonly #waiting = new Map<Payment, Set<(answer: Answer) => void>>();

  constructor(options: SimulatorOptions) {
    this.#options = options;
  }

  /** An instruction. The same reference is never executed twice. */
  pay(instruction: Instruction): Reply {
    const { book, delays } = this.#options;
    const { operator, reference, account } = instruction;
    const known = book.find(operator, reference);
    if (known !== undefined) return this.#repeat(known, instruction);
    const plan = planFor(account, delays, book.wasLost(operator, reference));
    if (plan.decision === 'lost') {
      this.#record({ kind: 'lost', operator, reference });
      return { kind: 'cut' };
    }
    this.#record({ kind: plan.decision, atMs: Date.now(), instruction });
    const payment = book.find(operator, reference);
    if (payment === undefined) throw new Error('the book forgot what was just written down');
    if (payment.state === 'accepted') this.#executeLater(payment);
    return this.#replyFor(payment);
  }

  status(operator: string, reference: string): Reply {
    const payment = this.#options.book.find(operator, reference);
    if (payment === undefined) return given({ status: 'not_found', reference });
    return payment.state === 'silent' ? { kind: 'never' } : given(answerFor(payment));
  }

  /**
   * Calls `listener` once when the payment is executed.
   * Returns a function that takes it back, for a caller who has gone away.
   */
  whenExecuted(payment: Payment, listener: (answer: Answer) => void): () => void {
    const listeners = this.#waiting.get(payment) ?? new Set();
    this.#waiting.set(payment, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  /**
   * After a start: continues with payments that were accepted but not executed, or executed but not
   * reported.
   */
  resume(): void {
    for (const payment of this.#options.book.unfinished()) {
      if (payment.state === 'accepted') this.#executeLater(payment);
      else this.#sendCallbacks(payment);
    }
  }

  #repeat(payment: Payment, instruction: Instruction): Reply {
    const { operator, reference } = instruction;
    this.#record({ kind: 'repeated', operator, reference });
    return sameContent(payment.instruction, instruction)
      ? this.#replyFor(payment)
      : given({ status: 'conflict', reference }, 409);
  }

  #replyFor(payment: Payment): Reply {
    const { answer } = this.#planOf(payment);
    if (payment.state === 'accepted') {
      return answer === 'when_executed'
        ? { kind: 'when_executed', payment }
        : given(acceptedAnswer(payment));
    }
    if (answer === 'never' || answer === 'garbage' || answer === 'cut') return { kind: answer };
    return given(answerFor(payment));
  }

  #executeLater(payment: Payment): void {
    const dueAtMs = payment.receivedAtMs + this.#planOf(payment).executeAfterMs;
    at(dueAtMs, () => {
      this.#execute(payment);
    });
  }

  #execute(payment: Payment): void {
    const { operator, reference } = payment.instruction;
    const listeners = this.#waiting.get(payment);
    this.#waiting.delete(payment);
    // A caller whose connection is still open gets the answer there, others by callback.
    const isAnswered = listeners !== undefined && listeners.size > 0;
    const callbacks = isAnswered ? 0 : this.#planOf(payment).callbacksAfterMs.length;
    this.#record({ kind: 'executed', atMs: Date.now(), operator, reference, callbacks });
    for (const listener of listeners ?? []) listener(answerFor(payment));
    this.#sendCallbacks(payment);
  }

  #sendCallbacks(payment: Payment): void {
    const { callbacksAfterMs } = this.#planOf(payment);
    for (const index of payment.callbacksOpen) {
      at((payment.paidAtMs ?? 0) + (callbacksAfterMs[index] ?? 0), () => {
        void this.#sendCallback(payment, index);
      });
    }
  }

  async #sendCallback(payment: Payment, index: number): Promise<void> {
    const { operator, reference, callbackUrl } = payment.instruction;
    await this.#options.callbacks.deliver({
      url: callbackUrl,
      // One id for all repeats, because they report the same event.
      id: `msg_${operatorReferenceOf(payment)}`,
      body: JSON.stringify(answerFor(payment)),
    });
    this.#record({ kind: 'callback_done', operator, reference, index });
  }

  #planOf({ instruction }: Payment): ReturnType<typeof planFor> {
    // A recorded payment was not lost, or was lost before.
    return planFor(instruction.account, this.#options.delays, true);
  }

  /** The entry is written first. Only then does it count, and an answer may be sent. */
  #record(entry: Entry): void {
    this.#options.journal.append(entry);
    this.#options.book.apply(entry);
  }
}

/** Runs the action at a time of the clock, at once when that has passed. */
function at(timeMs: number, action: () => void): void {
  setTimeout(action, Math.max(0, timeMs - Date.now()));
}

function given(answer: Answer, httpStatus = 200): Reply {
  return { kind: 'answer', httpStatus, answer };
}
