import type { Queryable } from '../../platform/db/pool.ts';
import type { ScoreKind } from '../scorecards/scorecard.ts';
import { IS_WITHDRAWN } from './read-withdrawals.ts';

/** Number of people with a score in a month, by their outcome. */
export interface ScoredPeople {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly kind: ScoreKind;
  /** As `id@version`. */
  readonly card: string;
  readonly role: 'champion' | 'challenger';
  readonly score: number;
  /** True if the period of observation has ended and lenders reported in it. */
  readonly isKnown: boolean;
  /** True if the person has defaulted in it so far. */
  readonly isBad: boolean;
  readonly people: number;
}

/**
 * The people scored in a period, each with the first score of a month, counted by score. Enquiries
 * for monitoring and verification (reasons 3 and 4) do not count. A person is bad by the
 * definition of the shipped cards: 90 days late on any account within 12 months, or for the
 * mobile-loan score 30 days late on a mobile loan within 6. Suppressed data counts too, because this
 * measures cards, not people.
 */
export async function readScoredPeople(
  db: Queryable,
  period: {
    readonly from: Date;
    readonly until: Date;
    readonly now: Date;
    readonly timeZone: string;
  },
): Promise<ScoredPeople[]> {
  const read = await db.query<ScoredPeople>(
    `with made as (
       select crn, enquired_at, enquiry_id, scorecard, score, challenger, challenger_score,
         to_char(enquired_at at time zone $4, 'YYYY-MM') as month,
         case operation when 'mobile-loan-score' then 'mobile' else 'generic' end as kind,
         case operation when 'mobile-loan-score' then interval '6 months' else interval '12 months' end as horizon
       from subject_enquiries
       where enquired_at >= $1 and enquired_at < $2 and score is not null
         and report_reason not in (3, 4)
     ), scored as (
       select crn, enquired_at, enquiry_id, month, kind, horizon, scorecard as card, 'champion' as role, score
       from made
       union all
       select crn, enquired_at, enquiry_id, month, kind, horizon, challenger, 'challenger', challenger_score
       from made where challenger is not null and challenger_score is not null
     ), firsts as (
       select distinct on (month, kind, card, role, crn) *, (enquired_at at time zone $4)::date as day
       from scored order by month, kind, card, role, crn, enquired_at, enquiry_id
     )
     select f.month, f.kind, f.card, f.role, f.score,
       f.enquired_at + f.horizon <= $3 and seen.states > 0 as "isKnown", seen.is_bad as "isBad",
       count(*)::integer as people
     from firsts f cross join lateral (
       select count(*) as states, coalesce(bool_or(case f.kind
           when 'mobile' then a.product = 'I' and s.days_in_arrears >= 30
           else s.days_in_arrears >= 90 end), false) as is_bad
       from credit_accounts a
       join account_states s on s.crn = a.crn and s.account_id = a.account_id
       where a.crn = any(array(select f.crn union all
           select m.from_crn from subject_merges m
           where m.into_crn = f.crn and m.undone_at is null))
         and not ${IS_WITHDRAWN} and not a.is_guarantee
         and s.as_of > f.day and s.as_of <= (f.day + f.horizon)::date
         and s.as_of <= $3
     ) seen
     group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5`,
    [period.from, period.until, period.now, period.timeZone],
  );
  return read.rows;
}
