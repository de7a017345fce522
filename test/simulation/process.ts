import { pino } from 'pino';
import { createBillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { Timers } from '../../src/platform/base/timers.ts';
import { createAvailabilities } from '../../src/payments/dispatch/availability.ts';
import { createCallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { CallbackAnswer } from '../../src/payments/dispatch/callbacks.ts';
import type { CallbackRequest, Connector } from '../../src/payments/dispatch/connector.ts';
import { startDispatcher } from '../../src/payments/dispatch/dispatcher.ts';
import type { Dispatcher } from '../../src/payments/dispatch/dispatcher.ts';
import { createCreateLanes } from '../../src/payments/create/create.ts';
import { planPayment } from '../../src/payments/create/decide.ts';
import type { CreateRequest } from '../../src/payments/create/decide.ts';
import { createSettler } from '../../src/payments/settle/settle.ts';
import type { CreateDecision } from '../../src/payments/create/payment.ts';
import { createSimulatedConnector } from './connector.ts';
import type { CallsOut } from './connector.ts';
import { EPOCH_MS } from './database.ts';
import type { Life, Network } from './link.ts';
import type { Mutant } from './mutants.ts';
import type { HostileOperator } from './operator.ts';
import type { World } from './world.ts';

const LANE_DEADLINE_MS = 8_000;
const POLICY = {
  verifyFirstMs: 500,
  verifyMaxMs: 8_000,
  resendFirstMs: 300,
  resendMaxMs: 5_000,
};
const BREAKER_COOLDOWN_MS = 3_000;
const STOP_GRACE_MS = 4_000;
const SETTINGS_POLL_MS = 2_000;
const SILENT = pino({ level: 'silent' });

/** One simulated process: the real parts of the service, wired as compose.ts wires them. */
export interface SimulatedProcess extends Life {
  readonly ready: boolean;
  readonly stopping: boolean;
  create(request: CreateRequest, vendorId: number): Promise<CreateDecision>;
  callback(operatorCode: string, request: CallbackRequest): Promise<CallbackAnswer>;
  /** The run is over. */
  end(): Promise<void>;
  /** SIGTERM: finishes what is under way within the grace period, then ends. */
  stop(): void;
  /** Settings changed in the database: reloads them, as the watch does. */
  hintSettings(): void;
}

type Parts = Awaited<ReturnType<typeof boot>>;

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
  /** Told once when it has ended, by crash or by stop. */
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
      world.tell(`${name} crashes`);
      await end();
    },
    standStill: (forMs) => {
      if (forMs > 10_000) world.note('stood_still');
      world.tell(`${name} stands still for ${forMs}`);
      state.standsStillUntilMs = world.schedule.nowMs + forMs;
    },
    dead: false,
    standsStillUntilMs: 0,
    instructionsOut: 0,
    queriesOut: 0,
  };
  let parts: Parts | undefined;
  let stopping = false;
  world.tell(`${name} starts`);

  const end = async (): Promise<void> => {
    if (state.dead) return;
    state.dead = true;
    await network.bury(state);
    options.onEnd();
  };
  boot(state, options).then(
    (booted) => {
      parts = booted;
    },
    async () => {
      world.tell(`${name} could not start`);
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
    create: async (request, vendorId) => {
      const { catalogue, lanes } = running();
      const planned = planPayment(
        request,
        { vendorId, duplicateCheck: 'off', referenceRequired: true },
        catalogue.biller(request.billerCode),
      );
      // The order of claims follows ids: they come from the seed.
      return await lanes.add({ ...planned, paymentId: simulatedId(world) });
    },
    callback: (operatorCode, request) => running().receiver.receive(operatorCode, request),
    crash: () => state.crash(),
    standStill: (forMs) => state.standStill(forMs),
    end,
    stop: () => {
      if (parts === undefined || stopping) return;
      stopping = true;
      world.note('stopped');
      if (state.instructionsOut > 0) world.note('stopped_with_call_out');
      world.tell(`${name} stops`);
      void shutDown(parts).then(end);
    },
    hintSettings: () => {
      if (parts !== undefined) reloadUntilDone(world, state, parts);
    },
  };
}

async function boot(state: State, options: ProcessOptions) {
  const { world, network, operators, mutant } = options;
  const pool = (): Pool => network.poolOf(state);
  const timers = timersOf(world, state);
  const catalogue = createBillerCatalogue({
    pool: pool(),
    masterKeys: { current: Buffer.alloc(32), previous: undefined },
    readSecrets: async () => new Map(),
  });
  await catalogue.reload();
  const connectors = new Map<string, Connector>(
    operators.map((operator) => {
      const connector = createSimulatedConnector(world, state, operator);
      return [operator.character.operatorCode, mutant?.connector?.(connector) ?? connector];
    }),
  );
  const connectorOf = (operatorCode: string): Connector | undefined => connectors.get(operatorCode);
  const settler = createSettler({
    pools: [pool(), pool()],
    deadlineMs: LANE_DEADLINE_MS,
    timers,
  });
  const lanes = createCreateLanes({
    pools: [pool(), pool()],
    deadlineMs: LANE_DEADLINE_MS,
    timers,
    onAccepted: (accepted) =>
      dispatcher.hint(
        accepted.map(({ vendorId, billerCode }) => ({ vendorId, billerCode, stage: 'send' })),
      ),
  });
  const availabilities = createAvailabilities({
    pool: pool(),
    catalogue,
    connectorOf,
    openAfterFailures: world.scenario.breakerFailures,
    cooldownMs: BREAKER_COOLDOWN_MS,
    timers,
    log: SILENT,
  });
  const dispatcher: Dispatcher = startDispatcher({
    pool: pool(),
    progressPool: pool(),
    catalogue,
    connectorOf,
    settler,
    availabilities,
    policy: POLICY,
    pollMs: world.scenario.pollMs,
    laneDeadlineMs: LANE_DEADLINE_MS,
    timers,
    log: SILENT,
  });
  const receiver = createCallbackReceiver({
    pool: pool(),
    catalogue,
    connectorOf,
    settler,
    log: SILENT,
  });
  return {
    catalogue,
    lanes,
    settler,
    availabilities,
    dispatcher,
    receiver: mutant?.receiver?.(receiver) ?? receiver,
  };
}

/** A reload that failed is made good by the watch's next poll. */
function reloadUntilDone(world: World, state: State, parts: Parts): void {
  if (state.dead) return;
  parts.catalogue.reload().catch(() => {
    world.schedule.after(SETTINGS_POLL_MS, () => reloadUntilDone(world, state, parts), state);
  });
}

async function shutDown(parts: Parts): Promise<void> {
  await parts.lanes.idle();
  await parts.dispatcher.stop(STOP_GRACE_MS);
  await parts.settler.idle();
  await parts.availabilities.idle();
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
