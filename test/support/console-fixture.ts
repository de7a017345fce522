import type { Browser, Page } from 'playwright-core';
import { insertPurpose } from '../../src/platform/db/purpose-store.ts';
import { startBrowser } from './browser.ts';
import { buildConsoleOnce, openConsole } from './console-browser.ts';
import { createServiceDatabase, startInProcess } from './in-process-service.ts';
import type { InProcessService } from './in-process-service.ts';
import { zoneAtNoon } from './noon.ts';
import { startSimulatedOperators } from './simulated-operators.ts';
import type { SimulatedOperators } from './simulated-operators.ts';
import { makeTemporaryFolder, removeFolder } from './temporary.ts';

/** A service with the sandbox's data, its operators, and a browser to look at its console. */
export interface ConsoleFixture {
  readonly running: InProcessService;
  readonly operators: SimulatedOperators;
  readonly browser: Browser;
  /** Of the service: days do not end while a test runs. */
  readonly timeZone: string;
  /** Removed at the end. */
  readonly folder: string;
  /** What pages logged as an error. */
  readonly problems: string[];
  /** A page of the console with this person signed in, in its own browser context. */
  open(login: string, at?: string): Promise<Page>;
  stop(): Promise<void>;
}

/** The demo vendor has a float. */
export async function startConsole(): Promise<ConsoleFixture> {
  buildConsoleOnce();
  const folder = await makeTemporaryFolder();
  const operators = await startSimulatedOperators(folder);
  const timeZone = zoneAtNoon();
  const running = await startInProcess((await createServiceDatabase()).url, {
    environment: { ROLES: 'api,dispatcher,jobs', TIME_ZONE: timeZone },
    operatorOrigin: operators.origin,
  });
  const mark = { purpose: 'sandbox', markedAt: new Date(), demoEndedAt: null } as const;
  await insertPurpose(running.service.pool, mark);
  await running.demo().call('fund', { time: String(Date.now()), currency: 'KES' });
  const browser = await startBrowser();
  const problems: string[] = [];
  return {
    running,
    operators,
    browser,
    timeZone,
    folder,
    problems,
    open: async (login, at = '/') =>
      await openConsole(browser, at, { origin: running.origin, login, problems }),
    stop: async () => {
      await browser.close();
      await running.stop();
      await operators.kill('SIGTERM');
      await removeFolder(folder);
    },
  };
}
