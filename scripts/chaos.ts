import { Command, Option } from 'commander';
import { citusDatabase, embeddedDatabase } from '../test/faults/chaos/database.ts';
import { DARAJA_IDS } from '../sandbox/operators/options.ts';
import { PROVIDER_CHOICES } from '../test/faults/chaos/providers.ts';
import { runChaos } from '../test/faults/chaos/run.ts';
import { CLIENT_NAMES } from '../test/clients/driver.ts';
import type { ClientName } from '../test/clients/driver.ts';
import { countOption } from './count-option.ts';

/**
 * `npm run chaos`: kills the service's processes under load, and at intervals all of them and the
 * database. Ends with one JSON line. Exits with 1 if an accepted payment was lost, paid twice or is
 * otherwise wrong, or if fewer kills were made than requested. With CITUS_URL and CITUS_CONTROL it runs
 * on that cluster, whose nodes are killed as well.
 */
const { kills, seed, provider, darajaId, darajaLoses, client, payments } = new Command('chaos')
  .description(
    'Kill the service over and over under load, then compare the ledger with the operators’ records.',
  )
  .option('--kills <n>', 'how many kills', countOption, 100)
  .option('--seed <s>', 'chooses victims, moments and payments', countOption, 1)
  .addOption(
    new Option(
      '--provider <protocol>',
      'payments through an emulated provider; all: through all of them, with their routes',
    ).choices(PROVIDER_CHOICES),
  )
  .addOption(
    new Option(
      '--daraja-id <which>',
      'the id by which the emulated Daraja is asked about a payment; documents contradict each other',
    ).choices(DARAJA_IDS),
  )
  .option('--daraja-loses <percent>', 'how many of a hundred Results Daraja loses', countOption)
  .addOption(
    new Option('--client <name>', 'pay through a client of clients/, or through all').choices([
      ...CLIENT_NAMES,
      'all',
    ]),
  )
  .option('--payments <n>', 'spread the kills over so many payments', countOption, 0)
  .parse()
  .opts<{
    kills: number;
    seed: number;
    provider?: string;
    darajaId?: string;
    darajaLoses?: number;
    client?: ClientName | 'all';
    payments: number;
  }>();

// The started processes end with this one.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

let reported = 0;
const { CITUS_URL: url = '', CITUS_CONTROL: control = '' } = process.env;
const onCluster = url !== '' && control !== '';

const result = await runChaos({
  openDatabase: onCluster ? async () => await citusDatabase(url, control) : embeddedDatabase,
  kills,
  seed,
  provider,
  darajaId,
  darajaLoses,
  clients: client && (client === 'all' ? CLIENT_NAMES : [client]),
  payments,
  onProgress: (made) => {
    if (made - reported < 50) return;
    reported = made;
    process.stderr.write(`${made} of ${kills} kills\n`);
  },
});
const findings = [
  ...result.lost.map((line) => `lost: ${line}`),
  ...result.paidTwice.map((line) => `paid twice: ${line}`),
  ...result.violations,
];
for (const finding of findings.slice(0, 100)) process.stderr.write(`${finding}\n`);
if (findings.length > 0 || result.kills < kills) process.exitCode = 1;
process.stdout.write(
  `${JSON.stringify({
    kills: result.kills,
    accepted: result.accepted,
    open_with_case: result.openWithCase,
    lost: result.lost.length,
    paid_twice: result.paidTwice.length,
    violations: result.violations.length,
    hits: result.hits,
  })}\n`,
);
