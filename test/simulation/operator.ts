import type {
  Declined,
  NotFound,
  NotSent,
  Paid,
  PaymentInstruction,
  Unknown,
} from '../../src/connectors/operator-outcomes.ts';
import type { OperatorCharacter } from './scenario.ts';
import { entriesOf, entryKey } from './truth.ts';
import type { Entry } from './truth.ts';
import type { World } from './world.ts';

/** One instruction in transit; the network may deliver it more than once. */
export interface Message {
  readonly entry: Entry;
  readonly instruction: PaymentInstruction;
  /** The time of its first arrival. */
  said: Said | undefined;
}

export type Said = Paid | Declined | NotSent | Unknown;

export interface HostileOperator {
  readonly character: OperatorCharacter;
  /** Call this before sending: a second payment would begin at this moment. */
  instruct(instruction: PaymentInstruction): Message;
  /** True while it cannot be reached: no instruction is sent, and no query is answered. */
  isDown(): boolean;
  /** An instruction arrives. */
  receive(message: Message): Said;
  /** A status query arrives. */
  query(reference: string): Paid | Declined | NotFound | Unknown;
  /** Ends its faults: it accepts everything, and corrects its false reports. */
  endFaults(): void;
}

/** Sends a callback until it is accepted, or until the operator gives up. */
/** A simulated operator reports only final results. */
export interface FinalCallback {
  readonly reference: string;
  readonly outcome: Paid | Declined;
}

export type CallbackSender = (entry: Entry, report: FinalCallback) => void;

/**
 * A company that executes payments. What it reports may differ from what it does. The ledger is
 * compared with its entries.
 */
export function createHostileOperator(
  world: World,
  character: OperatorCharacter,
  sendCallback: CallbackSender,
): HostileOperator {
  const { schedule, random, truth } = world;
  let pausedUntilMs = 0;
  let downUntilMs = 0;

  const execute = (entry: Entry): void => {
    entry.state = entry.verdict ?? 'paid';
    if (entry.state === 'paid') {
      const { instructedCents } = entry;
      const cents = world.strikes('other_amount')
        ? random.pick([1n, instructedCents + 1n, instructedCents * 2n, instructedCents / 2n])
        : instructedCents;
      entry.payments.push(cents);
    }
    world.log(`${character.operatorCode} ${entry.state} ${entry.reference}`);
  };

  const sendTruth = (entry: Entry): void => {
    sendCallback(entry, { reference: entry.reference, outcome: honest(entry) });
  };

  const report = (entry: Entry): void => {
    if (entry.lied && world.calm) {
      sendTruth(entry);
      return;
    }
    if (entry.silent) return;
    // The true report of a lying operator often arrives long after its false one was believed.
    const late = character.lies && random.chance(0.6);
    const delayMs = late ? random.whole(1_000, 25_000) : random.latencyMs(50);
    schedule.after(delayMs, () => {
      // Instructed again in the meantime: it reports when it has decided.
      if (entry.state === 'deciding') return;
      sendTruth(entry);
      if (!character.lies || !world.strikes('callback_contradicts')) return;
      sendCallback(entry, { reference: entry.reference, outcome: lie(entry) });
    });
  };

  const decide = (entry: Entry): Said => {
    entry.arrivedAtMs = schedule.nowMs;
    entry.verdict = world.strikes('declined') ? 'declined' : 'paid';
    entry.silent ||= world.strikes('never_tells');
    const isTold = character.shape?.result === 'callback';
    const later = isTold || entry.silent || world.strikes('accepted_first');
    if (later) {
      entry.state = 'deciding';
      schedule.after(random.whole(100, 8_000), () => {
        execute(entry);
        if (character.callbacks !== 'never') report(entry);
      });
      return unknown('accepted', handleOf(entry.reference));
    }
    execute(entry);
    if (character.callbacks === 'always') report(entry);
    return honest(entry);
  };

  const takeIn = (message: Message): Said => {
    const { entry } = message;
    if (pausedUntilMs > schedule.nowMs || world.strikes('operator_paused')) {
      pausedUntilMs = Math.max(pausedUntilMs, schedule.nowMs + random.whole(1_000, 6_000));
      return { kind: 'not_sent', reason: 'no float', operatorPaused: true, answered: true };
    }
    if (entry.state === 'on_its_way') return decide(entry);
    if (character.shape?.callerKey === 'refuses_reuse') return unknown('used', null);
    if (character.idempotent) return known(entry);
    world.note('operator_known_again');
    return decide(entry);
  };

  return {
    character,
    isDown: () => {
      if (downUntilMs <= schedule.nowMs && world.strikes('operator_down')) {
        downUntilMs = schedule.nowMs + random.whole(2_000, 15_000);
      }
      return downUntilMs > schedule.nowMs;
    },
    instruct: (instruction) => {
      checkRoute(world, character.operatorCode, instruction);
      const key = entryKey(character.operatorCode, instruction.reference);
      const before = truth.entries.get(key);
      for (const entry of entriesOf(truth, instruction.reference)) checkRepeat(world, entry);
      const isElsewhere = entriesOf(truth, instruction.reference).some((entry) => entry !== before);
      if (before === undefined && isElsewhere) world.note('failed_over');
      const entry = before ?? newEntry(character.operatorCode, instruction);
      entry.leftAtMs = schedule.nowMs;
      truth.entries.set(key, entry);
      return { entry, instruction, said: undefined };
    },
    receive: (message) => {
      const { entry } = message;
      if (message.said !== undefined) {
        // A copy made by the network. An operator without idempotency keys pays it, by its own fault.
        if (message.said.kind === 'paid' && !character.idempotent) {
          entry.excused = true;
          entry.payments.push(message.instruction.amountCents);
        }
        return message.said;
      }
      entry.underWay -= 1;
      message.said = takeIn(message);
      if (character.lies && isFinal(message.said) && world.strikes('answer_false')) {
        message.said = random.chance(0.5) ? lie(entry) : falselyNotSent(entry);
      }
      return message.said;
    },
    query: (reference) => {
      const entry = truth.entries.get(entryKey(character.operatorCode, reference));
      if (entry === undefined || entry.state === 'on_its_way') {
        noteNothing(world, character, entry);
        return { kind: 'not_found' };
      }
      const visibleAtMs = entry.leftAtMs + (character.acceptanceWindowMs ?? 30_000) * 0.98;
      if (schedule.nowMs < visibleAtMs && world.strikes('query_too_early')) {
        return { kind: 'not_found' };
      }
      if (entry.silent) return unknown('being looked into', null);
      if (character.lies && entry.state !== 'deciding' && world.strikes('query_false')) {
        if (random.chance(0.4)) return lie(entry);
        entry.lied = true;
        entry.excused = true;
        return { kind: 'not_found' };
      }
      return known(entry);
    },
    endFaults: () => {
      pausedUntilMs = 0;
      downUntilMs = 0;
      for (const entry of truth.entries.values()) {
        if (entry.operatorCode !== character.operatorCode || !entry.lied) continue;
        // Entries that are still being decided are reported later.
        if (entry.state !== 'deciding') sendTruth(entry);
      }
    },
  };
}

