/** A figure of one run of one contestant; the contestant defines what it counts. */
export interface Run {
  readonly contestant: string;
  /** Events per second, or in `unit`. */
  readonly value: number;
  /** Default: per second. */
  readonly unit?: 'bytes' | 'ratio' | 'seconds';
  /** CPU microseconds per event, of Node and of PostgreSQL; absent if several share a process. */
  readonly nodeMicros?: number;
  readonly postgresMicros?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** Medians of one contestant. */
export type Figure = Omit<Run, 'contestant'> & { readonly runs: readonly number[] };

export interface Ratio {
  readonly name: string;
  /** A description for the table. */
  readonly what: string;
  readonly must: number;
  readonly goal: number;
  /** `higher`: the figure must reach the bound. `lower`: it must stay below it. */
  readonly better: 'higher' | 'lower';
  /** The contestants that it is computed from, by name. */
  readonly of: readonly string[];
  /** Contestants that also run, for the table only. */
  readonly alongside?: readonly string[];
  /** An environment variable without which it is not measured. */
  readonly needs?: string;
  readonly value: (figure: (contestant: string) => Figure) => number;
}

/** One contestant's rate over the best of the others'. */
function rates(
  name: string,
  what: string,
  [contestant, ...others]: readonly [string, ...string[]],
  [must, goal]: readonly [number, number],
): Ratio {
  return {
    name,
    what,
    must,
    goal,
    better: 'higher',
    of: [contestant, ...others],
    value: (figure) =>
      figure(contestant).value / Math.max(...others.map((other) => figure(other).value)),
  };
}

/** CPU of an event of a contestant ÷ that of a reference, of one of the two programs. */
function cpu(
  column: 'nodeMicros' | 'postgresMicros',
  [name, what]: readonly [string, string],
  [contestant, reference]: readonly [string, string],
  [must, goal]: readonly [number, number],
): Ratio {
  return {
    ...{ name, what, must, goal },
    better: 'lower',
    of: [contestant, reference],
    value: (figure) =>
      (figure(contestant)[column] ?? Number.NaN) / (figure(reference)[column] ?? Number.NaN),
  };
}

/** CPU cost of an event in Node and PostgreSQL. */
function micros({ nodeMicros = Number.NaN, postgresMicros = Number.NaN }: Figure): number {
  return nodeMicros + postgresMicros;
}

/** A figure of a single contestant. */
function own(
  name: string,
  what: string,
  contestant: string,
  [must, goal]: readonly [number, number],
): Ratio {
  return {
    name,
    what,
    must,
    goal,
    better: 'lower',
    of: [contestant],
    value: (figure) => figure(contestant).value,
  };
}

/** Time of the same work on a PostgreSQL with default settings, divided by that on the embedded one. */
function slower(name: string, work: string): Ratio {
  const [byDefault, embedded] = [`${work}, default settings`, `${work}, embedded settings`];
  return {
    name,
    what: `${work}: default settings ÷ embedded`,
    must: 2,
    goal: 1.25,
    better: 'lower',
    of: [byDefault, embedded],
    value: (figure) => figure(byDefault).value / figure(embedded).value,
  };
}

export const ONE_CALL_CONNECTIONS = [1, 2, 4, 8, 16] as const;
export const PGLEDGER_CONNECTIONS = [1, 8] as const;
/** Number of loops that take batches of 500 and record the results; each contestant uses its best. */
export const DISPATCH_WORKERS = [1, 2, 4] as const;

const PGLEDGER_HOT = PGLEDGER_CONNECTIONS.map((count) => `pgledger hot ${count}`);
const DISPATCHES = DISPATCH_WORKERS.map((workers) => `dispatch by 500, ${workers} at once`);
const PG_BOSSES = DISPATCH_WORKERS.map((workers) => `pg-boss by 500, ${workers} at once`);

export const RATIOS: readonly Ratio[] = [
  rates(
    'create_hot_64',
    'create, one hot vendor ÷ hello, 64 connections',
    ['create hot 64', 'hello 64'],
    [0.45, 0.8],
  ),
  rates(
    'create_hot_256',
    'create, one hot vendor ÷ hello, 256 connections',
    ['create hot 256', 'hello 256'],
    [0.6, 0.8],
  ),
  rates(
    'create_1000_64',
    'create, 1,000 vendors ÷ hello, 64 connections',
    ['create 1000 64', 'hello 64'],
    [0.45, 0.8],
  ),
  rates(
    'create_1000_256',
    'create, 1,000 vendors ÷ hello, 256 connections',
    ['create 1000 256', 'hello 256'],
    [0.6, 0.8],
  ),
  cpu(
    'nodeMicros',
    ['node_cpu_create_vs_hello', 'Node CPU of a create ÷ of a hello, 256 connections'],
    ['create 1000 256', 'hello 256'],
    [1.35, 1.15],
  ),
  cpu(
    'nodeMicros',
    [
      'node_cpu_hello_vs_bare',
      'Node CPU of a hello ÷ of the same on bare node:http, 256 connections',
    ],
    ['hello 256', 'bare 256'],
    [1.6, 1.3],
  ),
  cpu(
    'nodeMicros',
    ['log_cpu_of_create', 'Node CPU of a create with its log lines ÷ without, 256 connections'],
    ['create with log', 'create without log'],
    [1.4, 1.25],
  ),
  cpu(
    'postgresMicros',
    [
      'pg_cpu_create_hot_vs_unchecked',
      'PostgreSQL CPU of a create ÷ of an unchecked insert, one hot vendor',
    ],
    ['lanes hot', 'ceiling hot'],
    [1.5, 1.25],
  ),
  cpu(
    'postgresMicros',
    ['pg_cpu_create_1000_vs_unchecked', 'the same, 1,000 vendors'],
    ['lanes 1000', 'ceiling 1000'],
    [2, 1.5],
  ),
  rates(
    'create_vs_per_request',
    'create ÷ one transaction per request, hot, 256 connections',
    ['create hot 256', 'per request hot 256'],
    [4, 8],
  ),
  rates(
    'lanes_vs_one_call',
    'lanes without HTTP, hot ÷ one call per request at its best',
    ['lanes hot', ...ONE_CALL_CONNECTIONS.map((count) => `one call hot ${count}`)],
    [6, 10],
  ),
  rates(
    'lanes_vs_ceiling',
    'lanes without HTTP, hot ÷ unchecked insert',
    ['lanes hot', 'ceiling hot'],
    [0.75, 0.9],
  ),
  rates(
    'create_1000_vs_hot',
    'create, 1,000 vendors ÷ one hot vendor, 256 connections',
    ['create 1000 256', 'create hot 256'],
    [0.8, 0.95],
  ),
  {
    ...rates(
      'create_vs_pgledger',
      'lanes without HTTP, hot ÷ a bare transfer by pgledger at its best',
      ['lanes hot', ...PGLEDGER_HOT],
      [8, 12],
    ),
    alongside: ['pgledger 1000 8'],
    needs: 'PGLEDGER_SQL',
  },
  rates('bulk_vs_lanes', 'bulk rows ÷ lanes without HTTP', ['bulk hot', 'lanes hot'], [0.7, 0.9]),
  rates(
    'balance_vs_hello',
    'balance ÷ hello, 64 connections',
    ['balance 64', 'hello 64'],
    [0.6, 0.8],
  ),
  rates('status_vs_hello', 'status ÷ hello, 64 connections', ['status 64', 'hello 64'], [0.6, 0.8]),
  rates(
    'cycle_vs_create',
    'created, paid and settled ÷ created',
    ['cycle', 'create alone'],
    [0.25, 0.5],
  ),
  {
    name: 'cycle_cpu_vs_create',
    what: 'CPU of a cycle ÷ of a create, Node and PostgreSQL together',
    must: 3.35,
    goal: 1.8,
    better: 'lower',
    of: ['cycle', 'create alone'],
    value: (figure) => micros(figure('cycle')) / micros(figure('create alone')),
  },
  {
    name: 'cycle_routed_vs_plain',
    what: 'CPU of a cycle, two operators by weight, and prices ÷ one operator',
    must: 1.1,
    goal: 1.03,
    better: 'lower',
    of: ['cycle routed, with prices', 'cycle'],
    alongside: ['cycle routed'],
    value: (figure) => micros(figure('cycle routed, with prices')) / micros(figure('cycle')),
  },
  {
    name: 'dispatch_vs_pgboss',
    what: 'claim, attempt and settle ÷ pg-boss fetch and complete, by 500',
    must: 1.3,
    goal: 3,
    better: 'higher',
    of: [...DISPATCHES, ...PG_BOSSES],
    alongside: ['pg-boss with one output for all, 2 at once', 'graphile-worker'],
    value: (figure) => {
      const best = (names: readonly string[]): number =>
        Math.max(...names.map((name) => figure(name).value));
      return best(DISPATCHES) / best(PG_BOSSES);
    },
  },
  rates(
    'rows_5m_vs_empty',
    'lanes without HTTP, 5,000,000 rows behind ÷ empty',
    ['lanes 1000 on 5m rows', 'lanes 1000 on empty'],
    [0.85, 0.95],
  ),
  own(
    'wal_per_create',
    'WAL bytes of a create, 5,000,000 rows behind',
    'WAL on 5m rows',
    [1500, 1100],
  ),
  own('p99_vs_p50_half_load', 'p99 ÷ p50, open loop at half load', 'create at half load', [6, 3]),
  own('start_cpu_seconds', 'CPU seconds from start to ready, all roles', 'start', [1.3, 0.6]),
  {
    name: 'remote_command_vs_local',
    what: 'CPU of a command that asks the staff API ÷ of the same command in process',
    must: 0.7,
    goal: 0.5,
    better: 'lower',
    of: ['command over HTTP', 'command in process'],
    value: (figure) => figure('command over HTTP').value / figure('command in process').value,
  },
  slower('default_settings_create_vs_embedded', 'creates at 20/s'),
  slower('default_settings_callbacks_vs_embedded', '100 callbacks at once'),
  ...(['lists', 'searches', 'charts'] as const).map((group) =>
    own(
      `console_${group}_seconds`,
      `the console’s slowest of its ${group}, median in seconds, 1,000,000 payments behind`,
      `console ${group}`,
      [0.3, 0.1],
    ),
  ),
  rates(
    'create_beside_console',
    'create while a person reads the console ÷ create alone, 1,000,000 payments behind',
    ['create beside the console', 'create without the console'],
    [0.9, 0.97],
  ),
  own(
    'self_service_lists_5m_vs_10k',
    'a vendor’s lists by program: the page that grew most, 5,000,000 payments behind ÷ 10,000',
    'self-service lists',
    [2, 1.5],
  ),
  {
    name: 'p99_beside_neighbour',
    what: 'p99 of one vendor’s creates beside a vendor at its limits ÷ alone',
    must: 2,
    goal: 1.5,
    better: 'lower',
    of: ['payments of a vendor beside a busy one', 'payments of a vendor'],
    value: (figure) =>
      figure('payments of a vendor beside a busy one').value / figure('payments of a vendor').value,
  },
  own(
    'memory_10min_vs_1min',
    'resident memory after 10 minutes ÷ after 1',
    'memory at full load',
    [1.15, 1.05],
  ),
];

/** Judges the ratio by its bounds. */
export function verdict(ratio: Ratio, value: number): 'goal' | 'must' | 'missed' {
  const reaches = (bound: number): boolean =>
    ratio.better === 'higher' ? value >= bound : value <= bound;
  if (reaches(ratio.goal)) return 'goal';
  return reaches(ratio.must) ? 'must' : 'missed';
}

/** Medians of each contestant's runs, separately for each column. */
export function figuresOf(runs: readonly Run[]): Map<string, Figure> {
  const groups = new Map<string, Run[]>();
  for (const run of runs) groups.set(run.contestant, [...(groups.get(run.contestant) ?? []), run]);
  const figures = new Map<string, Figure>();
  for (const [contestant, group] of groups) {
    figures.set(contestant, {
      value: median(group.map((run) => run.value)),
      runs: group.map((run) => run.value),
      ...(group[0]?.unit === undefined ? {} : { unit: group[0].unit }),
      ...medianOf(group, 'nodeMicros'),
      ...medianOf(group, 'postgresMicros'),
      ...medianOf(group, 'p50Ms'),
      ...medianOf(group, 'p99Ms'),
    });
  }
  return figures;
}

function medianOf(
  runs: readonly Run[],
  column: 'nodeMicros' | 'postgresMicros' | 'p50Ms' | 'p99Ms',
): Partial<Run> {
  const values = runs.flatMap((run) => run[column] ?? []);
  return values.length === 0 ? {} : { [column]: median(values) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
