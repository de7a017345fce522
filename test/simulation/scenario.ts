import type { Declaration } from '../../src/connectors/operator.ts';
import type { Fault } from './faults.ts';
import type { Random } from './random.ts';

/** How an operator's protocol works, as its declaration says. */
export interface Shape extends Pick<
  Declaration,
  'callerKey' | 'result' | 'statusBy' | 'callbackTrust'
> {
  /** An id is reserved before the instruction is sent. */
  readonly twoSteps: boolean;
}

/** What kind of company an operator is. Its faults come from the rates. */
export interface OperatorCharacter {
  readonly operatorCode: string;
  readonly billerCodes: readonly string[];
  /** Executes at most one payment for a reference. */
  readonly idempotent: boolean;
  readonly hasStatus: boolean;
  /** Null: "not found" never proves anything. */
  readonly acceptanceWindowMs: number | null;
  readonly payDeadlineMs: number;
  /** Callbacks: none, only what was accepted first, or everything. */
  readonly callbacks: 'never' | 'accepted' | 'always';
  readonly hasBalance: boolean;
  /** May send false reports. It sends the truth in the end. */
  readonly lies: boolean;
  readonly maxConcurrency: number;
  readonly maxPerSecond: number | null;
  /** Undefined: the protocol lets us ask by our reference, and signs its callbacks. */
  readonly shape?: Shape;
}

/** One payment that a vendor creates. */
export interface Wish {
  readonly atMs: number;
  readonly vendorId: number;
  readonly billerCode: string;
  readonly amountCents: bigint;
  readonly merchantReference: string;
}

export interface ScenarioRoute {
  readonly billerCode: string;
  readonly operatorCode: string;
  readonly position: number;
  readonly weight: number;
  /** The amounts that it takes, and how much in a day; null: no limit. */
  readonly minimumCents: bigint | null;
  readonly maximumCents: bigint | null;
  readonly dailyLimitCents: bigint | null;
}

export interface Scenario {
  readonly dispatchers: number;
  readonly operators: readonly OperatorCharacter[];
  /** Operators that may execute a biller's payments; a biller's own operator has no limits. */
  readonly routes: readonly ScenarioRoute[];
  readonly floatsCents: ReadonlyMap<number, bigint>;
  /** Null: neither fees nor costs nor commissions. */
  readonly prices: {
    readonly feeCents: number;
    readonly vatIncluded: boolean;
    readonly costCents: number;
    readonly commissionBps: number;
    readonly commissionNetted: boolean;
  } | null;
  readonly wishes: readonly Wish[];
  /** When the faults end. */
  readonly faultsMs: number;
  readonly crashEveryMs: number | null;
  /** Probability of a crash, and of standing still, between any two effects. */
  readonly crashPointRate: number;
  readonly standStillPointRate: number;
  readonly standStillEveryMs: number | null;
  readonly stopEveryMs: number | null;
  readonly databaseAwayEveryMs: number | null;
  /** An operator reports that our float with it is used up, or filled again. */
  readonly floatChangesEveryMs: number | null;
  readonly breakerFailures: number;
  readonly pollMs: number;
  readonly rates: Readonly<Partial<Record<Fault, number>>>;
}

/** The highest probability with which each fault strikes, per occasion. */
const MOST: Readonly<Partial<Record<Fault, number>>> = {
  lost_before_commit: 0.1,
  lost_after_commit: 0.1,
  database_conflict: 0.08,
  database_refused: 0.05,
  database_silent: 0.05,
  instruction_refused: 0.3,
  instruction_lost: 0.4,
  instruction_doubled: 0.2,
  instruction_left_late: 0.3,
  instruction_slow: 0.25,
  answer_lost: 0.5,
  answer_garbled: 0.3,
  answer_slow: 0.3,
  answer_false: 0.6,
  connector_threw: 0.2,
  connector_hung: 0.15,
  declined: 0.4,
  accepted_first: 0.6,
  never_tells: 0.15,
  other_amount: 0.2,
  operator_paused: 0.15,
  operator_down: 0.06,
  query_unanswered: 0.4,
  query_too_early: 0.6,
  query_false: 0.9,
  callback_lost: 0.4,
  callback_repeated: 0.4,
  callback_contradicts: 0.3,
  callback_unknown: 0.3,
  callback_foreign: 0.5,
  callback_forged: 0.3,
};

/** Faults that a lying operator needs together; alone they rarely have an effect. */
const LIES = ['answer_false', 'query_false', 'answer_lost', 'callback_contradicts'] as const;
/** Faults by which workers run past their leases and instructions arrive after their senders gave up. */
const DELAYS = ['instruction_lost', 'instruction_left_late', 'answer_lost'] as const;

/**
 * Every run has a different mix: about half of the faults are off, so that each fault also occurs
 * without most of the others.
 * @param shape of every operator's protocol.
 */
