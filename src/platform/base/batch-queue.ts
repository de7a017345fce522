/** An item in the queue. */
export interface Queued<Item> {
  readonly item: Item;
  /** Its place in the queue. */
  readonly number: number;
  /** The number of batches that left the item for a later one. Absent: none. */
  postponements?: number;
}

/** After which the first item of the queue gets a batch without other keys, which need not wait with it. */
const MOST_POSTPONEMENTS = 10;
/** Items of one key that get a batch of their own if they are most of what waits: others would wait for all of them. */
const MANY_OF_A_KEY = 8;

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

  /** Number of keys that running batches have. */
  get takenKeys(): number {
    return this.#running.reduce((sum, { keys }) => sum + keys.size, 0);
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    if (this.#isFree(entry)) this.#free += 1;
  }

  /**
   * The first free entries, at most `max`, of the first keys that have `enough` entries together, and either of a
   * key that has most of them or of all others. Other keys are left to other batches. The keys are taken until `release`.
   */
  take(max: number, enough: number): readonly Entry[] {
    const chosen =
      this.#chooseOverdue() ??
      this.#chooseApart() ??
      (enough < this.#free ? this.#chooseKeys(enough) : undefined);
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
    for (const entry of postponed) entry.postponements = (entry.postponements ?? 0) + 1;
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

  #chooseOverdue(): Set<number> | undefined {
    const first = this.#entries.find((entry) => this.#isFree(entry));
    if (first === undefined || (first.postponements ?? 0) < MOST_POSTPONEMENTS) return undefined;
    return new Set([this.#keyOf(first.item)]);
  }

  /** The key with most of the items, or all others: whichever is first. Undefined: no key has so many. */
  #chooseApart(): Set<number> | undefined {
    if (this.#free <= MANY_OF_A_KEY) return undefined;
    const counts = this.#countKeys();
    const [most] = [...counts].find(([, count]) => count > this.#free / 2) ?? [];
    if (most === undefined || counts.size === 1 || (counts.get(most) ?? 0) < MANY_OF_A_KEY) {
      return undefined;
    }
    const [first] = counts.keys();
    if (first === most) return new Set([most]);
    counts.delete(most);
    return new Set(counts.keys());
  }

  #chooseKeys(enough: number): Set<number> {
    const chosen = new Set<number>();
    let sum = 0;
    for (const [key, count] of this.#countKeys()) {
      if (sum >= enough) break;
      chosen.add(key);
      sum += count;
    }
    return chosen;
  }

  /** Numbers of free items, in the order of the keys' first ones. */
  #countKeys(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const entry of this.#entries) {
      const key = this.#keyOf(entry.item);
      if (this.#isFree(entry)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }
}
