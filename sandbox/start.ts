import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../src/config.ts';
import { openRegistryVault } from '../src/credit/registry/read-vault.ts';
import { creditKeysOf } from '../src/credit/registry/vault.ts';
import type { CreditKeys } from '../src/credit/registry/vault.ts';
import type { ReportOptions } from '../src/credit/reports/subject-report.ts';
import { systemClock } from '../src/platform/base/clock.ts';
import type { Pool } from '../src/platform/db/pool.ts';
import type { MasterKeys } from '../src/platform/base/sealing.ts';
import { createLog } from '../src/platform/log.ts';
import { endOnUnforeseen, runService, stopOnSignals } from '../src/run.ts';
import type { RunningService } from '../src/run.ts';
import { banner } from './banner.ts';
import { addControls } from './controls/controls.ts';
import { Faults } from './controls/faults.ts';
import { DEMO_COLLECTOR, DEMO_VENDORS, prepareSandbox } from './data.ts';
import { sandboxMasterKeys } from './master-key.ts';
import { prepareSources, prepareProviders } from './provider-data.ts';
import { providerSecrets, providersFolder } from './providers/secrets.ts';
import { prepareRegistry } from './registry.ts';
import { startTraffic } from './traffic/traffic.ts';
import { startOperators } from './operators-process.ts';
import type { OperatorsProcess } from './operators-process.ts';

export interface SandboxOptions {
  /** With emulated providers and their real protocols: `--providers`. */
  readonly providers: boolean;
}

/** `npm start`: the whole service with an embedded database, demo data and simulated operators. */
export async function startSandbox(config: Config, options: SandboxOptions): Promise<void> {
  const log = createLog({ level: config.logLevel, roles: config.roles, destination: 2 });
  endOnUnforeseen(log);
  const faults = new Faults();
  const parts: { operators?: OperatorsProcess } = {};
  const folder = path.join(config.dataDir, 'operators');
  // A sandbox that once had them keeps them: its database names them.
  const hasProviders = options.providers || existsSync(providersFolder(folder));
  let running: RunningService;
  try {
    running = await runService({
      config,
      openMasterKeys: async (db) => await sandboxMasterKeys(config, db),
      log,
      prepare: async (pool, masterKeys) => {
        // The process that has the database also has the folder: a second sandbox was refused before
        // it could write into the first one's journal of operators.
        parts.operators = await startOperators({
          port: config.operatorPort,
          folder,
          providersCallBack: hasProviders ? `${config.publicUrl}/callbacks` : undefined,
          onUnexpectedExit: () => log.error('the simulated operators ended'),
        });
        const creditKeys = creditKeysFor(config, masterKeys);
        const of = { config, masterKeys, creditKeys, folder, hasProviders, log };
        await prepareData(pool, of, parts.operators);
      },
      around: faults.around,
      extend: async (service, masterKeys) => {
        const creditKeys = creditKeysFor(config, masterKeys);
        const credit = creditKeys && (await creditOf(service.pool, { config, creditKeys }));
        const { publicUrl } = config;
        await addControls(service, { ...parts, masterKeys, faults, credit, publicUrl });
      },
    });
  } catch (error) {
    await parts.operators?.stop();
    throw error;
  }
  const { masterKeys } = running;
  const creditKeys = creditKeysFor(config, masterKeys);
  const traffic = startTraffic({
    service: running.service,
    origin: running.address,
    ...{ masterKeys, creditKeys, config, log },
  });
  stopOnSignals({
    ...running,
    stop: async () => {
      await traffic.stop();
      await running.stop();
      await parts.operators?.stop();
    },
  });
  const { origin = '' } = parts.operators ?? {};
  process.stdout.write(banner(config, running.address, { origin, hasProviders }));
}

function creditKeysFor(config: Config, masterKeys: MasterKeys): CreditKeys | undefined {
  return creditKeysOf(config, masterKeys, config.masterKey === undefined);
}

/** The registry, for events about its people. */
async function creditOf(
  pool: Pool,
  of: { readonly config: Config; readonly creditKeys: CreditKeys },
): Promise<ReportOptions> {
  const { timeZone, creditRetentionDays: retentionDays } = of.config;
  const vault = await openRegistryVault(pool, of.creditKeys);
  return { pool, vault, clock: systemClock, timeZone, retentionDays };
}

/** Everything that the sandbox's database starts with. */
async function prepareData(
  pool: Pool,
  of: {
    readonly config: Config;
    readonly masterKeys: MasterKeys;
    readonly creditKeys: ReturnType<typeof creditKeysOf>;
    /** Folder of the simulated operators. */
    readonly folder: string;
    readonly hasProviders: boolean;
    readonly log: Logger;
  },
  { origin: operatorOrigin }: OperatorsProcess,
): Promise<void> {
  const { config, masterKeys, creditKeys, folder, hasProviders, log } = of;
  await prepareSandbox(pool, { masterKeys, operatorOrigin });
  if (hasProviders) {
    const data = { masterKeys, operatorOrigin, secrets: providerSecrets(folder) };
    await prepareProviders(pool, data);
    await prepareSources(pool, data, {
      collector: DEMO_COLLECTOR.collector,
      vid: DEMO_VENDORS[0].vid,
      publicUrl: config.publicUrl,
      log,
    });
  }
  if (creditKeys !== undefined) {
    await prepareRegistry(pool, await openRegistryVault(pool, creditKeys));
  }
}