export function drawScenario(random: Random, shape?: Shape): Scenario {
  const rates: Partial<Record<Fault, number>> = {};
  for (const [name, max] of Object.entries(MOST)) {
    if (random.chance(0.5)) rates[name as Fault] = max * (0.2 + 0.8 * random.next());
  }
  const operators = Array.from({ length: random.pick([1, 2, 2, 3]) }, (_, index) =>
    shaped(drawOperator(random, index), shape),
  );
  const sluggish = random.chance(0.25);
  const mixed = [
    ...(operators.some((operator) => operator.lies) && random.chance(0.8) ? LIES : []),
    ...(sluggish ? DELAYS : []),
  ];
  for (const name of mixed) rates[name] ??= MOST[name] ?? 0;
  const vendorIds = Array.from({ length: random.whole(1, 3) }, (_, index) => index + 1);
  const faultsMs = random.whole(sluggish ? 35 : 15, 45) * 1000;
  const every = (probability: number, minMs: number, maxMs: number): number | null =>
    random.chance(probability) ? random.whole(minMs, maxMs) : null;
  const billers = operators.flatMap((operator) => operator.billerCodes);
  const wishes = Array.from({ length: random.whole(2, 10) }, (_, index) => ({
    atMs: random.whole(0, Math.floor(faultsMs * 0.6)),
    vendorId: random.pick(vendorIds),
    billerCode: random.pick(billers),
    amountCents: BigInt(random.whole(1, 200) * 50),
    merchantReference: `wish-${index}`,
  }));
  return {
    dispatchers: random.whole(sluggish ? 2 : 1, 3),
    operators,
    routes: drawRoutes(random, operators),
    floatsCents: new Map(
      vendorIds.map((vendorId) => [vendorId, random.chance(0.2) ? 12_000n : 1_000_000n]),
    ),
    prices: random.chance(0.4) ? drawPrices(random) : null,
    wishes,
    faultsMs,
    crashEveryMs: every(0.3, 3_000, 15_000),
    crashPointRate: random.chance(0.5) ? 0.03 * random.next() : 0,
    standStillPointRate: sluggish || random.chance(0.3) ? 0.05 * random.next() : 0,
    standStillEveryMs: every(0.2, 4_000, 15_000),
    stopEveryMs: every(0.3, 6_000, 20_000),
    databaseAwayEveryMs: every(0.2, 8_000, 25_000),
    floatChangesEveryMs: every(0.3, 1_500, 6_000),
    breakerFailures: random.whole(2, 12),
    pollMs: random.whole(1_000, 4_000),
    rates,
  };
}

function drawPrices(random: Random): NonNullable<Scenario['prices']> {
  return {
    feeCents: random.whole(0, 50),
    vatIncluded: random.chance(0.5),
    costCents: random.whole(0, 40),
    // Up to all of the amount.
    commissionBps: random.pick([0, 150, 10_000]),
    commissionNetted: random.chance(0.5),
  };
}

/** The highest amount of a payment. */
const MAX_CENTS = 10_000;

function drawRoutes(random: Random, operators: readonly OperatorCharacter[]): ScenarioRoute[] {
  return operators.flatMap((own) =>
    own.billerCodes.flatMap((billerCode) =>
      operators
        .filter((operator) => random.chance(operator === own ? 0.5 : 0.7))
        .map(({ operatorCode }) => {
          const isLimited = operatorCode !== own.operatorCode;
          const some = (probability: number, min: number, max: number): bigint | null =>
            isLimited && random.chance(probability) ? BigInt(random.whole(min, max)) : null;
          return {
            billerCode,
            operatorCode,
            position: random.whole(0, 2),
            weight: random.pick([1, 1, 3, 10]),
            minimumCents: some(0.2, 1, MAX_CENTS / 2),
            maximumCents: some(0.2, MAX_CENTS / 2, MAX_CENTS),
            dailyLimitCents: some(0.2, MAX_CENTS / 4, 3 * MAX_CENTS),
          };
        }),
    ),
  );
}

/** The operator with a protocol of this shape; it reports the truth. */
function shaped(character: OperatorCharacter, shape: Shape | undefined): OperatorCharacter {
  if (shape === undefined) return character;
  const { callerKey, result, statusBy, callbackTrust } = shape;
  return {
    ...character,
    shape,
    lies: false,
    idempotent: callerKey !== 'none',
    hasStatus: statusBy !== 'cannot_be_asked',
    acceptanceWindowMs: statusBy === 'our_reference' ? character.acceptanceWindowMs : null,
    callbacks:
      callbackTrust === 'no_callbacks' ? 'never' : result === 'callback' ? 'always' : 'accepted',
  };
}

function drawOperator(random: Random, index: number): OperatorCharacter {
  const operatorCode = `operator_${index}`;
  const lies = random.chance(0.3);
  const billerCount = random.whole(1, 2);
  return {
    operatorCode,
    billerCodes: Array.from({ length: billerCount }, (_, biller) => `biller_${index}_${biller}`),
    idempotent: random.chance(lies ? 0.2 : 0.5),
    hasStatus: random.chance(0.85),
    acceptanceWindowMs: random.chance(0.85) ? random.whole(1, 8) * 1000 : null,
    payDeadlineMs: random.pick([1, 2, 3, 4, 8]) * 1000,
    callbacks: lies ? 'always' : random.pick(['never', 'accepted', 'always']),
    hasBalance: random.chance(0.5),
    lies,
    maxConcurrency: random.pick([1, 2, 8]),
    maxPerSecond: random.chance(0.2) ? random.whole(1, 3) : null,
  };
}
