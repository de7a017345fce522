import type { Client } from 'pg';
import { FIRST_ACCOUNTS } from '../../src/payments/ledger/account.ts';
import type { SimulatedDatabase } from './database.ts';
import type { FaultCounts } from './faults.ts';
import { isDrained, judge } from './judge.ts';
import { createFloats, FLOAT_LIMITS } from './floats.ts';
import type { Floats } from './floats.ts';
import { createNetwork } from './link.ts';
import type { Network } from './link.ts';
import { startMerchants } from './merchant.ts';
import type { Mutant } from './mutants.ts';
import { createHostileOperator } from './operator.ts';
import { createCallbackSender } from './callback-sender.ts';
import { startProcess } from './process.ts';
import type { SimulatedProcess } from './process.ts';
import type { Shape } from './scenario.ts';
import { createWorld } from './world.ts';
import type { World } from './world.ts';

export interface Run {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: FaultCounts;
  /** Equal for two runs in which the same happened. */
  readonly fingerprint: string;
  readonly events: number;
}

/** How long, in simulated time, the service may need to end all payments after the faults. */
const CALM_MS = 240_000;
const CALM_STEP_MS = 4_000;

/**
 * One run: a phase with faults that the seed chooses, a calm phase until every payment that can end has
 * ended, then the comparison. Nothing else may use the database.
 */
export async function runSeed(options: {
  readonly seed: number;
  readonly database: SimulatedDatabase;
  readonly mutant?: Mutant | undefined;
  /** Of every operator's protocol; default: drawn. */
  readonly shape?: Shape | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
}): Promise<Run> {
  const { database, seed, mutant } = options;
  await database.reset(mutant?.bugs ?? NO_BUGS);
  const world = createWorld({ seed, database, shape: options.shape, onLine: options.onLine });
  await addInitialData(database.client, world);
  const network = createNetwork(world);
  const fleet = startFleet(world, network, mutant);
  const merchants = startMerchants(world, fleet.anyProcess);
  const floats = createFloats(world, network);
  scheduleFaults(world, network, { fleet, floats });

  const { schedule, scenario } = world;
  await schedule.runUntil(scenario.faultsMs);
  world.calm = true;
  world.log('calm');
  network.awayUntilMs = 0;
  fleet.endFaults();
  floats.endFaults();
  for (let sinceMs = 0; sinceMs < CALM_MS; sinceMs += CALM_STEP_MS) {
    await schedule.runUntil(scenario.faultsMs + sinceMs + CALM_STEP_MS);
    if (merchants.unanswered === 0 && fleet.idle && (await isDrained(world))) break;
  }
  if (merchants.unanswered > 0) world.violated(`${merchants.unanswered} creates have no answer`);
  await fleet.end();
  await judge(world);
  return {
    seed,
    violations: world.violations,
    faults: world.faults,
    fingerprint: world.fingerprint(),
    events: schedule.events,
  };
}

const NO_BUGS = {};

interface Fleet {
  readonly anyProcess: () => SimulatedProcess | undefined;
  /** Running processes, whether or not they are ready. */
  readonly alive: readonly SimulatedProcess[];
  /** No callback is on its way. */
  readonly idle: boolean;
  endFaults(): void;
  end(): Promise<void>;
}

function startFleet(world: World, network: Network, mutant: Mutant | undefined): Fleet {
  const { schedule, random, scenario } = world;
  const processes = new Set<SimulatedProcess>();
  let started = 0;
  let ending = false;
  const anyProcess = (): SimulatedProcess | undefined => {
    const ready = [...processes].filter((process) => process.ready);
    return ready.length === 0 ? undefined : random.pick(ready);
  };
  const callbacks = createCallbackSender({ world, operators: scenario.operators, anyProcess });
  const operators = scenario.operators.map((character) =>
    createHostileOperator(world, character, (entry, report) => callbacks.send(entry, report)),
  );
  const start = (): void => {
    started += 1;
    const process = startProcess({
      world,
      network,
      operators,
      name: `process-${started}`,
      mutant,
      onEnd: () => {
        processes.delete(process);
        // As a supervisor does.
        if (!ending) schedule.after(random.whole(100, 3_000), start);
      },
    });
    processes.add(process);
  };
  for (let index = 0; index < scenario.dispatchers; index += 1) {
    schedule.after(random.whole(0, 500), start);
  }
  if (scenario.dispatchers > 1) world.note('dispatchers_at_once');
  for (const operator of scenario.operators) if (!operator.hasStatus) world.note('cannot_be_asked');
  network.onSettingsChanged = () => {
    for (const process of processes) process.hintSettings();
  };
  return {
    anyProcess,
    get alive() {
      return [...processes];
    },
    get idle() {
      return callbacks.inTransit === 0;
    },
    endFaults: () => {
      for (const operator of operators) operator.endFaults();
    },
    end: async () => {
      ending = true;
      for (const process of processes) await process.end();
    },
  };
}

/** Repeats faults of processes and of the whole database until the calm phase. */
function scheduleFaults(
  world: World,
  network: Network,
  { fleet, floats }: { readonly fleet: Fleet; readonly floats: Floats },
): void {
  const { schedule, random, scenario } = world;
  const repeat = (everyMs: number | null, strike: () => void | Promise<void>): void => {
    if (everyMs === null) return;
    const next = (): void => {
      schedule.after(random.whole(1, 2 * everyMs), async () => {
        if (world.calm) return;
        await strike();
        next();
      });
    };
    next();
  };
  const victim = (): SimulatedProcess | undefined =>
    fleet.alive.length === 0 ? undefined : random.pick(fleet.alive);
  repeat(scenario.crashEveryMs, async () => await victim()?.crash());
  repeat(scenario.standStillEveryMs, () => victim()?.standStill(random.whole(3_000, 25_000)));
  repeat(scenario.stopEveryMs, () => victim()?.stop());
  repeat(scenario.floatChangesEveryMs, () => floats.change());
  repeat(scenario.databaseAwayEveryMs, () => {
    world.note('database_away');
    network.awayUntilMs = schedule.nowMs + random.whole(500, 12_000);
  });
}

