/** A seeded source of randomness: one seed, one sequence. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  /** Throws when the list is empty. */
  pick<Item>(items: readonly Item[]): Item;
  /** Mostly short, now and then many times as long: `typical` is the median in milliseconds. */
  latencyMs(typical: number): number;
}

/** Bob Jenkins' small fast generator (sfc32, public domain), warmed up. */
export function createRandom(seed: number): Random {
  let a = 0x9e3779b9;
  let b = Math.floor(seed / 0x1_0000_0000) | 0;
  let c = seed | 0;
  let counter = 1;
  const bits = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 15; round += 1) bits();
  const next = (): number => bits() / 0x1_0000_0000;
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[whole(0, items.length - 1)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    // Pareto with shape 1.5: heavy-tailed like networks, cut off at fifty times the median.
    latencyMs: (typical) => Math.round(typical * Math.min(50, 0.63 * (1 - next()) ** (-1 / 1.5))),
  };
}
