import type { VendorDirectory } from '../../parties/directory.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { startPeriodicJob } from '../../platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../platform/jobs/periodic-job.ts';
import { creditLeftClaims } from './left-claims.ts';
import { pullDueSources } from './pull.ts';
import { checkOpenPushes } from './pushes.ts';
import { createReceiptReceiver } from './receiver.ts';
import type { ReceiptReceiver } from './receiver.ts';
import { createReceiptSources } from './sources.ts';
import type { ReceiptSources } from './sources.ts';
import type { ReceiptDeps } from './take.ts';

export interface ReceiptsOptions extends ReceiptDeps {
  /** Opens the secrets of sources. */
  readonly masterKeys: MasterKeys;
  readonly directory: Pick<VendorDirectory, 'vendorById'>;
  /** Providers call `<callbackBase>/<source code>/…`. */
  readonly callbackBase: string;
  /** Interval between two pulls of a source. */
  readonly pullEveryMs: number;
  /** Interval of the search for sources that are due, and for claims that were left. */
  readonly pollMs: number;
}

/** Money in from providers, in one process. */
export interface Receipts {
  readonly receiver: ReceiptReceiver;
  /** Reads the sources; comes before `start`. */
  readonly reload: () => Promise<void>;
  /** An active source that reports by itself. */
  readonly source: ReceiptSources['source'];
  /** Starts pulling, and crediting what was left, at once and then regularly. */
  start(): void;
  stop(): Promise<void>;
}

export function openReceipts(options: ReceiptsOptions): Receipts {
  const { log, pollMs } = options;
  const sources = createReceiptSources(options);
  const deps = { ...options, sources };
  let jobs: PeriodicJob[] = [];
  const logged = new Set<string>();
  const failures = new Map<string, number>();
  return {
    receiver: createReceiptReceiver(deps),
    reload: sources.reload,
    source: (sourceCode) => sources.source(sourceCode),
    start: () => {
      jobs = [
        startPeriodicJob({
          everyMs: pollMs,
          atOnce: true,
          work: async () => await creditLeftClaims(deps, logged),
          failureText: 'claimed receipts could not be credited',
          log,
        }),
        startPeriodicJob({
          everyMs: pollMs,
          atOnce: true,
          work: async (stopping) =>
            await pullDueSources({ ...deps, failures, everyMs: options.pullEveryMs }, stopping),
          failureText: 'receipts could not be pulled',
          log,
        }),
        startPeriodicJob({
          everyMs: pollMs,
          atOnce: true,
          work: async (stopping) => await checkOpenPushes(deps, stopping),
          failureText: 'open prompts could not be queried',
          log,
        }),
      ];
    },
    stop: async () => {
      await Promise.all(jobs.map(async (job) => await job.stop()));
      await sources.close();
    },
  };
}
