import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase } from './cluster.ts';
import type { TestDatabase } from './cluster.ts';
import { createServiceDatabase, startInProcess } from './in-process-service.ts';
import type { InProcessOptions, InProcessService } from './in-process-service.ts';

export interface UsedService extends InProcessService {
  readonly database: TestDatabase;
}

/**
 * The service in this process on a database of its own, for all tests of the file or group that calls this. It has
 * started when the hooks run that are declared afterwards.
 */
export function useService(options: InProcessOptions = {}): UsedService {
  let database: TestDatabase | undefined;
  let running: InProcessService | undefined;
  beforeAll(async () => {
    const { masterKey, environment = {} } = options;
    const hasUsualKeys = masterKey === undefined && environment['CREDIT_INDEX_KEY'] === undefined;
    database = await (hasUsualKeys ? createServiceDatabase() : createTestDatabase());
    running = await startInProcess(database.url, options);
  });
  afterAll(async () => {
    await running?.stop();
    await database?.drop();
  });
  const started = (): InProcessService => running ?? notStarted();
  return {
    get database() {
      return database ?? notStarted();
    },
    get service() {
      return started().service;
    },
    get origin() {
      return started().origin;
    },
    get sealing() {
      return started().sealing;
    },
    logged: () => started().logged(),
    demo: (vid) => started().demo(vid),
    addVendor: async (settings) => await started().addVendor(settings),
    stop: async () => await started().stop(),
  };
}

function notStarted(): never {
  throw new Error('The service starts in beforeAll');
}
