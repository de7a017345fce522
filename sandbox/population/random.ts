import { seededUniform } from '../../src/credit/training/seeded.ts';

/** Numbers that look random and are the same for the same seed, on every machine. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Standard normal. */
  normal(): number;
  /** Exponential with this mean. */
  exponential(mean: number): number;
  /** Poisson with this mean; meant for small means. */
  poisson(mean: number): number;
}

/** Most events one Poisson draw yields, so that no mean can make it run on. */
const MAX_EVENTS = 100;

/** One stream per (seed, index): a subject is the same whichever others are generated. */
export function createRandom(seed: number, index: number): Random {
  const next = seededUniform(scramble(scramble(seed) ^ scramble(index + 0x51ed_270b)));
  // Two draws that are thrown away part streams whose states began alike.
  next();
  next();
  return {
    next,
    chance: (probability) => next() < probability,
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: (items) => items[Math.floor(next() * items.length)]!,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    exponential: (mean) => -mean * Math.log(1 - next()),
    poisson: (mean) => {
      const limit = Math.exp(-mean);
      let events = 0;
      for (let product = next(); product > limit && events < MAX_EVENTS; product *= next())
        events++;
      return events;
    },
  };
}

/** Mixes 32 bits well (the finaliser of MurmurHash3). Unsigned. */
function scramble(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
