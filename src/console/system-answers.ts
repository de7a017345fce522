import type { HealthCheck } from '../platform/health-check.ts';

/** The shapes of the API's answers about approvals and the service itself (see `answers.ts`). */

/** Something that one person has proposed and another one has to decide. */
export interface Approval {
  readonly id: string;
  /** The proposed change, such as a resolution of a case. */
  readonly proposed: string;
  readonly about: string | null;
  readonly note: string;
  readonly amount: string | null;
  readonly proposedBy: string;
  readonly proposedAt: string;
  /** The viewer proposed it, so another person has to decide. */
  readonly isOwn: boolean;
}

/** `GET /approvals`: what the viewer may decide, longest waiting first. */
export interface ApprovalsAnswer {
  readonly approvals: readonly Approval[];
  /** Number of them that the viewer did not propose. */
  readonly waiting: number;
}

/** A labelled row about a proposal. */
export interface LineView {
  readonly label: string;
  readonly text: string | null;
  readonly amount: string | null;
}

/** A proposal of any kind. */
export interface ProposalView {
  readonly id: string;
  /** Such as `payout`. */
  readonly kind: string;
  /** The vendor that it concerns. */
  readonly vid: string | null;
  /** Null: it was changed in the database, so nothing of it can be believed; it can be rejected. */
  readonly content: readonly LineView[] | null;
  /** The changes that were made, or that would have been made at the time of the proposal. */
  readonly shown: readonly LineView[];
  readonly note: string;
  readonly proposedBy: string;
  readonly proposedAt: string;
  readonly expiresAt: string | null;
  /** Null: it waits. */
  readonly decision: 'approved' | 'rejected' | 'withdrawn' | 'expired' | null;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly decisionNote: string | null;
  /** It took effect at once, because there was no second person. */
  readonly isAlone: boolean;
  /** The viewer proposed it, so another person has to approve it. */
  readonly isOwn: boolean;
}

/** `GET /proposals`, newest first. */
export interface ProposalsAnswer {
  readonly proposals: readonly ProposalView[];
}

/** `GET /proposals/:id`. */
export interface ProposalAnswer extends ProposalView {
  /** The changes that an approval would make now; null: it was decided or altered. */
  readonly preview: {
    readonly lines: readonly LineView[];
    /** Useful facts that may change until then. */
    readonly remarks: readonly LineView[];
    /** Why it cannot be approved; null: it can. */
    readonly problem: string | null;
    /** Names what was seen, for the approval. */
    readonly seen: string;
  } | null;
}

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
