import { createSecretKey } from 'node:crypto';
import path from 'node:path';
import { canonicalText } from '../src/platform/base/canonical.ts';
import type { Config } from '../src/config.ts';
import { VARIABLES } from '../src/environment.ts';
import { openRegistryVault } from '../src/credit/registry/open-vault-store.ts';
import { creditKeysOf } from '../src/credit/registry/vault.ts';
import { createLog } from '../src/platform/log.ts';
import { endOnUnforeseen, runService, stopOnSignals } from '../src/run.ts';
import type { RunningService } from '../src/run.ts';
import { sign } from '../src/parties/signature.ts';
import { DEMO_COLLECTOR, DEMO_VENDORS, prepareSandbox } from './data.ts';
import { sandboxMasterKeys } from './master-key.ts';
import { prepareRegistry } from './registry.ts';
import { startOperators } from './operators-process.ts';
import type { OperatorsProcess } from './operators-process.ts';

/** `npm start`: the whole service with an embedded database, demo data and simulated operators. */
export async function startSandbox(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, destination: 2 });
  endOnUnforeseen(log);
  const masterKeys = await sandboxMasterKeys(config);
  const parts: { operators?: OperatorsProcess } = {};
  let running: RunningService;
  try {
    running = await runService({
      config,
      masterKeys,
      log,
      prepare: async (pool) => {
        // Whoever has the database has the folder: a second sandbox on it was turned away before it
        // could write into the first one's journal of operators.
        parts.operators = await startOperators({
          port: config.operatorPort,
          dataDir: config.dataDir,
          onUnexpectedExit: () => log.error('the simulated operators ended'),
        });
        await prepareSandbox(pool, { masterKeys, operatorOrigin: parts.operators.origin });
        const creditKeys = creditKeysOf(config, masterKeys, config.masterKey === undefined);
        if (creditKeys !== undefined) {
          await prepareRegistry(pool, await openRegistryVault(pool, creditKeys));
        }
      },
    });
  } catch (error) {
    await parts.operators?.stop();
    throw error;
  }
  stopOnSignals({
    ...running,
    stop: async () => {
      await running.stop();
      await parts.operators?.stop();
    },
  });
  process.stdout.write(banner(config, running.address, parts.operators?.origin ?? ''));
}

function banner(config: Config, origin: string, operatorOrigin: string): string {
  const [demo] = DEMO_VENDORS;
  const fundUrl = `${origin}${config.basePath}/payments/v2/billing/fund`;
  const createUrl = `${origin}${config.billingPath}/transaction/create`;
  const time = String(Math.floor(Date.now() / 1000));
  const fund = { vid: demo.vid, time, currency: 'KES' };
  const create = {
    vid: demo.vid,
    biller_name: 'kplc_prepaid',
    amount: '100.00',
    account: '14234569901',
    merchant_reference: `first-${time}`,
  };
  return `
Malipo sandbox   ${origin}
  reference      ${origin}/docs
  operators      ${operatorOrigin}/truth   (what was really paid)
  vendor         vid=${demo.vid}   key=${demo.key}   (and ${DEMO_VENDORS[1].vid} / ${DEMO_VENDORS[1].key})
  collector      ${DEMO_COLLECTOR.collector}   key=${DEMO_COLLECTOR.key}
  data           ${config.databaseUrl === undefined ? config.dataDir : 'the database of DATABASE_URL'}

Fund the float and pay a bill (one line, paste it into another terminal):
curl -s ${fundUrl} ${formArguments(fund, demo.key)} && echo && curl -s ${createUrl} ${formArguments(create, demo.key)} && echo

Then look at it:  ${settingsOfCommands(config)}npm run -s malipo -- status --vid ${demo.vid} --merchant-reference ${create.merchant_reference}
Ctrl-C stops everything; the data stays.${config.databaseUrl === undefined ? '' : '\nCommands need the same DATABASE_URL.'}
`;
}

/** What a command needs before it to work on the same data, ready for a shell. */
function settingsOfCommands(config: Config): string {
  if (config.dataDir === path.resolve(VARIABLES.DATA_DIR.default)) return '';
  return `DATA_DIR='${config.dataDir.replaceAll(`'`, `'\\''`)}' `;
}

function formArguments(fields: Readonly<Record<string, string>>, key: string): string {
  const hash = sign(canonicalText(new Map(Object.entries(fields))), createSecretKey(key, 'utf8'));
  return Object.entries({ ...fields, hash })
    .map(([name, value]) => `-d ${name}=${value}`)
    .join(' ');
}
