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
