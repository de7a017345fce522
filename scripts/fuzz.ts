import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { startEmbedded } from '../src/platform/embedded/embedded.ts';
import { createPool } from '../src/platform/db/pool.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { SCHEMA } from '../src/schema.ts';
import { fuzz } from '../test/fuzz/campaign.ts';
import { startInProcess } from '../test/support/in-process-service.ts';
import { startSimulatedOperators } from '../test/support/simulated-operators.ts';
import {
  makeTemporaryFolder,
  removeAbandonedFolders,
  removeFolder,
} from '../test/support/temporary.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run fuzz`: hostile inputs for every operation and parser. Ends with one JSON line; exits with 1
 * if one crashed, or if fewer inputs than requested were tried.
 */

const AT_ONCE = 48;
const PROGRESS_EVERY = 10_000;

const options = new Command('fuzz')
  .description('Send hostile inputs to every operation and parser.')
  .option('--inputs <n>', 'how many', countOption, 20_000)
  .option('--seed <s>', 'the first seed; one for each input', countOption, 1)
  .option('--save <folder>', 'where crashes are written', 'fuzz-crashes')
  .parse()
  .opts<{ inputs: number; seed: number; save: string }>();

await removeAbandonedFolders();
const folder = await makeTemporaryFolder();
const database = await startEmbedded({
  folder: path.join(folder, 'postgres'),
  log: () => undefined,
  durable: false,
  settings: { shared_buffers: '64MB', wal_level: 'minimal', max_wal_senders: '0' },
});
const pool = createPool({ url: database.url, max: 1, name: 'fuzz' });
await migrate(pool, SCHEMA);
await pool.end();
const operators = await startSimulatedOperators(path.join(folder, 'operators'));
const running = await startInProcess(database.url, {
  operatorOrigin: operators.origin,
  logLevel: 'fatal',
});
try {
  await running.demo().fund();
  const files = path.join(folder, 'files');
  for (let index = 0; index < AT_ONCE; index += 1) {
    await mkdir(path.join(files, String(index)), { recursive: true });
  }
  const saving: Promise<void>[] = [];
  const result = await fuzz({
    origin: running.origin,
    folder: files,
    inputs: options.inputs,
    firstSeed: options.seed,
    atOnce: Math.min(AT_ONCE, options.inputs),
    onProgress: (done) => {
      if (done % PROGRESS_EVERY === 0) {
        process.stderr.write(`${done} of ${options.inputs} inputs\n`);
      }
    },
    onCrash: (crash) => {
      process.stderr.write(`seed ${crash.seed}, ${crash.kind}: ${crash.what}\n`);
      saving.push(save(crash.seed, crash));
    },
  });
  await Promise.all(saving);
  const [first] = result.crashes;
  if (first !== undefined) {
    process.stderr.write(`again: npm run -s fuzz -- --inputs 1 --seed ${first.seed}\n`);
  }
  const { inputs, statuses, crashes } = result;
  if (crashes.length > 0 || inputs < options.inputs) process.exitCode = 1;
  process.stdout.write(`${JSON.stringify({ inputs, statuses, crashes: crashes.length })}\n`);
} finally {
  await running.stop();
  await operators.kill('SIGTERM');
  await database.stop();
  await removeFolder(folder);
}

async function save(seed: number, crash: object): Promise<void> {
  await mkdir(options.save, { recursive: true });
  await writeFile(path.join(options.save, `${seed}.json`), `${JSON.stringify(crash, null, 2)}\n`);
}
