import { ENTRY_KINDS, sidesOf } from '../house/entry.ts';
import { accountKinds, OWN_CLASSES } from '../house/account.ts';
import { STANDARD_ACCOUNTS } from '../house/standard-accounts.ts';
import type { Invariant } from './invariant.ts';

/**
 * The movements that the house's transfers must have: each statement's top-ups and charges since the
 * books of its operator's float began, and the entries that two people decided.
 */
const EXPECTED = `(
  select 'top_up' as source, r.row_id as source_id, r.amount_cents, r.at as moved_at,
    'operator-float:' || r.operator as debit_account, 'suspense' as credit_account
  from statement_rows r left join began b using (operator)
  where r.kind = 'top_up' and r.verdict = 'noted' and r.at >= coalesce(b.at, '-infinity')
    and not exists (select from house_entries e where e.row_id = r.row_id)
  union all
  select 'charges', r.statement_id, sum(r.amount_cents)::bigint, max(r.at),
    'operator-charges:' || r.operator, 'operator-float:' || r.operator
  from statement_rows r left join began b using (operator)
  where r.kind = 'charge' and r.verdict = 'noted' and r.at >= coalesce(b.at, '-infinity')
    and not exists (select from house_entries e where e.row_id = r.row_id)
  group by r.statement_id, r.operator
  union all
  select 'entry', entry_id, amount_cents, moved_at, debit_account, credit_account
  from house_entries
)`;

/** The time at which the books of each operator's float began. */
const BEGAN = `began as (
  select substr(t.debit_account, length('operator-float:') + 1) as operator, min(t.moved_at) as at
  from house_transfers t left join house_entries e
    on t.source = 'entry' and e.entry_id = t.source_id
  where t.part = 1 and (t.source = 'opening' or e.kind = 'opening')
  group by 1
)`;

/** Between which accounts an entry of each kind is. The code of its operator follows a colon. */
const ENTRY_RULES = `(values ${ENTRY_KINDS.map((kind) => {
  const { debitAccount, creditAccount } = sidesOf(kind, '', null);
  return `('${kind}', '${debitAccount}', '${creditAccount}')`;
}).join(', ')}) as rule (kind, debit, credit)`;

/** SQL: the account is what the rule says. People may have named the bank account of an unknown side. */
const fits = (account: string, rule: string): string => `case
              when ${rule} = 'suspense' then ${account} = 'suspense' or ${account} like 'bank:%'
              when ${rule} like '%:' then ${account} = ${rule} || e.subject
              else ${account} = ${rule} end`;

/** SQL: a movement, or null. */
const described = (row: string): string => `case when ${row}.source is not null then
              format('%s from %s to %s at %s', ${row}.amount_cents, ${row}.credit_account,
                ${row}.debit_account, ${row}.moved_at) end`;

const list = (texts: readonly string[]): string => texts.map((each) => `'${each}'`).join(', ');

