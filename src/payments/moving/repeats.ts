import { createHash } from 'node:crypto';

const FIRST_CAPACITY = 4_096;

/**
 * Finds texts that occur twice among millions, in 8 bytes for each: keeps a part of their hashes. What it suspects
 * is looked at again.
 */
export class Repeats {
  #hashes = new BigUint64Array(FIRST_CAPACITY);
  #count = 0;

  add(text: string): void {
    if (this.#count === this.#hashes.length) {
      const wider = new BigUint64Array(this.#hashes.length * 2);
      wider.set(this.#hashes);
      this.#hashes = wider;
    }
    this.#hashes[this.#count] = hashOf(text);
    this.#count += 1;
  }

  /** The hashes that were added twice. */
  suspects(): ReadonlySet<bigint> {
    const sorted = this.#hashes.subarray(0, this.#count).toSorted();
    const found = new Set<bigint>();
    for (let at = 1; at < sorted.length; at += 1) {
      const hash = sorted[at];
      if (hash !== undefined && hash === sorted[at - 1]) found.add(hash);
    }
    return found;
  }
}

export const hashOf = (text: string): bigint =>
  createHash('sha256').update(text).digest().readBigUInt64LE();
