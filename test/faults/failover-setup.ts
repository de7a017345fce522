import path from 'node:path';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { addTestParties, fundedVendor, serviceProgram } from './fleet.ts';
import type { Program } from './fleet.ts';
import { startStandbyPair } from './standby-pair.ts';
import type { StandbyPair } from './standby-pair.ts';

/** A service on a database with a synchronous standby, and a vendor with money. */
export interface FailoverSetup {
  readonly pair: StandbyPair;
  /** On the server that accepts writes. */
  readonly pool: Pool;
  readonly service: Program;
  readonly vendor: VendorClient;
  stop(): Promise<void>;
}

export async function startFailoverSetup(): Promise<FailoverSetup> {
  const folder = await makeTemporaryFolder();
  const pair = await startStandbyPair({
    primary: path.join(folder, 'one'),
    standby: path.join(folder, 'two'),
  });
  const pool = createPool({ url: pair.url, max: 2, name: 'test', onError: () => undefined });
  const operatorOrigin = 'http://127.0.0.1:9';
  const parties = await addTestParties(pool, { operatorOrigin, vendorCount: 1 });
  const env = { DATABASE_URL: pair.url, FUND_WINDOW_SECONDS: '0' };
  const service = await serviceProgram({ name: 'api', roles: 'api', folder, env });
  await service.start();
  await until('it is ready', () => service.ready || service.ended, 120_000);
  if (service.ended) throw new Error((await service.untilEnded()).lastOutput);
  const vendor = await fundedVendor(service, parties, '1000000.00');
  return {
    ...{ pair, pool, service, vendor },
    stop: async () => {
      service.signal('SIGKILL');
      await service.untilEnded();
      await pool.end();
      await pair.stop();
      await removeFolder(folder);
    },
  };
}
