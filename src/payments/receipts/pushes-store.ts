import type { Queryable } from '../../platform/db/pool.ts';

export interface PushRow {
  pushId: string;
  sourceCode: string;
  vendorId: number;
  account: string;
  phone: string;
  amountCents: bigint;
  createdAt: Date;
  checkoutId: string | null;
  state: 'recorded' | 'sent' | 'refused' | 'unknown' | 'paid' | 'failed';
  reason: string | null;
}

/** A prompt that nobody answered ends within minutes; after this long another one may be sent. */
const OPEN_FOR = `interval '10 minutes'`;
/** Time that people are given to answer, and the shortest time between two questions. */
const ANSWER_TIME = `interval '20 seconds'`;
/** A pull that ended this long after the prompt lists its payment, if it was paid. */
const LISTED = `interval '1 hour'`;

/** Returns false while another prompt for the vendor or to the phone is open. */
export async function insertPush(
  db: Queryable,
  row: Pick<PushRow, 'pushId' | 'sourceCode' | 'vendorId' | 'account' | 'phone' | 'amountCents'>,
): Promise<boolean> {
  await db.query(
    `update receipt_pushes set state = 'unknown', reason = 'nobody asked how it ended'
     where (vendor_id = $1 or phone = $2) and state in ('recorded', 'sent')
       and created_at < now() - ${OPEN_FOR}`,
    [row.vendorId, row.phone],
  );
  const inserted = await db.query(
    `insert into receipt_pushes (push_id, source_code, vendor_id, account, phone, amount_cents,
       created_at, state)
     values ($1, $2, $3, $4, $5, $6, now(), 'recorded') on conflict do nothing`,
    [row.pushId, row.sourceCode, row.vendorId, row.account, row.phone, row.amountCents],
  );
  return inserted.rowCount === 1;
}

/** Changes nothing if the prompt is in another state by now. */
export async function setPushState(
  db: Queryable,
  { pushId, state }: Pick<PushRow, 'pushId' | 'state'>,
  to: Pick<PushRow, 'state' | 'checkoutId' | 'reason'>,
): Promise<void> {
  await db.query(
    `update receipt_pushes set state = $3, checkout_id = $4, reason = $5
     where push_id = $1 and state = $2`,
    [pushId, state, to.state, to.checkoutId, to.reason],
  );
}

export async function findPush(db: Queryable, pushId: string): Promise<PushRow | undefined> {
  const found = await db.query<PushRow>(
    `select push_id as "pushId", source_code as "sourceCode", vendor_id as "vendorId", account,
       phone, amount_cents as "amountCents", created_at as "createdAt",
       checkout_id as "checkoutId", state, reason
     from receipt_pushes where push_id = $1`,
    [pushId],
  );
  return found.rows[0];
}

/** Open prompts that are to be asked about, each given to one caller, not more often than needed. */
export async function takeOpenPushes(
  db: Queryable,
  limit: number,
): Promise<Pick<PushRow, 'pushId' | 'sourceCode'>[]> {
  const taken = await db.query<Pick<PushRow, 'pushId' | 'sourceCode'>>(
    `update receipt_pushes set asked_at = now() where push_id = any (array(
       select push_id from receipt_pushes
       where state = 'sent' and created_at < now() - ${ANSWER_TIME}
         and coalesce(asked_at, '-infinity') < now() - ${ANSWER_TIME}
       order by created_at limit $1 for update skip locked))
     returning push_id as "pushId", source_code as "sourceCode"`,
    [limit],
  );
  return taken.rows;
}

/**
 * Sums the money on its way to the vendor, in cents: prompts that may still be paid, or were paid and
 * are not reported as a receipt yet, and receipts to its account numbers that are not credited. A
 * prompt is answered by a receipt of its amount. What the provider no longer lists does not come any
 * more.
 */
export async function readAwaitedCents(db: Queryable, vendorId: number): Promise<bigint> {
  const read = await db.query<{ cents: bigint }>(
    `with prompted as (
       select p.source_code, p.account, p.amount_cents, count(*) as prompts, min(p.created_at) as since
       from receipt_pushes p join receipt_sources s using (source_code)
       where p.vendor_id = $1 and p.created_at > now() - interval '48 hours'
         and (p.state in ('recorded', 'sent', 'paid')
           or p.state = 'unknown' and coalesce(s.pulled_until, '-infinity') < p.created_at + ${LISTED})
       group by p.source_code, p.account, p.amount_cents),
     unanswered as (
       select amount_cents * greatest(0, prompts - (
         select count(*) from receipts r where r.source_code = p.source_code
           and r.account = p.account and r.amount_cents = p.amount_cents
           and r.paid_at >= p.since - interval '5 minutes')) as cents
       from prompted p),
     uncredited as (
       select r.amount_cents as cents from receipts r
       where r.state in ('claimed', 'unconfirmed', 'unmatched', 'misdated') and r.reversed_at is null
         and (r.vendor_id = $1 or exists (select from receipt_accounts a where a.vendor_id = $1
           and a.source_code = r.source_code and a.account = r.account and a.ended_at is null)))
     select coalesce(sum(cents), 0)::bigint as cents
     from (select cents from unanswered union all select cents from uncredited) as awaited`,
    [vendorId],
  );
  return read.rows[0]?.cents ?? 0n;
}

/** Ends prompts whose result can no longer arrive. */
export async function expirePushes(db: Queryable): Promise<void> {
  await db.query(
    `update receipt_pushes set state = 'unknown', reason = 'the provider did not say how it ended'
     where state in ('recorded', 'sent') and created_at < now() - ${OPEN_FOR}`,
  );
}
