import type {
  CallbackReading,
  CallbackReport,
  CallbackRequest,
} from '../../src/connectors/operator-callbacks.ts';
import type {
  PaymentOutcome,
  StatusOutcome,
  Unknown,
} from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { NO_CAPABILITIES } from '../support/scripted-connector.ts';
import { floatWith } from './floats.ts';
import type { Life } from './link.ts';
import { handleOf } from './operator.ts';
import type { HostileOperator, Message } from './operator.ts';
import type { OperatorCharacter } from './scenario.ts';
import type { World } from './world.ts';

/** What the simulated network carries as a callback. */
interface Posted {
  readonly genuine: boolean;
  readonly reports: readonly (Omit<CallbackReport, 'outcome'> & { readonly outcome: unknown })[];
}

const TYPICAL_MS = 20;
const PREPARE_MS = 1_000;
/** When a case is opened for an instruction whose result cannot be queried. */
const CASE_AFTER_MS = 20_000;

/** The connection from one process to one operator and back, with its faults. */
export function createSimulatedConnector(
  world: World,
  life: Life & CallsOut,
  operator: HostileOperator,
): Connector {
  const { character } = operator;
  return {
    ...NO_CAPABILITIES,
    acceptanceWindowMs: character.acceptanceWindowMs,
    payDeadlineMs: character.payDeadlineMs,
    ...shapedParts(world, life, operator),
    pay: async (instruction, signal) => {
      const message = operator.instruct(instruction);
      life.instructionsOut += 1;
      message.entry.answersOut += 1;
      try {
        return await carry(world, { life, operator, message, signal });
      } finally {
        life.instructionsOut -= 1;
        message.entry.answersOut -= 1;
      }
    },
    ...(character.hasStatus
      ? {
          status: async (query, signal) => {
            if (character.shape?.statusBy === 'operator_handle' && query.operatorHandle === null) {
              return { ...silence('nothing can be asked'), answered: true };
            }
            life.queriesOut += 1;
            try {
              return await ask(world, { life, operator, reference: query.reference, signal });
            } finally {
              life.queriesOut -= 1;
            }
          },
        }
      : {}),
    ...(character.hasBalance
      ? {
          balance: async () =>
            await new Promise((resolve) => {
              const answer = (): void => {
                const balanceCents = floatWith(world, character.operatorCode);
                resolve({ kind: 'balance', balanceCents });
              };
              world.schedule.after(world.random.latencyMs(TYPICAL_MS), answer, life);
            }),
        }
      : {}),
    callbacks: {
      acceptedBody: {},
      keepsHandles: false,
      read: async (request) => believed(readCallback(request, canBeForged(character)), operator),
    },
  };
}

/** Parts of the connector that only some protocols have. */
function shapedParts(
  world: World,
  life: Life,
  { character }: HostileOperator,
): Partial<Pick<Connector, 'declaration' | 'prepare' | 'caseAfterMs'>> {
  const { shape } = character;
  if (shape === undefined) return {};
  const caseAfterMs = shape.statusBy === 'our_reference' ? null : CASE_AFTER_MS;
  const { callbackTrust } = shape;
  const declaration = { ...NO_CAPABILITIES.declaration, callbackTrust };
  if (!shape.twoSteps) return { declaration, caseAfterMs };
  return {
    declaration,
    caseAfterMs,
    prepare: {
      deadlineMs: PREPARE_MS,
      prepare: async ({ reference }) => {
        await pause(world, Math.min(PREPARE_MS, world.random.latencyMs(TYPICAL_MS)), life);
        await world.crashPoint(life);
        if (life.dead) return await new Promise(() => {});
        return world.strikes('instruction_refused')
          ? { kind: 'not_sent', reason: 'refused', operatorPaused: false, answered: false }
          : { kind: 'prepared', operatorHandle: handleOf(reference) };
      },
    },
  };
}

/**
 * An unsigned callback only causes a status query. Where no query is possible, the callback is the only
 * source.
 */
function believed(reading: CallbackReading, { character }: HostileOperator): CallbackReading {
  const isConfirmed = character.shape?.callbackTrust === 'secret_url_confirmed_by_query';
  if (!isConfirmed || reading.kind !== 'reports') return reading;
  const reports = reading.reports.map(({ reference, outcome }) => ({
    reference,
    outcome: {
      kind: 'hint' as const,
      operatorHandle: handleOf(reference),
      says: outcome.kind === 'paid' || outcome.kind === 'declined' ? outcome : null,
    },
  }));
  return { kind: 'reports', reports };
}

/** Calls of a process that its operators have not answered yet. */
export interface CallsOut {
  instructionsOut: number;
  queriesOut: number;
}

