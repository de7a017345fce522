import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import { isoDay } from '../../src/platform/base/days.ts';
import { MAX_SUBJECTS } from '../../sandbox/population/person.ts';
import { endOnSignals } from '../interruption.ts';
import { median } from '../ratios.ts';
import { measureBatch } from './batch.ts';
import type { MeasuredBatch } from './batch.ts';
import { runCli, startCluster, startService } from './cluster.ts';
import type { Cluster, RunningService } from './cluster.ts';
import { ACCOUNTS_PER_SUBJECT, loadRegistry } from './load.ts';
import { AS_OF, IMPORT_LENDER, importFileLines } from './population.ts';
import { drive, signedRequests } from './requests.ts';

const SMALL_SUBJECTS = 10_000;

interface Options {
  readonly json?: boolean;
  readonly subjects: number;
  readonly rounds: number;
  readonly requests: number;
  readonly importRows: number;
  readonly importOnly?: boolean;
  readonly batchOnly?: boolean;
}

const program = new Command('bench:credit')
  .description('Speed of the credit operations with a small and a large registry, and of imports.')
  .option('--json', 'end with one JSON object')
  .option('--subjects <number>', 'people on the large registry', wholeNumber, 1_000_000)
  .option('--rounds <number>', 'measured rounds; the median counts', wholeNumber, 7)
  .option('--requests <number>', 'requests a registry and round', wholeNumber, 1_500)
  .option('--import-rows <number>', 'lines of the imported file', wholeNumber, 150_000)
  .option('--batch-only', 'measure a batch of 10,000 on the small registry, and nothing else')
  .option('--import-only', 'measure the import, not the operations')
  .action(async (options: Options) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-credit-'));
    try {
      await measure(options, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
const unlessInterrupted = endOnSignals();
await program.parseAsync();

async function measure(options: Options, folder: string): Promise<void> {
  if (options.batchOnly === true) return await measureBatches(options, folder);
  const imported = await measureImport(path.join(folder, 'import'), options.importRows);
  const name = `credit_${sizeName(options.subjects)}_vs_${sizeName(SMALL_SUBJECTS)}`;
  const compared = options.importOnly === true ? undefined : await compareSizes(options, folder);
  const figures = { ...compared?.figures, ...imported };
  const ratios = compared === undefined ? {} : { [name]: rounded(compared.ratio, 3) };
  for (const [figure, value] of Object.entries({ ...ratios, ...figures }))
    say(`${figure}: ${value}`);
  if (options.json !== true) return;
  process.stdout.write(`${JSON.stringify({ ratios, figures })}\n`);
}

/** Batches of everybody on the small registry; the first one warms up and is not counted. */
async function measureBatches({ rounds, json }: Options, folder: string): Promise<void> {
  const cluster = await startCluster(path.join(folder, 'batch'));
  try {
    await unlessInterrupted(loadRegistry({ ...cluster, subjects: SMALL_SUBJECTS, report: say }));
    const service = await startService(cluster, SMALL_SUBJECTS, await freePort());
    try {
      const measured: MeasuredBatch[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        const one = await measureBatch(service, cluster, { rows: SMALL_SUBJECTS, round });
        say(`round ${round}: ${JSON.stringify(one)}`);
        if (round > 0) measured.push(one);
        // Autovacuum does this within minutes. Until then, PostgreSQL assumes that the table is empty.
        else await cluster.pool.query('vacuum (analyze) enquiries');
      }
      const figures = {
        batch_subjects_per_s: median(measured.map(({ perSecond }) => perSecond)),
        batch_cpu_us_per_subject_service: median(measured.map(({ cpuUsService }) => cpuUsService)),
        batch_cpu_us_per_subject_database: median(
          measured.map(({ cpuUsDatabase }) => cpuUsDatabase),
        ),
      };
      if (json === true) process.stdout.write(`${JSON.stringify({ ratios: {}, figures })}\n`);
    } finally {
      await service.stop();
    }
  } finally {
    await cluster.stop();
  }
}

/** Imports a new file into an empty registry, with the command. */
async function measureImport(folder: string, rows: number): Promise<Record<string, number>> {
  const cluster = await startCluster(folder);
  try {
    const file = path.join(folder, '..', 'import.csv');
    await pipeline(Readable.from(ended(importFileLines(rows))), createWriteStream(file));
    say(`importing ${rows} lines`);
    const serverBefore = cluster.cpuSeconds();
    const ran = await unlessInterrupted(
      runCli(cluster, [
        ...['credit', 'import', file, '--template', 'mobile', '--lender', IMPORT_LENDER],
        ...['--sector', 'mobile_lender', '--as-of', isoDay(AS_OF), '--json'],
      ]),
    );
    const { states_added: added } = JSON.parse(ran.stdout) as { states_added: number };
    if (added !== rows) throw new Error(`${added} of ${rows} lines were taken`);
    const perRow = (cpuSeconds: number): number => rounded((cpuSeconds / rows) * 1e6, 1);
    return {
      import_rows: rows,
      import_rows_per_s: Math.round(rows / ran.seconds),
      import_cpu_us_per_row_command: perRow(ran.cpuSeconds),
      import_cpu_us_per_row_database: perRow(cluster.cpuSeconds() - serverBefore),
    };
  } finally {
    await cluster.stop();
  }
}

/** Sends the same requests to a small and a large registry, in turn; each has its own database server. */
async function compareSizes(
  { subjects, rounds, requests }: Options,
  folder: string,
): Promise<{ readonly ratio: number; readonly figures: Record<string, number> }> {
  const clusters: Cluster[] = [];
  const services: RunningService[] = [];
  try {
    for (const [name, size] of [
      ['small', SMALL_SUBJECTS],
      ['large', subjects],
    ] as const) {
      const cluster = await startCluster(path.join(folder, name));
      clusters.push(cluster);
      await unlessInterrupted(loadRegistry({ ...cluster, subjects: size, report: say }));
      services.push(await startService(cluster, size, await freePort()));
    }
    const speeds: number[][] = [];
    // The first round warms up and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      const speed = await unlessInterrupted(measureRound(services, requests, round));
      say(`round ${round}: ${speed.map((one) => one.toFixed(0)).join(' and ')} requests/s`);
      if (round > 0) speeds.push(speed);
    }
    const [small, large] = [0, 1].map((side) => median(speeds.map((one) => one[side] ?? 0)));
    return {
      ratio: median(speeds.map(([a = 1, b = 0]) => b / a)),
      figures: {
        subjects,
        accounts: subjects * ACCOUNTS_PER_SUBJECT,
        requests_per_s_small: rounded(small ?? 0, 0),
        requests_per_s_large: rounded(large ?? 0, 0),
        database_mb_large: await databaseMegabytes(clusters[1]),
      },
    };
  } finally {
    await Promise.all(services.map(async (service) => await service.stop()));
    await Promise.all(clusters.map(async (cluster) => await cluster.stop()));
  }
}

/** Requests per second of each service, in the order of the services. */
async function measureRound(
  services: readonly RunningService[],
  requests: number,
  round: number,
): Promise<number[]> {
  const speeds: number[] = [];
  const turns = [...services.entries()];
  // The second service would find a warmer machine, so they take turns.
  if (round % 2 === 1) turns.reverse();
  for (const [index, service] of turns) {
    speeds[index] = await drive(service, signedRequests(service, requests, round));
  }
  return speeds;
}

async function databaseMegabytes(cluster: Cluster | undefined): Promise<number> {
  const read = await cluster?.pool.query<{ bytes: bigint }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return Number((read?.rows[0]?.bytes ?? 0n) / 1_048_576n);
}

function* ended(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

/** `10k`, `1m` */
function sizeName(subjects: number): string {
  if (subjects % 1_000_000 === 0) return `${subjects / 1_000_000}m`;
  return subjects % 1_000 === 0 ? `${subjects / 1_000}k` : String(subjects);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('No port is free');
  return address.port;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function wholeNumber(text: string): number {
  const value = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : NaN;
  if (value <= MAX_SUBJECTS) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_SUBJECTS}.`);
}
