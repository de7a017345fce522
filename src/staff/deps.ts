import type { CreditDesk } from '../credit/desk.ts';
import type { RelyingParty } from '../parties/people/relying-party.ts';
import type { SignInAgain } from '../parties/people/sign-in-again.ts';
import type { BillerCatalogue } from '../payments/billers/catalogue.ts';
import type { OverviewFeed } from '../payments/overview/feed.ts';
import type { ActivitySince } from '../payments/overview/figures.ts';
import type { Payments } from '../payments/payments.ts';
import type { Clock, WireTime } from '../platform/base/clock.ts';
import type { LongReads } from '../platform/base/long-reads.ts';
import type { Mac } from '../platform/base/mac.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Pool } from '../platform/db/pool.ts';
import type { Readiness } from '../platform/http/readiness.ts';
import type { Schema } from '../platform/db/schema.ts';
import type { Progress } from '../platform/jobs/job-store.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { ArrivedFile, Background } from './forms.ts';

/** What a handler may use. The same in the service, and in a command with the database. */
export interface StaffDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Days and times that people write are those of the service's time zone. */
  readonly wireTime: WireTime;
  /** IANA name. */
  readonly timeZone: string;
  /** Where operators and providers reach the service. */
  readonly publicUrl: string;
  /** Where people find the console. */
  readonly consoleUrl: string;
  /** Throws: `PlainError` without the right master key. */
  readonly masterKeys: () => Promise<MasterKeys>;
  /** The ledger's authentication codes. Throws: `PlainError` without the right master key. */
  readonly ledgerMac: () => Promise<Mac>;
  /** The same, where much can be seen without it. Undefined without the right master key. */
  readonly findLedgerMac: () => Promise<Mac | undefined>;
  /** The tables and functions of this version. */
  readonly schema: Schema;
  /** Throws: `PlainError` without the right master key. */
  readonly proposals: () => Promise<Proposals>;
  /** Billers and operators as they are sold now. */
  readonly catalogue: () => Promise<BillerCatalogue>;
  /** How the service is doing, read once for all who look. */
  readonly overview: () => Promise<OverviewFeed>;
  /** How many payments there were lately. */
  readonly activity: ActivitySince;
  /** Creates a payment. Throws as `acceptPayment` does. */
  readonly create: Payments['create'];
  /** The running wing. Undefined: a command asks, which opens no connection to operators. */
  readonly payments?: Pick<
    Payments,
    'witnessOf' | 'verifyNow' | 'connectorOf' | 'capacity' | 'balances' | 'bulkBatches'
  >;
  /** The registry of credit information. Throws: `scoring_unavailable`, in a command `PlainError`, without its keys. */
  readonly credit: () => Promise<CreditDesk>;
  /** The process that answers. Undefined: a command does. */
  readonly process?: {
    readonly version: string;
    readonly mode: 'sandbox' | 'production';
    readonly roles: ReadonlySet<string>;
    readonly startedAt: Date;
    /** Its environment, without secrets. */
    readonly variables: readonly {
      readonly name: string;
      readonly description: string;
      readonly value: string | null;
      readonly isSet: boolean;
      readonly isSecret: boolean;
    }[];
    readonly readiness: () => Promise<Readiness>;
  };
  /** The machine of the service, for what is `onMachine`. Undefined: nobody runs a command there. */
  readonly machine?: {
    /** DATA_DIR. */
    readonly dataDir: string;
    /** As the schema's owner, for what the runtime role may not do. */
    readonly ownerPool: () => Promise<Pool>;
    /** MASTER_KEY and MASTER_KEY_PREVIOUS; undefined: it is not set. Everything else is opened with `masterKeys`. */
    readonly newKeys: MasterKeys | undefined;
    /** The keys that the registry was written with are at hand, too. */
    readonly hasFormerKeys: boolean;
  };
  /** For those who are signed in with a browser. Undefined: a command asks. */
  readonly signIn?: {
    readonly again: SignInAgain;
    /** Undefined: browsers allow no passkeys at the configured public URL. */
    readonly party: RelyingParty | undefined;
  };
  /** Turns for long reads. Undefined: a command waits for nobody. */
  readonly longReads?: LongReads;
  /** Where the service works on jobs. Undefined: a command waits for them. */
  readonly background?: Background;
  /** The file that came with the input; see `requireFile`. */
  readonly file?: ArrivedFile | undefined;
  /** Tells people who wait at a terminal how far long work has come. */
  readonly progress?: ((now: Progress) => void) | undefined;
}

/** The running wing, for what no command asks. */
export function requirePayments({ payments }: StaffDeps): NonNullable<StaffDeps['payments']> {
  if (payments === undefined) throw new Error('no payments are created in this process');
  return payments;
}

/** For an action that is `onMachine`: no other surface calls its handler. */
export function requireMachine({ machine }: StaffDeps): NonNullable<StaffDeps['machine']> {
  if (machine === undefined) throw new Error('this is no command on the machine of the service');
  return machine;
}

/** The file of an action that declares one: no surface calls its handler without it. */
export function requireFile({ file }: StaffDeps): ArrivedFile {
  if (file === undefined) throw new Error('the action declares no file');
  return file;
}
