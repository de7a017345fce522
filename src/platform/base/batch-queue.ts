/** An item in the queue. */
export interface Queued<Item> {
  readonly item: Item;
  /** Its place in the queue. */
  readonly number: number;
}

interface RunningBatch<Entry> {
  readonly batch: readonly Entry[];
  readonly keys: ReadonlySet<number>;
}

/** Items that wait for a batch, in their order, and the keys that running batches have. */
export class BatchQueue<Item, Entry extends Queued<Item>> {
  readonly #keyOf: (item: Item) => number;
  #running: RunningBatch<Entry>[] = [];
  #entries: Entry[] = [];
  #free = 0;

  constructor(keyOf: (item: Item) => number) {
    this.#keyOf = keyOf;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Number of entries whose keys no running batch has. */
  get free(): number {
    return this.#free;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#isFree(entry)) this.#free += 1;
  }

  /**
   * The first free entries, at most `max`, of the first keys that have `enough` entries together; other keys
   * are left to other batches. The keys are taken until `release`.
   */
  take(max: number, enough: number): readonly Entry[] {
    const chosen = enough < this.#free ? this.#chooseKeys(enough) : undefined;
    const batch: Entry[] = [];
    const passedOver: Entry[] = [];
    for (const entry of this.#entries) {
      if (batch.length === max) break;
      if (chosen?.has(this.#keyOf(entry.item)) ?? this.#isFree(entry)) batch.push(entry);
      else passedOver.push(entry);
    }
    this.#entries = [...passedOver, ...this.#entries.slice(batch.length + passedOver.length)];
    if (batch.length > 0) {
      const keys = new Set(batch.map(({ item }) => this.#keyOf(item)));
      this.#running.push({ batch, keys });
    }
    this.#countFree();
    return batch;
  }

  /** Ends a batch. What it postponed has its place in the queue again. */
  release(batch: readonly Entry[], postponed: readonly Entry[]): void {
    this.#running = this.#running.filter((running) => running.batch !== batch);
    if (postponed.length > 0) {
      const all = [...postponed, ...this.#entries];
      this.#entries = all.toSorted((one, other) => one.number - other.number);
    }
    this.#countFree();
  }

  #isFree({ item }: Entry): boolean {
    const key = this.#keyOf(item);
    return !this.#running.some(({ keys }) => keys.has(key));
  }

  #countFree(): void {
    this.#free = this.#entries.length;
    if (this.#running.length === 0) return;
    for (const entry of this.#entries) if (!this.#isFree(entry)) this.#free -= 1;
  }

  #chooseKeys(enough: number): Set<number> {
    const counts = new Map<number, number>();
    for (const entry of this.#entries) {
      const key = this.#keyOf(entry.item);
      if (this.#isFree(entry)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const chosen = new Set<number>();
    let sum = 0;
    for (const [key, count] of counts) {
      if (sum >= enough) break;
      chosen.add(key);
      sum += count;
    }
    return chosen;
  }
}
