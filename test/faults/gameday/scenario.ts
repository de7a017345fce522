import type { Installation } from './installation.ts';

/** A fault, the alert that must fire, and what the runbook says to do. */
export interface Scenario {
  readonly name: string;
  /** What happens, for the table. */
  readonly fault: string;
  readonly alert: string;
  /** The section of the runbook with the command; the alert names it, or leads to it. */
  readonly section: string;
  /** The command, as the section has it. */
  readonly command: string;
  /** Why it cannot run on this machine; undefined: it can. */
  readonly obstacle?: (at: Installation) => string | undefined;
  /** Before the clock starts. */
  readonly prepare?: (at: Installation) => Promise<void>;
  readonly begin: (at: Installation) => Promise<void>;
  /** Runs the command, or looks where the runbook says. Returns what it showed. */
  readonly look: (at: Installation) => Promise<string>;
  /** Ends the fault, as the runbook says. Returns what was done. */
  readonly end: (at: Installation) => Promise<string>;
  /** Throws until everything that this fault affected is well. Default: nothing else. */
  readonly isWell?: (at: Installation) => Promise<boolean>;
}
