import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { cpuSeconds, describeMachine, familyCpuSeconds, residentBytes } from '../bench/machine.ts';
import { startEmbedded } from '../src/platform/embedded/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createPool } from '../src/platform/db/pool.ts';
import { SCHEMA } from '../src/schema.ts';
import { assembleTree } from '../test/deploy/dockerfile.ts';
import { addTestParties, operatorsProgram, serviceProgram } from '../test/faults/fleet.ts';
import { makeTemporaryFolder, removeFolder } from '../test/support/temporary.ts';
import { until } from '../test/support/until.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run footprint`: what a process costs that has nothing to do, by role (CPU of Node and of
 * PostgreSQL, memory, database connections), and the size of the image's files. Ends with one JSON line.
 */
const { seconds } = new Command('footprint')
  .description('Measure what each role costs when it is idle, and the size of the image.')
  .option('--seconds <n>', 'how long each role is measured', countOption, 60)
  .parse()
  .opts<{ seconds: number }>();

/** After this time idle connections have been closed. */
const REST_MS = 40_000;
const START_MS = 60_000;
const ROLES = ['api', 'dispatcher', 'jobs', 'api,dispatcher,jobs'];
const run = promisify(execFile);

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

const folder = await makeTemporaryFolder();
const database = await startEmbedded({
  folder: path.join(folder, 'postgres'),
  log: () => undefined,
});
const idle = await measureRoles();
await database.stop();
const image = await measureImage();
await removeFolder(folder);
process.stdout.write(
  `${JSON.stringify({ machine: describeMachine(), date: new Date().toISOString(), seconds, idle, image })}\n`,
);
process.exit();

async function measureRoles() {
  const pool = createPool({ url: database.url, max: 1, name: 'footprint' });
  await migrate(pool, SCHEMA);
  const operators = await operatorsProgram(path.join(folder, 'operators'));
  await operators.start();
  await addTestParties(pool, { operatorOrigin: operators.origin, vendorCount: 100 });
  await pool.end();
  const measured = [];
  for (const roles of ROLES) measured.push(await measureRole(roles));
  operators.signal('SIGTERM');
  await operators.untilEnded();
  return measured;
}

async function measureRole(roles: string) {
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'info', NODE_OPTIONS: '' };
  const program = await serviceProgram({ name: roles, roles, folder, env });
  await program.start();
  await until('it is ready', () => program.ready || program.ended, START_MS);
  if (program.ended) throw new Error((await program.untilEnded()).lastOutput);
  await delay(REST_MS);
  const pid = program.pid ?? 0;
  const [node, postgres] = [cpuSeconds(pid), familyCpuSeconds(database.pid)];
  await delay(seconds * 1_000);
  const perMinute = (used: number): number => Math.round((used / seconds) * 60_000) / 1_000;
  const figures = {
    roles,
    nodeCpuSecondsPerMinute: perMinute(cpuSeconds(pid) - node),
    postgresCpuSecondsPerMinute: perMinute(familyCpuSeconds(database.pid) - postgres),
    memoryMb: Math.round(residentBytes(pid) / 1e6),
    ...(await connectionsOf(program.origin)),
  };
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  program.signal('SIGTERM');
  await program.untilEnded();
  return figures;
}

/** From the process's own metrics: now, and at most. */
async function connectionsOf(origin: string) {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const sumOf = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  return {
    connections: sumOf('malipo_pool_connections'),
    connectionsMax: sumOf('malipo_pool_connections_max'),
  };
}

/** Size of the files that the image adds to its base, uncompressed and as a registry stores them. */
async function measureImage() {
  const tree = path.join(folder, 'image');
  await assembleTree(tree);
  const sizeOf = async (name: string): Promise<number> => {
    const { stdout } = await run('du', ['-sb', '--apparent-size', path.join(tree, name)]);
    return Math.round(Number(stdout.split('\t')[0]) / 1e5) / 10;
  };
  const { stdout } = await run('sh', ['-c', `tar -C '${tree}' -c . | gzip -6 | wc -c`]);
  return {
    filesMb: await sizeOf('.'),
    librariesMb: await sizeOf('node_modules'),
    sourceMb: await sizeOf('src'),
    consoleMb: await sizeOf('console'),
    documentationMb: await sizeOf('site'),
    compressedMb: Math.round(Number(stdout) / 1e5) / 10,
  };
}
