import { randomInt } from 'node:crypto';
import fc from 'fast-check';

const { TEST_SEED = '20261' } = process.env;

/**
 * Every test with values made by chance takes them from this seed, so each run examines the same ones. `TEST_SEED`
 * takes other values: a number, or `random`.
 */
export const SEED = TEST_SEED === 'random' ? randomInt(1, 1_000_000_000) : Number(TEST_SEED);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
