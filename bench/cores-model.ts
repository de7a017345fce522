/** Costs measured on two cores, in CPU microseconds per payment. */
export interface Costs {
  /** Cost of an API process, for a create. */
  readonly apiMicros: number;
  /** Cost of a dispatcher, from the queue to the settlement. */
  readonly dispatcherMicros: number;
  /** Costs of PostgreSQL on one core, for a create, and for the rest of a payment. */
  readonly createMicros: number;
  readonly settleMicros: number;
  /** Additional cost of a create when PostgreSQL works on two cores instead of one: 0.1 is a tenth. */
  readonly contention: number;
  /** Creates a second over one connection of a lane, the only one for its vendors. */
  readonly laneRate: number;
  /** Bytes of the write-ahead log, for a create. */
  readonly walBytes: number;
  /** The write-ahead log's flushes a create, and seconds of each. One flush runs at a time. */
  readonly flushes: number;
  readonly flushSeconds: number;
}

/** Largest share of time in which cores may be busy, so that answers do not wait long. */
const BUSY = 0.75;

export interface Estimate {
  readonly cores: number;
  /** A second, if vendors are divided among processes. From: contention grows with every core. To: it stays that of two. */
  readonly creates: readonly [from: number, to: number];
  readonly payments: readonly [from: number, to: number];
  /** Cores that PostgreSQL uses at the lower rate of payments. */
  readonly postgresCores: number;
  /** Processes at that rate. */
  readonly apiProcesses: number;
  readonly dispatchers: number;
  /** Connections of lanes that this needs. */
  readonly laneConnections: number;
  /**
   * Bytes of the write-ahead log at the higher rate of creates, and the share of time in which it is
   * being flushed.
   */
  readonly walBytesPerSecond: number;
  readonly flushShare: number;
}

/** PostgreSQL's cost on so many busy cores: each further one adds the contention that the second one added. */
function postgresMicros(micros: number, contention: number, busyCores: number): number {
  return micros * (1 + contention * Math.max(0, busyCores - 1));
}

const STEPS = 60;

/** The rate at which these costs keep the cores busy: the answer to an equation, found by halving. */
function rateOf(
  cores: number,
  nodeMicros: number,
  databaseMicros: (busyCores: number) => number,
): number {
  let [from, to] = [0, (cores * 1e6) / nodeMicros];
  for (let step = 0; step < STEPS; step += 1) {
    const rate = (from + to) / 2;
    const needed =
      (rate * (nodeMicros + databaseMicros(databaseCores(rate, databaseMicros)))) / 1e6;
    if (needed > cores * BUSY) to = rate;
    else from = rate;
  }
  return from;
}

function databaseCores(rate: number, micros: (busyCores: number) => number): number {
  let busy = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const next = (rate * micros(busy)) / 1e6;
    // It does not settle where contention grows faster than the work that is done.
    if (!(next < Number.MAX_SAFE_INTEGER)) return Infinity;
    busy = next;
  }
  return busy;
}

/** Estimates a machine with so many cores, if nothing but the measured costs limits it. */
export function estimate(costs: Costs, cores: number): Estimate {
  const { contention } = costs;
  const range = (nodeMicros: number, micros: number): readonly [number, number] => [
    rateOf(cores, nodeMicros, (busy) => postgresMicros(micros, contention, busy)),
    rateOf(cores, nodeMicros, (busy) => postgresMicros(micros, contention, Math.min(busy, 2))),
  ];
  const whole = costs.createMicros + costs.settleMicros;
  const creates = range(costs.apiMicros, costs.createMicros);
  const payments = range(costs.apiMicros + costs.dispatcherMicros, whole);
  const [rate] = payments;
  return {
    cores,
    creates,
    payments,
    postgresCores: databaseCores(rate, (busy) => postgresMicros(whole, contention, busy)),
    apiProcesses: Math.ceil((rate * costs.apiMicros) / 1e6 / BUSY),
    dispatchers: Math.ceil((rate * costs.dispatcherMicros) / 1e6 / BUSY),
    laneConnections: Math.ceil(creates[1] / costs.laneRate),
    walBytesPerSecond: creates[1] * costs.walBytes,
    flushShare: creates[1] * costs.flushes * costs.flushSeconds,
  };
}
