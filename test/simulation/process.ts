import { pino } from 'pino';
import type { Timers } from '../../src/platform/base/timers.ts';
import type { CallbackAnswer, CallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { CallbackRequest } from '../../src/connectors/operator-callbacks.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import type { Created } from '../../src/payments/create/create-rules.ts';
import type { CreateRequest } from '../../src/payments/create/payment.ts';
import { openPayments } from '../../src/payments/payments.ts';
import type { Payments } from '../../src/payments/payments.ts';
import { PRODUCTION_TIMING } from '../../src/payments/timing.ts';
import { createSimulatedConnector } from './connector.ts';
import type { CallsOut } from './connector.ts';
import { EPOCH_MS } from './database.ts';
import type { Life, Network } from './link.ts';
import type { Mutant } from './mutants.ts';
import type { HostileOperator } from './operator.ts';
import type { World } from './world.ts';

/** Shorter than in production, so that a run sees many of them. */
const RETRIES = {
  verifyFirstMs: 500,
  verifyMaxMs: 8_000,
  resendFirstMs: 300,
  resendMaxMs: 5_000,
};
const BREAKER_COOLDOWN_MS = 3_000;
const STOP_GRACE_MS = 4_000;
const SETTINGS_POLL_MS = 2_000;
const SILENT = pino({ level: 'silent' });

/** One simulated process: the payments wing as the service opens it, in a simulated environment. */
export interface SimulatedProcess extends Life {
  readonly ready: boolean;
  readonly stopping: boolean;
  create(request: CreateRequest, vendorId: number): Promise<Created>;
  callback(operatorCode: string, request: CallbackRequest): Promise<CallbackAnswer>;
  /** Ends the process at the end of the run. */
  end(): Promise<void>;
  /** SIGTERM: finishes current work within the grace period, then ends. */
  stop(): void;
  /** Settings changed in the database: reloads them, as the watch does. */
  hintSettings(): void;
}

interface Parts {
  readonly payments: Payments;
  readonly receiver: CallbackReceiver;
}

interface State extends Life, CallsOut {
  dead: boolean;
  standsStillUntilMs: number;
}

export interface ProcessOptions {
  readonly world: World;
  readonly network: Network;
  readonly operators: readonly HostileOperator[];
  readonly name: string;
  readonly mutant: Mutant | undefined;
  /** Called once when it has ended, by a crash or a stop. */
  readonly onEnd: () => void;
}

export function startProcess(options: ProcessOptions): SimulatedProcess {
  const { world, network, name } = options;
  const state: State = {
    name,
    crash: async () => {
      if (parts === undefined) world.note('crash_while_starting');
      if (state.instructionsOut > 0) world.note('crash_with_instruction_out');
      if (state.queriesOut > 0) world.note('crash_with_query_out');
      world.log(`${name} crashes`);
      await end();
    },
    standStill: (forMs) => {
      if (forMs > 10_000) world.note('stood_still');
      world.log(`${name} is paused for ${forMs}`);
      state.standsStillUntilMs = world.schedule.nowMs + forMs;
    },
    dead: false,
    standsStillUntilMs: 0,
    instructionsOut: 0,
    queriesOut: 0,
  };
  let parts: Parts | undefined;
  let stopping = false;
  let changedWhileStarting = false;
  const callbacks = new Set<Promise<CallbackAnswer>>();
  world.log(`${name} starts`);

  const end = async (): Promise<void> => {
    if (state.dead) return;
    state.dead = true;
    await network.rollBack(state);
    options.onEnd();
  };
  boot(state, options).then(
    (booted) => {
      parts = booted;
      if (changedWhileStarting) reloadUntilDone(world, state, parts);
    },
    async () => {
      world.log(`${name} could not start`);
      await end();
    },
  );
  const running = (): Parts => {
    if (parts === undefined) throw new Error(`${name} has not started`);
    return parts;
  };
  return {
    name,
    get dead() {
      return state.dead;
    },
    get standsStillUntilMs() {
      return state.standsStillUntilMs;
    },
    get ready() {
      return parts !== undefined && !state.dead && !stopping;
    },
    get stopping() {
      return stopping;
    },
    create: async (request, vendorId) =>
      await running().payments.create(request, {
        vendorId,
        duplicateCheck: 'off',
        duplicateWindowSeconds: 30,
        referenceRequired: true,
      }),
    callback: async (operatorCode, request) => {
      const answer = running().receiver.receive(operatorCode, request);
      callbacks.add(answer);
      return await answer.finally(() => callbacks.delete(answer));
    },
    crash: () => state.crash(),
    standStill: (forMs) => state.standStill(forMs),
    end,
    stop: () => {
      if (parts === undefined || stopping) return;
      stopping = true;
      world.note('stopped');
      if (state.instructionsOut > 0) world.note('stopped_with_call_out');
      world.log(`${name} stops`);
      const { payments } = parts;
      // As the service does: accepted requests are answered first.
      void Promise.allSettled(callbacks)
        .then(async () => await payments.stop(() => STOP_GRACE_MS))
        .then(end);
    },
    hintSettings: () => {
      // The watch reads the version before the rows, so it finds changes made during its first reading.
      if (parts === undefined) changedWhileStarting = true;
      else reloadUntilDone(world, state, parts);
    },
  };
}

async function boot(state: State, options: ProcessOptions): Promise<Parts> {
  const { world, network, operators, mutant } = options;
  const connectors = new Map<string, Connector>(
    operators.map((operator) => {
      const connector = createSimulatedConnector(world, state, operator);
      return [operator.character.operatorCode, mutant?.connector?.(connector) ?? connector];
    }),
  );
  const payments = openPayments({
    pool: network.poolOf(state),
    openPool: () => network.poolOf(state),
    directory: { vendorById: () => undefined },
    roles: new Set(['dispatcher']),
    settings: {
      laneConnections: 2,
      breakerFailures: world.scenario.breakerFailures,
      breakerCooldownMs: BREAKER_COOLDOWN_MS,
      timeZone: 'UTC',
    },
    laneMinItems: 1,
    timing: { ...PRODUCTION_TIMING, retries: RETRIES, queuePollMs: world.scenario.pollMs },
    operators: { connectorOf: (operatorCode) => connectors.get(operatorCode) },
    timers: timersOf(world, state),
    // The order of claims follows ids: they come from the seed.
    newId: () => simulatedId(world),
    log: SILENT,
  });
  await payments.catalogue.reload();
  payments.start();
  const receiver = payments.callbackReceiver;
  return { payments, receiver: mutant?.receiver?.(receiver) ?? receiver };
}

/** The next poll of the watch repeats a failed reload. */
function reloadUntilDone(world: World, state: State, parts: Parts): void {
  if (state.dead) return;
  parts.payments.catalogue.reload().catch(() => {
    world.schedule.after(SETTINGS_POLL_MS, () => reloadUntilDone(world, state, parts), state);
  });
}

/** Every process counts time from a moment of its own. */
function timersOf(world: World, state: State): Timers {
  const originMs = world.random.whole(0, 1_000_000);
  return {
    nowMs: () => world.schedule.nowMs + originMs,
    after: (delayMs, call) => world.schedule.after(delayMs, call, state),
  };
}

/** A time-ordered id as production makes them (UUID version 7), drawn from the seed. */
function simulatedId(world: World): string {
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => world.random.whole(0, 15).toString(16)).join('');
  const time = (EPOCH_MS + world.schedule.nowMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
}
