import type { Readable } from 'node:stream';
import type { Answer, Progress, TextStream } from './output.ts';
import type { Session, SessionNeeds } from './session.ts';

/** Where a command reads from and writes to. */
export interface Surroundings {
  readonly stdin: Readable;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Default: the process's. */
  readonly environment?: Record<string, string | undefined>;
}

/** The dependencies of commands. */
export interface Cli {
  readonly surroundings: Surroundings;
  readonly progress: Progress;
  /**
   * Runs `work` with the database and prints its result; undefined: `work` has printed everything.
   */
  run(
    options: { readonly json?: boolean },
    work: (session: Session) => Promise<Answer | undefined>,
    needs?: SessionNeeds,
  ): Promise<void>;
  /** Runs a command that needs no database. */
  runAlone(
    options: { readonly json?: boolean },
    work: () => Promise<Answer | undefined>,
  ): Promise<void>;
}