export const HOUSE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'accounts_in_chart',
    says: 'Every account is in the chart of accounts. The own accounts of the house are standard ones, or two people added them with this name.',
    overall: true,
    sql: `select vendor_id as "vendorId", format('account %s is not in the chart', account) as detail
          from accounts where split_part(account, ':', 1) not in (${list(accountKinds('vendors'))})
          union all
          select distinct 0, format('house: account %s is not in the chart', s.account)
          from house_transfers t cross join lateral (values (debit_account), (credit_account)) s (account)
          where split_part(s.account, ':', 1) not in (${list(accountKinds('house'))})
            or split_part(s.account, ':', 1) in (${list(OWN_CLASSES)})
              and s.account not in (${list(Object.keys(STANDARD_ACCOUNTS))})
              and not exists (select from house_accounts h where h.account = s.account)
          union all
          select 0, format('house: account %s was not added by two people', h.account)
          from house_accounts h where not exists (
            select from proposals p join proposal_decisions d on d.proposal_id = p.proposal_id
            where p.proposal_id = h.account_id and p.kind = 'house_account' and d.decision = 'approved'
              and p.content ->> 'account' = h.account and p.content ->> 'title' = h.title
              and p.proposed_by = h.proposed_by and d.decided_by = h.decided_by)`,
  },
  {
    name: 'house_equals_sources',
    says: 'Every top-up and charge of an operator’s statement, and every entry that two people decided, is in the books of the house once, between its accounts, with its amount and time, and nothing else is. The accounts of an entry are those of its kind and operator.',
    overall: true,
    sql: `with ${BEGAN}
          select 0 as "vendorId", format('house: %s %s: %s, transfer %s',
            coalesce(x.source, t.source), coalesce(x.source_id, t.source_id), ${described('x')},
            ${described('t')}) as detail
          from ${EXPECTED} x full join (select * from house_transfers
              where source in ('top_up', 'charges', 'entry') and part = 1) t
            on t.source = x.source and t.source_id = x.source_id
          where (x.amount_cents, x.moved_at, x.debit_account, x.credit_account)
            is distinct from (t.amount_cents, t.moved_at, t.debit_account, t.credit_account)
          union all
          select 0, format('house: entry %s: a %s of %s from %s to %s', e.entry_id, e.kind, e.subject,
            e.credit_account, e.debit_account)
          from house_entries e join ${ENTRY_RULES} using (kind)
          where not (${fits('e.debit_account', 'rule.debit')}
            and ${fits('e.credit_account', 'rule.credit')})`,
  },
  {
    name: 'house_equals_journals',
    says: 'Every journal that two people decided is in the books of the house with its lines and time, and nothing else is. The opening trial balance is the one that they decided as such.',
    overall: true,
    sql: `select 0 as "vendorId", format('house: journal %s, %s: %s and %s, transfers %s and %s',
            coalesce(s.journal_id, p.journal_id), coalesce(s.account, p.account), s.debit, s.credit,
            p.debit, p.credit) as detail
          from (
            select j.journal_id, j.moved_at, l ->> 'account' as account,
              sum(case when l ->> 'side' = 'debit' then (l ->> 'cents')::bigint else 0 end) as debit,
              sum(case when l ->> 'side' = 'credit' then (l ->> 'cents')::bigint else 0 end) as credit
            from house_journals j cross join lateral jsonb_array_elements(j.lines) l
            group by 1, 2, 3
          ) s full join (
            select source_id as journal_id, moved_at, account, sum(debit) as debit, sum(credit) as credit
            from (
              select source_id, moved_at, debit_account as account, amount_cents as debit, 0 as credit
              from house_transfers where source = 'journal'
              union all
              select source_id, moved_at, credit_account, 0, amount_cents
              from house_transfers where source = 'journal'
            ) t group by 1, 2, 3
          ) p on p.journal_id = s.journal_id and p.account = s.account
          where (s.debit, s.credit, s.moved_at) is distinct from (p.debit, p.credit, p.moved_at)
          union all
          select 0, format('house: journal %s was not decided by two people%s', j.journal_id,
            case when j.is_opening then ' as the opening trial balance' end)
          from house_journals j where not exists (
            select from proposals p join proposal_decisions d on d.proposal_id = p.proposal_id
            where p.proposal_id = j.journal_id and p.kind = 'house_journal' and d.decision = 'approved'
              and (p.content ->> 'isOpening')::boolean = j.is_opening)`,
  },
  {
    name: 'house_confirmations_listed',
    says: 'What confirms an approved top-up or charge of the house is a row of a statement of its operator that lists one of the same amount.',
    overall: true,
    sql: `select 0 as "vendorId", format('house: entry %s: row %s does not list it', e.entry_id,
            e.row_id) as detail
          from house_entries e
          where e.row_id is not null and not exists (select from statement_rows r
            where r.row_id = e.row_id and r.operator = e.subject and r.kind = e.kind
              and e.kind in ('top_up', 'charge') and r.verdict = 'noted' and r.amount_cents = e.amount_cents)`,
  },
  {
    name: 'house_opening_listed',
    says: 'The opening of a float comes from a statement that begins with a balance, at the time of that balance, or from an entry. Only the opening of an entry has a second transfer, for what payments had consumed by then, at its time and between its accounts.',
    overall: true,
    sql: `select 0 as "vendorId", format('house: opening of %s: no statement begins with it',
            t.debit_account) as detail
          from house_transfers t
          where t.source = 'opening' and not exists (select from operator_statements s
            where s.statement_id = t.source_id and s.opening_cents is not null
              and t.moved_at = s.period_start and t.credit_account = 'opening'
              and t.debit_account = 'operator-float:' || s.operator)
          union all
          select 0, format('house: entry %s is no opening and has a second transfer', t.source_id)
          from house_transfers t
          where t.source = 'entry' and t.part > 1 and not exists (select from house_entries e
            where e.entry_id = t.source_id and e.kind = 'opening'
              and e.moved_at = t.moved_at and (t.debit_account, t.credit_account) in
                ((e.debit_account, e.credit_account), (e.credit_account, e.debit_account)))`,
  },
];
