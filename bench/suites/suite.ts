import type { Run } from '../ratios.ts';
import type { Measured, Stage } from '../stage.ts';

/** Contestants that share a setting, and are run in turns in it. */
export interface Suite {
  readonly name: string;
  readonly contestants: readonly string[];
  open(stage: Stage, options: SuiteOptions): Promise<OpenSuite>;
}

export interface SuiteOptions {
  readonly wanted: ReadonlySet<string>;
  /** Of one run. */
  readonly seconds: number;
  readonly memoryMinutes: number;
  /** Rows behind for the growth suite. */
  readonly historyRows: number;
  /** The file of an external ledger, to be run in the same rounds as our lanes. */
  readonly pgledgerSql?: string;
  readonly log: (line: string) => void;
}

export interface OpenSuite {
  /** One run of one contestant. Throws when rows and answers differ. */
  run(contestant: string): Promise<Run>;
  close(): Promise<void>;
  /** Runs that are too long to be repeated are made once. */
  readonly once?: boolean;
}

/** A run's rate and its CPU an event. */
export function runOf(
  contestant: string,
  measured: Measured<{ readonly rate: number; readonly events: number }>,
): Run {
  const { result, nodeCpuSeconds, postgresCpuSeconds } = measured;
  return {
    contestant,
    value: result.rate,
    nodeMicros: (nodeCpuSeconds / result.events) * 1e6,
    postgresMicros: (postgresCpuSeconds / result.events) * 1e6,
  };
}

/** Throws when the database does not hold exactly what was answered. */
export function reconcile(contestant: string, rows: number, answers: number): void {
  if (rows !== answers) {
    throw new Error(`${contestant}: ${answers} answers, but ${rows} rows`);
  }
}
