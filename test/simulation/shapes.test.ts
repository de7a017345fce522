import { afterAll, beforeAll, expect, test } from 'vitest';
import { DECLARATIONS } from '../../src/connectors/registry.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { runCampaign } from './campaign.ts';
import { openSimulatedDatabase } from './database.ts';
import type { SimulatedDatabase } from './database.ts';
import type { Mutant } from './mutants.ts';
import type { Shape } from './scenario.ts';

// The rows of docs/operating/faults.md with operators of every shape of protocol: without our idempotency
// key, results by callback only, unsigned callbacks, status by the operator's id, one step and two.

const SEEDS = 4;
const TIMEOUT_MS = 240_000;

/** Over all campaigns. */
const lost = { instructions: 0, answers: 0 };
let declinedByCallback = 0;

let made: TestDatabase;
let database: SimulatedDatabase;

beforeAll(async () => {
  made = await createTestDatabase();
  database = await openSimulatedDatabase(made.ownerUrl);
});
afterAll(async () => {
  await database.close();
  await made.drop();
});

function shapeOf(protocol: string, twoSteps: boolean): Shape {
  const declaration = DECLARATIONS[protocol];
  if (declaration === undefined) throw new Error(`there is no protocol ${protocol}`);
  const { callerKey, result, statusBy, callbackTrust } = declaration;
  return { callerKey, result, statusBy, callbackTrust, twoSteps };
}

const CASES = Object.keys(DECLARATIONS).flatMap((protocol, index) =>
  [false, true].map((twoSteps) => ({
    protocol,
    steps: twoSteps ? 'two steps' : 'one step',
    shape: shapeOf(protocol, twoSteps),
    first: 1 + SEEDS * (2 * index + Number(twoSteps)),
  })),
);

test.each(CASES)(
  '$protocol, $steps: nothing is paid twice, nothing unknown fails, and a payment that cannot be queried becomes a case',
  async ({ shape, first }) => {
    const campaign = await runCampaign({ databases: [database], first, count: SEEDS, shape });
    expect(campaign.failed.map(({ seed, violations }) => [seed, violations[0]])).toEqual([]);
    const { instruction_lost, answer_lost, declined } = campaign.faults;
    lost.instructions += instruction_lost;
    lost.answers += answer_lost;
    if (shape.result === 'callback') declinedByCallback += declined;
  },
  TIMEOUT_MS,
);

test('faults occurred, and results came by callback', () => {
  expect(lost.instructions).toBeGreaterThan(0);
  expect(lost.answers).toBeGreaterThan(0);
  expect(declinedByCallback).toBeGreaterThan(0);
});

/** An instruction whose result cannot be queried is treated as one that never arrived. */
const FORGETFUL: Mutant = {
  name: 'no_handle_is_not_found',
  connector: (connector) => ({
    ...connector,
    acceptanceWindowMs: 0,
    status: async (query, signal) =>
      query.operatorHandle === null
        ? { kind: 'not_found' }
        : ((await connector.status?.(query, signal)) ?? { kind: 'not_found' }),
  }),
};

test(
  'a connector that repeats an instruction whose result it cannot query is detected',
  async () => {
    const campaign = await runCampaign({
      databases: [database],
      first: 1,
      count: 160,
      shape: shapeOf('daraja-b2b', false),
      mutant: FORGETFUL,
      untilFailed: true,
    });
    expect(campaign.failed[0]?.violations[0]).toMatch(/instructed again|was paid 2 times/);
  },
  TIMEOUT_MS,
);

/** Callbacks that anybody can send are believed. */
const CREDULOUS: Mutant = {
  name: 'believes_strangers',
  connector: (connector) => ({
    ...connector,
    declaration: { ...connector.declaration, callbackTrust: 'signed' },
  }),
};

test(
  'a receiver that believes callbacks that anybody can send is detected',
  async () => {
    const campaign = await runCampaign({
      databases: [database],
      first: 30,
      count: 160,
      shape: shapeOf('africastalking', false),
      mutant: CREDULOUS,
      untilFailed: true,
    });
    expect(campaign.failed[0]?.violations[0]).toMatch(/nobody ever said so|without a false report/);
  },
  TIMEOUT_MS,
);
