/** Aborts what takes too long. */
export class Patience {
  readonly #controller = new AbortController();
  readonly #forMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(forMs: number) {
    this.#forMs = forMs;
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for as long again. */
  renew(): void {
    this.end();
    this.#timer = setTimeout(() => {
      this.#controller.abort(new DOMException('No response in time', 'TimeoutError'));
    }, this.#forMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
