import { readCardsInForce } from '../governance/cards.ts';
import type { Scorecards } from '../scorecards/scorecard.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readFileOfToday } from '../bureaus/registry.ts';
import { startOfDay } from '../registry/day.ts';
import type { CreditFile } from '../facts.ts';
import { listDisputes } from '../registry/read-disputes.ts';
import type { Dispute } from '../registry/read-disputes.ts';
import { listLifeRecords } from '../registry/life-store.ts';
import type { SubjectLifeRecord } from '../registry/life-store.ts';
import type { Profile } from '../registry/profile.ts';
import { listCorrections, readCreditFile, readSubject } from '../registry/read-subjects.ts';
import type { PastCorrection } from '../registry/read-subjects.ts';
import { listSubjectEnquiries } from '../registry/subject-enquiries-store.ts';
import type { SubjectEnquiry } from '../registry/subject-enquiries-store.ts';
import { crnOf } from '../registry/named-subject.ts';
import type { NamedSubject } from '../registry/named-subject.ts';
import { readMerged } from '../registry/read-merges.ts';
import type { Vault } from '../registry/vault.ts';
import { listSubjectWatches } from '../watches/read-watches.ts';
import type { SubjectWatch } from '../watches/read-watches.ts';

/** Everything on file about a person, for that person. */
export interface SubjectReport {
  readonly crn: bigint;
  readonly madeAt: Date;
  readonly profile: Profile;
  /** Including suppressed data and data past retention. */
  readonly file: CreditFile;
  /** The file that lenders see and that scores use. */
  readonly shown: CreditFile;
  /** The cards that answer now. */
  readonly scorecards: Scorecards;
  readonly disputes: readonly Dispute[];
  /** Newest first. */
  readonly enquiries: readonly SubjectEnquiry[];
  readonly lifeRecords: readonly SubjectLifeRecord[];
  readonly corrections: readonly PastCorrection[];
  /** Vendors that watch the person. */
  readonly watches: readonly SubjectWatch[];
}

export interface ReportOptions {
  readonly pool: Pool;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly timeZone: string;
  /** States older than this are not shown to lenders. */
  readonly retentionDays: number;
}

/** The report of a named subject. Throws: `PlainError`. */
export async function reportOf(
  options: ReportOptions,
  named: NamedSubject,
): Promise<SubjectReport> {
  const report = await readSubjectReport(options, await crnOf(options, named));
  if (report === undefined)
    throw new PlainError('No subject has this reference.', { field: 'crn' });
  return report;
}

/** Undefined if no subject has the reference. */
export async function readSubjectReport(
  options: ReportOptions,
  crn: bigint,
): Promise<SubjectReport | undefined> {
  const { pool, vault, clock, timeZone } = options;
  const profile = await readSubject(pool, vault, crn);
  if (profile === undefined) return undefined;
  const madeAt = clock.now();
  const asOf = startOfDay(madeAt, timeZone);
  const file = await readCreditFile(pool, {
    ...{ crn, asOf, timeZone },
    keptFrom: new Date(0),
    enquiriesUntil: asOf,
    ownVendorId: null,
    ownEnquiriesFrom: asOf,
  });
  return {
    crn,
    madeAt,
    profile,
    file,
    shown: await readFileOfToday(options, crn, null),
    scorecards: (await readCardsInForce(pool)).champions,
    disputes: await listDisputes(pool, vault, crn),
    enquiries: await listSubjectEnquiries(pool, crn),
    lifeRecords: await listLifeRecords(pool, crn),
    corrections: await listCorrections(pool, crn),
    watches: await listSubjectWatches(pool, [
      crn,
      ...((await readMerged(pool, [crn])).get(crn) ?? []),
    ]),
  };
}
