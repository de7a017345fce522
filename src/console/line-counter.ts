const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** Counts the lines of a CSV file while it is sent; a quoted value may have line breaks. */
export class LineCounter {
  #isQuoted = false;
  #count = 0;

  add(chunk: string | Uint8Array): void {
    for (const byte of typeof chunk === 'string' ? Buffer.from(chunk) : chunk) {
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === NEWLINE && !this.#isQuoted) this.#count += 1;
    }
  }

  /** Without the first line, which has the titles. */
  get belowTitle(): number {
    return Math.max(0, this.#count - 1);
  }
}
