import type { Run } from '../ratios.ts';
import type { Measured, Stage } from '../stage.ts';

/** Contestants that share an environment and run in turns. */
export interface Suite {
  readonly name: string;
  readonly contestants: readonly string[];
  open(stage: Stage, options: SuiteOptions): Promise<OpenSuite>;
}

export interface SuiteOptions {
  readonly wanted: ReadonlySet<string>;
  /** Length of one run. */
  readonly seconds: number;
  readonly memoryMinutes: number;
  /** Earlier rows for the growth suite. */
  readonly historyRows: number;
  /** Earlier payments for the console suite. */
  readonly consoleRows: number;
  /** Earlier payments for the self-service suite. */
  readonly listRows: number;
  /** The SQL file of an external ledger, which runs in the same rounds as our lanes. */
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

/** The rate of a run and its CPU per event. */
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
