import type { Answer } from './answers.ts';
import { acceptedAnswer, answerFor, operatorReferenceOf } from './answers.ts';
import { OUTCOMES, planFor } from './behaviour.ts';
import type { Delays, OutcomeName } from './behaviour.ts';
import type { Book, Entry, Instruction, Payment } from './book.ts';
import { sameContent } from './book.ts';
import type { CallbackSender } from './callbacks.ts';
import type { Choice } from './choices.ts';
import type { Journal } from './journal.ts';

/** The server's reply to a request. */
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
    const { operator, reference } = instruction;
    const known = book.find(operator, reference);
    if (known !== undefined) return this.#repeat(known, instruction);
    if (book.lacks(operator, instruction.amount)) return floatEmpty(reference);
    const wasLost = book.wasLost(operator, reference);
    const choice = wasLost ? undefined : book.choices.find(instruction);
    const outcome = choice?.outcome ?? book.outcomeOfLost(operator, reference);
    const chosen = {
      ...(outcome === undefined ? {} : { outcome }),
      ...(choice === undefined ? {} : { choice: choice.id }),
    };
    const plan = planFor(decisiveOf(instruction, outcome), delays, wasLost);
    if (plan.decision === 'lost') {
      this.#record({ kind: 'lost', operator, reference, ...chosen });
      return { kind: 'cut' };
    }
    this.#record({ kind: plan.decision, atMs: Date.now(), instruction, ...chosen });
    const payment = book.find(operator, reference);
    if (payment === undefined) throw new Error('the book forgot what was just written down');
    if (payment.state === 'accepted') this.#executeLater(payment);
    return this.#replyFor(payment);
  }

  status(operator: string, reference: string): Reply {
    const payment = this.#options.book.find(operator, reference);
    if (payment === undefined) return given({ status: 'not_found', reference });
    return payment.state === 'silent' ? { kind: 'never' } : given(this.#answerFor(payment));
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

  /**
   * Decides a payment that is undecided: it is paid or declined now, and reported.
   * Returns what it was before; undefined: no operator has the instruction.
   */
  advance(reference: string, result: 'paid' | 'declined'): Payment['state'] | undefined {
    const payment = this.#options.book.findAnywhere(reference);
    if (payment === undefined) return undefined;
    const { state } = payment;
    if (state === 'accepted' || state === 'silent') {
      this.#end(payment, result === 'paid' ? 'executed' : 'refused');
    }
    return state;
  }

  /** Returns what was paid. False: it is not paid. */
  reverse(reference: string): boolean {
    const payment = this.#options.book.findAnywhere(reference);
    if (payment?.state !== 'paid') return false;
    const { operator } = payment.instruction;
    this.#record({ kind: 'reversed', atMs: Date.now(), operator, reference });
    return true;
  }

  /** Returns false if there are too many choices for these references. */
  choose(choice: Choice): boolean {
    if (this.#options.book.choices.isFull(choice.references)) return false;
    this.#record({ kind: 'chosen', choice });
    return true;
  }

  dropChoices(references: string): void {
    this.#record({ kind: 'choices_dropped', references });
  }

  /** Adds to our float with an operator, or sets it. Returns the balance in cents. */
  changeFloat(
    operator: string,
    change: { readonly addCents: bigint } | { readonly setCents: bigint },
  ) {
    const { book } = this.#options;
    const isLimited = 'setCents' in change;
    const cents = isLimited ? change.setCents - book.balanceCents(operator) : change.addCents;
    this.#record({ kind: 'float', atMs: Date.now(), operator, change: String(cents), isLimited });
    return book.balanceCents(operator);
  }

  setCommission(operator: string, bps: number): void {
    this.#record({ kind: 'commission', operator, bps });
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
    return given(this.#answerFor(payment));
  }

  #executeLater(payment: Payment): void {
    const dueAtMs = payment.receivedAtMs + this.#planOf(payment).executeAfterMs;
    at(dueAtMs, () => {
      if (payment.state === 'accepted') this.#end(payment, 'executed');
    });
  }

  #end(payment: Payment, kind: 'executed' | 'refused'): void {
    const { operator, reference } = payment.instruction;
    const listeners = this.#waiting.get(payment);
    this.#waiting.delete(payment);
    // A caller whose connection is still open gets the answer there, others by callback.
    const isAnswered = listeners !== undefined && listeners.size > 0;
    // One that was silent has none of its own, and is reported once.
    const callbacks = isAnswered ? 0 : this.#planOf(payment).callbacksAfterMs.length || 1;
    this.#record({ kind, atMs: Date.now(), operator, reference, callbacks });
    for (const listener of listeners ?? []) listener(this.#answerFor(payment));
    this.#sendCallbacks(payment);
  }

  #sendCallbacks(payment: Payment): void {
    const { callbacksAfterMs } = this.#planOf(payment);
    for (const index of payment.callbacksOpen) {
      at((payment.decidedAtMs ?? 0) + (callbacksAfterMs[index] ?? 0), () => {
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
      body: JSON.stringify(this.#answerFor(payment)),
    });
    this.#record({ kind: 'callback_done', operator, reference, index });
  }

  #answerFor(payment: Payment): Answer {
    return answerFor(payment, this.#planOf(payment).detailsAfterMs);
  }

  #planOf({ instruction, outcome }: Payment): ReturnType<typeof planFor> {
    // A recorded payment was not lost, or was lost before.
    return planFor(decisiveOf(instruction, outcome), this.#options.delays, true);
  }

  /** The entry is written first. Only then does it count, and an answer may be sent. */
  #record(entry: Entry): void {
    this.#options.journal.append(entry);
    this.#options.book.apply(entry);
  }
}

/** Chooses the behaviour, as the end of an account does. */
function decisiveOf({ account }: Instruction, outcome: OutcomeName | undefined): string {
  return outcome === undefined ? account : OUTCOMES[outcome];
}

/** Runs the action at a time of the clock, at once when that has passed. */
function at(timeMs: number, action: () => void): void {
  setTimeout(action, Math.max(0, timeMs - Date.now()));
}

function given(answer: Answer, httpStatus = 200): Reply {
  return { kind: 'answer', httpStatus, answer };
}

function floatEmpty(reference: string): Reply {
  const message = 'Your float does not cover this payment';
  return given({ status: 'unavailable', reference, code: 'operator_float_empty', message });
}
