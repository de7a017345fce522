import type { HealthCheck } from '../platform/health-check.ts';

/** The shapes of the API's answers about the service itself (see `answers.ts`). */

/** `GET /system`. */
export interface SystemAnswer {
  readonly at: string;
  readonly checks: readonly HealthCheck[];
  /** A dependency without which this process cannot work; null: nothing is missing. */
  readonly missing: string | null;
  readonly process: {
    readonly version: string;
    readonly mode: 'sandbox' | 'production';
    readonly roles: readonly string[];
    readonly startedAt: string;
  };
  /** Null: `malipo backup` has taken none, or the database has its own. */
  readonly backupAgeSeconds: number | null;
  readonly quarantine: {
    readonly enteredAt: string;
    readonly lostFrom: string;
    readonly lostUntil: string;
    readonly reason: string;
    /** Nothing is known to be missing, as after the promotion of a standby. */
    readonly seemsComplete: boolean;
    /** The processes that have not confirmed it. */
    readonly unconfirmed: readonly string[];
    readonly operators: readonly {
      readonly operator: string;
      readonly open: number;
      readonly covered: boolean;
    }[];
    readonly proposal: {
      readonly by: string;
      readonly reason: string;
    } | null;
  } | null;
  /** Events of quarantines, newest first. */
  readonly events: readonly {
    readonly at: string;
    readonly action: 'entered' | 'extended' | 'released' | 'reopened';
    readonly actor: string;
  }[];
}

/** `GET /system/configuration`: the environment of the process that answers, without secrets. */
export interface ConfigurationAnswer {
  readonly variables: readonly {
    readonly name: string;
    readonly description: string;
    readonly value: string | null;
    readonly isSet: boolean;
    readonly isSecret: boolean;
  }[];
}