/** Vendors with money, operators, billers: what a service has before its first payment. */
async function addInitialData(client: Client, world: World): Promise<void> {
  const { scenario } = world;
  const floats = [...scenario.floatsCents];
  const billers = scenario.operators.flatMap((operator) =>
    operator.billerCodes.map((billerCode) => ({ billerCode, operator })),
  );
  await client.query({
    name: 'addInitialData',
    text: FURNISH,
    values: [
      floats.map(([vendorId]) => vendorId),
      floats.map(([, cents]) => cents.toString()),
      FIRST_ACCOUNTS,
      billers.map(({ billerCode }) => billerCode),
      billers.map(({ operator }) => operator.operatorCode),
      scenario.operators.map((operator) => operator.operatorCode),
      scenario.operators.map((operator) => operator.maxConcurrency),
      scenario.operators.map((operator) => operator.maxPerSecond),
    ],
  });
  await addPrices(client, world);
  await client.query({
    name: 'furnish_floats',
    text: `insert into operator_floats (operator_code, stop_cents, resume_cents)
      select operator_code, $2, $3 from unnest($1::text[]) as o (operator_code)`,
    values: [
      scenario.operators.map((operator) => operator.operatorCode),
      FLOAT_LIMITS.stopCents,
      FLOAT_LIMITS.resumeCents,
    ],
  });
  await client.query({
    name: 'furnish_routes',
    text: `insert into routes (biller_code, operator_code, position, weight, minimum_cents,
        maximum_cents, daily_limit_cents)
      select * from unnest($1::text[], $2::text[], $3::integer[], $4::integer[], $5::bigint[],
        $6::bigint[], $7::bigint[])`,
    values: [
      scenario.routes.map(({ billerCode }) => billerCode),
      scenario.routes.map(({ operatorCode }) => operatorCode),
      scenario.routes.map(({ position }) => position),
      scenario.routes.map(({ weight }) => weight),
      scenario.routes.map(({ minimumCents }) => minimumCents),
      scenario.routes.map(({ maximumCents }) => maximumCents),
      scenario.routes.map(({ dailyLimitCents }) => dailyLimitCents),
    ],
  });
}

/** Fees of every biller, and what every operator charges and gives for each. */
async function addPrices(client: Client, world: World): Promise<void> {
  const { prices } = world.scenario;
  if (prices === null) return;
  await client.query({
    name: 'furnish_prices',
    text: `with fee as (
        insert into fee_prices (version, biller_code, valid_from, set_at, set_by, tiers, vat_bps, vat_included)
        select row_number() over (), biller_code, '2000-01-01', '2000-01-01', 'Asha', $1::jsonb, 1600, $2
        from billers
      )
      insert into operator_prices (version, biller_code, operator_code, valid_from, set_at, set_by,
        cost_cents, cost_bps, commission_cents, commission_bps, commission_netted)
      select row_number() over (), biller_code, o.operator_code, '2000-01-01', '2000-01-01', 'Asha',
        $3, 30, 5, $4, $5
      from billers cross join operators o`,
    values: [
      JSON.stringify([{ from_cents: 0, flat_cents: prices.feeCents, bps: 120 }]),
      prices.vatIncluded,
      prices.costCents,
      prices.commissionBps,
      prices.commissionNetted,
    ],
  });
}

const FURNISH = `
  with wanted as (
    select vendor_id, cents, gen_random_uuid() as collection_id, gen_random_uuid() as movement_id
    from unnest($1::integer[], $2::bigint[]) as w (vendor_id, cents)
  ), vendor as (
    insert into vendors (vendor_id, vid, name, sector, created_at)
    select vendor_id, 'vendor-' || vendor_id, 'Vendor', 'retail', now() from wanted
  ), account as (
    insert into accounts (bucket, vendor_id, account, balance_cents)
    select bucket_of(vendor_id), vendor_id, account,
      case account when 'float' then cents else 0 end
    from wanted, unnest($3::text[]) as account
    union all
    select bucket_of(vendor_id), vendor_id, 'collector:till', -cents from wanted
  ), collection as (
    insert into collections (collector, reference, vendor_id, collection_id, amount_cents, paid_at,
      created_at, account)
    select 'till', 'opening-' || vendor_id, vendor_id, collection_id, cents, now(), now(), 'collector:till' from wanted
  ), movement as (
    insert into fund_movements (bucket, vendor_id, requested_at, movement_id, amount_cents, created_at)
    select bucket_of(vendor_id), vendor_id, now(), movement_id, cents, now() from wanted
  ), transfer as (
    insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account,
      amount_cents, created_at)
    select bucket_of(vendor_id), vendor_id, collection_id, 1, 'collector:till', 'collected', cents, now() from wanted
    union all
    select bucket_of(vendor_id), vendor_id, movement_id, 1, 'collected', 'float', cents, now() from wanted
  ), operator as (
    insert into operators (operator_code, name, connector, base_url, max_concurrency, max_per_second)
    select code, code, 'simulated', 'http://127.0.0.1:1', concurrency, per_second
    from unnest($6::text[], $7::integer[], $8::integer[]) as o (code, concurrency, per_second)
  )
  insert into billers (biller_code, name, category, operator_code, minimum_cents, account_format,
    account_label)
  select code, code, 'water', operator, 1, '^[A-Za-z0-9-]{1,64}$', 'Account'
  from unnest($4::text[], $5::text[]) as b (code, operator)`;