/**
 * The central check: an instruction may be repeated only if the first was not executed and no longer
 * can be.
 */
function checkRepeat(world: World, entry: Entry): void {
  const mayBeExecuted = entry.underWay > 0 || entry.state !== 'on_its_way';
  if (mayBeExecuted && !entry.lied) {
    world.violated(
      `${entry.reference} was instructed again while the first, at ${entry.operatorCode}, was ${entry.state}, ${entry.underWay} in transit`,
    );
  } else world.note('instructed_again');
}

/** Only an operator that may execute the biller's payments gets one, and only amounts that it takes. */
function checkRoute(
  world: World,
  operatorCode: string,
  { billerCode, amountCents, reference }: PaymentInstruction,
): void {
  const { operators, routes } = world.scenario;
  const owner = operators.find(({ billerCodes }) => billerCodes.includes(billerCode));
  const route = routes.find(
    (one) => one.billerCode === billerCode && one.operatorCode === operatorCode,
  );
  const takes =
    amountCents >= (route?.minimumCents ?? 0n) &&
    amountCents <= (route?.maximumCents ?? amountCents);
  if ((route === undefined && owner?.operatorCode !== operatorCode) || !takes) {
    world.violated(
      `${reference} over ${amountCents} went to ${operatorCode}, which has no such route`,
    );
  }
  const rivals = routes.filter((one) => one.billerCode === billerCode);
  if (rivals.some((one) => one.position < (route?.position ?? 0))) world.note('later_route_taken');
}

function noteNothing(world: World, character: OperatorCharacter, entry: Entry | undefined): void {
  if (entry !== undefined && entry.underWay > 0) world.note('query_too_early');
  else if (character.acceptanceWindowMs !== null) world.note('query_found_nothing');
}

function newEntry(operatorCode: string, instruction: PaymentInstruction): Entry {
  return {
    reference: instruction.reference,
    operatorCode,
    billerCode: instruction.billerCode,
    instructedCents: instruction.amountCents,
    state: 'on_its_way',
    verdict: undefined,
    payments: [],
    underWay: 0,
    leftAtMs: 0,
    arrivedAtMs: undefined,
    silent: false,
    lied: false,
    excused: false,
    words: new Set(),
    callbackTaken: false,
    answersOut: 0,
  };
}

/** The operator's own name for an instruction. */
export function handleOf(reference: string): string {
  return `handle ${reference.slice(-4)}`;
}

/** The true report of an entry. */
function known(entry: Entry): Paid | Declined | Unknown {
  if (entry.state === 'deciding' || entry.silent) return unknown('still deciding', null);
  return honest(entry);
}

function honest(entry: Entry): Paid | Declined {
  return entry.state === 'paid'
    ? paid(entry, entry.payments[0] ?? entry.instructedCents)
    : declined(entry);
}

function lie(entry: Entry): Paid | Declined {
  entry.lied = true;
  entry.excused = true;
  return entry.state === 'paid' ? declined(entry) : paid(entry, entry.instructedCents);
}

function falselyNotSent(entry: Entry): NotSent {
  entry.lied = true;
  entry.excused = true;
  return { kind: 'not_sent', reason: 'unavailable', operatorPaused: false, answered: true };
}

function paid(entry: Entry, amountCents: bigint): Paid {
  entry.words.add('paid');
  return {
    kind: 'paid',
    operatorReference: `R${entry.reference.slice(-6)}`,
    amountCents,
    message: 'paid',
    details: {},
  };
}

function declined(entry: Entry): Declined {
  entry.words.add('declined');
  return { kind: 'declined', code: 'no', failureCode: 'declined', message: 'declined' };
}

function unknown(reason: string, operatorHandle: string | null): Unknown {
  return { kind: 'unknown', reason, operatorHandle, answered: true };
}

function isFinal(said: Said): said is Paid | Declined {
  return said.kind === 'paid' || said.kind === 'declined';
}
