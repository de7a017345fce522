import type { RouteCause } from './route.ts';
import type { CallEnd } from './worker.ts';

/** Adds numbers up by labels, from the start of the process. */
export class Tally<Labels extends Readonly<Record<string, string>>> {
  readonly #sums = new Map<string, { readonly labels: Labels; sum: number }>();

  add(labels: Labels, amount = 1): void {
    const name = Object.values(labels).join(' ');
    const known = this.#sums.get(name);
    if (known === undefined) this.#sums.set(name, { labels, sum: amount });
    else known.sum += amount;
  }

  sums(): Iterable<{ readonly labels: Labels; readonly sum: number }> {
    return this.#sums.values();
  }
}

/** Where a process sent payments, and how calls to operators ended. */
export class Tallies {
  readonly calls = new Tally<{ operator: string; call: string; result: CallEnd['result'] }>();
  readonly callSeconds = new Tally<{ operator: string; call: string }>();
  /** Payments by where they were sent, and why. */
  readonly routed = new Tally<{ biller: string; operator: string; reason: RouteCause }>();

  noteCall(operator: string, { stage: call, result }: CallEnd, seconds: number): void {
    this.calls.add({ operator, call, result });
    this.callSeconds.add({ operator, call }, seconds);
  }
}