/** A callback as the network carries it. */
export function postCallback(report: CallbackReport, genuine: boolean): CallbackRequest {
  const body = JSON.stringify({ genuine, reports: [report] }, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return { headers: {}, path: '', body: Buffer.from(body) };
}

/** Whether forged callbacks look like the operator's. */
export function canBeForged({ shape }: OperatorCharacter): boolean {
  return shape?.callbackTrust === 'confirmed_by_query';
}

function readCallback(request: CallbackRequest, looksGenuine: boolean): CallbackReading {
  const posted = JSON.parse(request.body.toString(), (name, value: unknown) =>
    name === 'amountCents' ? BigInt((value as string).slice(0, -1)) : value,
  ) as Posted;
  if (!posted.genuine && !looksGenuine)
    return { kind: 'refused', reason: 'the signature is wrong' };
  return { kind: 'reports', reports: posted.reports as CallbackReport[] };
}

async function carry(
  world: World,
  call: {
    readonly life: Life;
    readonly operator: HostileOperator;
    readonly message: Message;
    readonly signal: AbortSignal;
  },
): Promise<PaymentOutcome> {
  const { schedule, random } = world;
  const { life, operator, message, signal } = call;
  const { character } = operator;
  await world.crashPoint(life);
  if (life.dead) return await new Promise(() => {});
  if (operator.isDown() || world.strikes('instruction_refused')) {
    await pause(world, random.latencyMs(TYPICAL_MS), life);
    return { kind: 'not_sent', reason: 'refused', operatorPaused: false, answered: false };
  }
  if (world.strikes('connector_threw')) {
    if (random.chance(0.5)) depart(world, operator, message, () => {});
    throw new Error('the connector is broken');
  }
  if (world.strikes('connector_hung')) {
    depart(world, operator, message, () => {});
    return await new Promise(() => {});
  }
  return await new Promise<PaymentOutcome>((resolve) => {
    giveUp(world, { life, deadlineMs: character.payDeadlineMs, signal, resolve });
    depart(world, operator, message, async () => {
      await world.crashPoint(life);
      if (message.said === undefined || world.strikes('answer_lost')) return;
      const said = world.strikes('answer_garbled') ? silence('not readable') : message.said;
      const delayMs = world.strikes('answer_slow')
        ? character.payDeadlineMs + random.whole(1, 5_000)
        : random.latencyMs(TYPICAL_MS);
      schedule.after(delayMs, () => resolve(said), life);
    });
  });
}

/** Sends the instruction; `arrived` is called each time it arrives. */
function depart(
  world: World,
  operator: HostileOperator,
  message: Message,
  arrived: () => void | Promise<void>,
): void {
  const { schedule, random } = world;
  const { acceptanceWindowMs, payDeadlineMs } = operator.character;
  // What makes "not found" a proof: nothing arrives after the window.
  const longestMs = Math.floor((acceptanceWindowMs ?? 40_000) * 0.98);
  if (world.strikes('instruction_lost')) return;
  const arrive = async (): Promise<void> => {
    operator.receive(message);
    await arrived();
  };
  const travelMs = (late: boolean): number => {
    if (longestMs > payDeadlineMs && world.strikes('instruction_slow')) {
      return random.whole(random.pick([payDeadlineMs, Math.floor(longestMs * 0.9)]), longestMs);
    }
    return late && random.chance(0.5)
      ? random.whole(Math.floor(longestMs * 0.9), longestMs)
      : Math.min(longestMs, random.latencyMs(TYPICAL_MS));
  };
  message.entry.underWay += 1;
  const leftAfterMs = world.strikes('instruction_left_late')
    ? random.whole(Math.floor(payDeadlineMs * random.pick([0, 0.8])), payDeadlineMs)
    : 0;
  message.entry.leftAtMs = schedule.nowMs + leftAfterMs;
  schedule.after(leftAfterMs + travelMs(leftAfterMs > 0), arrive);
  if (world.strikes('instruction_doubled')) {
    schedule.after(leftAfterMs + random.whole(0, longestMs), arrive);
  }
}

async function ask(
  world: World,
  call: {
    readonly life: Life;
    readonly operator: HostileOperator;
    readonly reference: string;
    readonly signal: AbortSignal;
  },
): Promise<StatusOutcome> {
  const { schedule, random } = world;
  const { life, operator, signal } = call;
  return await new Promise<StatusOutcome>((resolve) => {
    giveUp(world, { life, deadlineMs: operator.character.payDeadlineMs, signal, resolve });
    if (operator.isDown() || world.strikes('query_unanswered')) return;
    schedule.after(random.latencyMs(TYPICAL_MS), async () => {
      await world.crashPoint(life, { standStill: 10 });
      const said = operator.query(call.reference);
      schedule.after(random.latencyMs(TYPICAL_MS), () => resolve(said), life);
    });
  });
}

function giveUp(
  world: World,
  call: {
    readonly life: Life;
    readonly deadlineMs: number;
    readonly signal: AbortSignal;
    readonly resolve: (outcome: Unknown) => void;
  },
): void {
  world.schedule.after(
    call.deadlineMs,
    () => call.resolve(silence('no answer in time')),
    call.life,
  );
  call.signal.addEventListener('abort', () => call.resolve(silence('cut off')));
}

async function pause(world: World, delayMs: number, life: Life): Promise<void> {
  await new Promise<void>((resolve) => {
    world.schedule.after(delayMs, resolve, life);
  });
}

function silence(reason: string): Unknown {
  return { kind: 'unknown', reason, operatorHandle: null, answered: false };
}
