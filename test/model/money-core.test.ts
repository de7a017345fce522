import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { COMMANDS, ENDINGS } from './commands.ts';
import { createModel } from './model.ts';
import { checkBooks, compareAnswers, createSystem } from './system.ts';
import type { System } from './system.ts';

const RUNS = 70;
const FLOATS_CENTS = [20_000n, 900n];
const TIMEOUT_MS = 180_000;

let books: Books;
let system: System;

beforeAll(async () => {
  books = await openBooks();
  system = await createSystem(books);
});

afterAll(async () => {
  await books.close();
});

test(
  'the model and the money core have the same state after random commands',
  { timeout: TIMEOUT_MS },
  async () => {
    const runs = fc.commands(COMMANDS, { maxCommands: 100, size: 'max' });
    // A failing run is printed with its seed and path, and the commands it was shrunk to.
    await fc.assert(
      fc.asyncProperty(runs, async (commands) => {
        const vendorIds = await books.addVendors(FLOATS_CENTS);
        const run = { ...system, vendorIds, prefix: newId() };
        const floats = new Map(
          vendorIds.map((vendorId, index) => [vendorId, FLOATS_CENTS[index] ?? 0n]),
        );
        const model = createModel(floats);
        await fc.asyncModelRun(() => ({ model, real: run }), commands);
        await compareAnswers(model, run);
        await checkBooks(run);
      }),
      { numRuns: RUNS },
    );
    expect(ENDINGS.filter((ending) => !system.seen.has(ending))).toEqual([]);
  },
);
