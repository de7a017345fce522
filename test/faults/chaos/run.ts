import { createRandom } from '../../simulation/random.ts';
import {
  makeTemporaryFolder,
  removeAbandonedFolders,
  removeFolder,
} from '../../support/temporary.ts';
import { startClients } from './clients.ts';
import type { Clients } from './clients.ts';
import type { ClientName } from '../../clients/driver.ts';
import { judge } from './judge.ts';
import { embeddedDatabase } from './database.ts';
import type { ChaosDatabase } from './database.ts';
import type { Judgement } from './judge.ts';
import { startLoad } from './load.ts';
import { providerAccount, providerBillersOf } from './providers.ts';
import { until } from '../../support/until.ts';
import { START_MS } from '../fleet.ts';
import { World } from './world.ts';

export interface ChaosResult extends Judgement {
  readonly kills: number;
  /** Number of kills by target: a program at any moment, a named crash point, or `everything`. */
  readonly hits: Readonly<Record<string, number>>;
}

/**
 * Runs a process with the role `api`, a dispatcher, a process with all roles, simulated operators
 * and PostgreSQL under the load of well-behaved vendors. Processes are killed with SIGKILL at random
 * moments and at crash points; every tenth kill hits all of them and the database at once. They are
 * started again immediately. The nodes of a cluster are also killed one by one. After the last kill,
 * the run waits for open payments and compares the results.
 * @param seed chooses targets, moments and payments. Two runs with the same seed still differ in timing.
 */
export async function runChaos(options: {
  readonly kills: number;
  readonly seed: number;
  /** One of `PROVIDER_CHOICES`; default: a simulated operator. */
  readonly provider?: string | undefined;
  /** By which id Daraja is asked about a payment. Default: as the emulator. */
  readonly darajaId?: string | undefined;
  /** How many of a hundred Results Daraja loses. Default: none. */
  readonly darajaLoses?: number | undefined;
  /** Bills are paid through these clients, which wait for the results. */
  readonly clients?: readonly ClientName[] | undefined;
  /** The kills are spread over so many payments, at least. Default: they follow each other. */
  readonly payments?: number | undefined;
  /** Default: an embedded PostgreSQL. */
  readonly openDatabase?: (folder: string) => Promise<ChaosDatabase>;
  readonly onProgress?: (kills: number) => void;
}): Promise<ChaosResult> {
  await removeAbandonedFolders();
  const folder = await makeTemporaryFolder();
  const database = await (options.openDatabase ?? embeddedDatabase)(folder);
  const { provider } = options;
  const world = new World(folder, createRandom(options.seed), {
    database,
    providerBillers: provider === undefined ? undefined : providerBillersOf(provider),
    darajaOptions: darajaOptionsOf(options),
  });
  let clients: Clients | undefined;
  try {
    await world.begin();
    if (options.clients !== undefined) {
      clients = startClients(options.clients, world.apiOrigins, world.random);
    }
    const load = startLoad({
      parties: world.parties,
      origins: world.apiOrigins,
      random: world.random,
      pay: clients?.pay,
      // Some providers take whole shillings only.
      ...(provider === undefined
        ? {
            accountOf: (_, number) => `88${String(number).padStart(8, '0')}`,
            cents: ['00', '50', '05'],
          }
        : { accountOf: providerAccount, cents: ['00'] }),
    });
    // Kills before the first payment would prove nothing.
    await until(
      'a payment was accepted',
      () => load.orders.some((order) => order.references.size > 0),
      START_MS,
    );
    const { kills, payments = 0 } = options;
    for (let made = 1; made <= kills; made += 1) {
      const due = (payments * made) / kills;
      await until(`${due} payments were accepted`, () => load.accepted >= due, START_MS);
      await world.killUntil(made, options.onProgress);
    }
    await world.endFaults();
    await world.restart();
    await load.stop();
    await world.drain();
    const judgement = await judge({
      pool: world.pool,
      load,
      truth: await world.operators.truth(),
      repeated: await world.operators.repeated(),
    });
    return {
      ...judgement,
      violations: [...judgement.violations, ...world.findings],
      kills: world.kills,
      hits: Object.fromEntries(world.hits),
    };
  } finally {
    await clients?.end();
    await world.end();
    await removeFolder(folder);
  }
}

function darajaOptionsOf({ darajaId, darajaLoses }: Parameters<typeof runChaos>[0]): string[] {
  return [
    ...(darajaId === undefined ? [] : ['--daraja-id', darajaId]),
    ...(darajaLoses === undefined ? [] : ['--daraja-loses', String(darajaLoses)]),
  ];
}
