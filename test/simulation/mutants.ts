import type { CallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import type { Bugs } from './database.ts';

/**
 * A planted bug. It is at a boundary of the real code (the connector that a dispatcher gets, the
 * handling of callbacks, a statement on its way to the database), where it has the effect that the
 * mistake would have inside. The production code does not contain it.
 */
export interface Mutant {
  readonly name: string;
  /**
   * The search of the test suite begins with this seed, because earlier ones do not find it; `npm run
   * test:campaigns` begins anywhere. Default: 1.
   */
  readonly firstSeed?: number;
  readonly connector?: (connector: Connector) => Connector;
  readonly receiver?: (receiver: CallbackReceiver) => CallbackReceiver;
  readonly bugs?: Bugs;
}

/** With `pay` and `status` passed on, whatever else the connector has. */
function changed(connector: Connector, changes: Partial<Connector>): Connector {
  return { ...connector, ...changes };
}

export const MUTANTS: readonly Mutant[] = [
  {
    // A missing answer to an instruction is treated as proof that it was not executed.
    name: 'resend_after_timeout',
    firstSeed: 12,
    connector: (connector) =>
      changed(connector, {
        pay: async (instruction, signal) => {
          const outcome = await connector.pay(instruction, signal);
          return outcome.kind !== 'unknown' || outcome.answered
            ? outcome
            : { kind: 'not_sent', reason: 'time-out', operatorPaused: false, answered: false };
        },
      }),
  },
  {
    // An unanswered status query is treated as a decline.
    name: 'refund_of_unknown',
    firstSeed: 10,
    connector: (connector) => {
      const { status } = connector;
      if (status === null) return connector;
      return changed(connector, {
        status: async (query, signal) => {
          const outcome = await status(query, signal);
          return outcome.kind !== 'unknown' || outcome.answered
            ? outcome
            : {
                kind: 'declined',
                code: 'time-out',
                failureCode: 'declined',
                message: 'no answer',
              };
        },
      });
    },
  },
  {
    // A repeated final result is recorded again, and no key prevents it.
    name: 'double_settle',
    firstSeed: 16,
    bugs: {
      functions: [
        {
          name: 'decide_settlements',
          changes: [
            {
              find: 'offset 0) end));',
              replace: `offset 0) end)
                union all
                select row(r.number, r.vendor_id, r.payment_id, r.outcome, t.operator_code, r.biller_reference,
                  r.message, r.details, r.failure_code, r.source, t.attempt_number, t.sent_at, t.sent_at,
                  t.operator_handle, t.route_reason, t.operator_price, t.amount_cents, t.fee_cents,
                  t.vat_cents, r.paid_cents, null, t.row_at)::settlement
                from unnest(p_reports) r cross join lateral (
                  select p.*, p.ctid as row_at from payments p
                  where p.bucket = p_bucket and p.vendor_id = r.vendor_id and p.payment_id = r.payment_id
                    and p.outcome is not null
                  limit 1
                ) t);`,
            },
          ],
        },
        {
          name: 'end_payments',
          changes: [
            { find: ' and t.outcome is null', replace: '' },
            { find: 'if v_dequeued <> cardinality(p_settlements) or', replace: 'if false and' },
          ],
        },
        {
          name: 'post_transfers',
          changes: [
            {
              find: 'select k.bucket, p.vendor_id, p.payment_id, p.leg,',
              replace: `select k.bucket, p.vendor_id, case when exists (
                  select from transfers f
                  where f.bucket = p_bucket and f.vendor_id = p.vendor_id
                    and f.source_id = p.payment_id and f.leg = p.leg)
                then gen_random_uuid() else p.payment_id end, p.leg,`,
            },
          ],
        },
      ],
    },
  },
  {
    // A callback is acknowledged although it could not be recorded.
    name: 'lost_callback',
    firstSeed: 18,
    receiver: (receiver) => ({
      ...receiver,
      receive: async (operatorCode, request) =>
        await receiver
          .receive(operatorCode, request)
          .catch(() => ({ kind: 'accepted', body: {} }) as const),
    }),
  },
  {
    // A worker writes although its lease has expired.
    name: 'lease_without_fencing',
    firstSeed: 210,
    bugs: {
      functions: [
        {
          name: 'write_progress',
          changes: [{ find: 'and d.claim_number = u.claim_number', replace: '' }],
        },
      ],
    },
  },
  {
    // "Not found" is believed at once, while the instruction may still arrive.
    name: 'no_acceptance_window',
    firstSeed: 29,
    connector: (connector) =>
      changed(connector, { acceptanceWindowMs: connector.acceptanceWindowMs === null ? null : 0 }),
  },
  {
    // The window is counted from the claim, although the instruction may be sent later.
    name: 'window_from_claim',
    firstSeed: 260,
    connector: (connector) =>
      changed(connector, {
        acceptanceWindowMs:
          connector.acceptanceWindowMs === null
            ? null
            : connector.acceptanceWindowMs - connector.payDeadlineMs,
      }),
  },
  {
    // The claim does not record that an instruction may have been sent.
    name: 'claim_without_attempt',
    bugs: {
      functions: [
        {
          name: 'claim_to_send',
          changes: [
            {
              find: `set stage = 'verify', sent_at = v_now,`,
              replace: 'set',
            },
          ],
        },
      ],
    },
  },
  {
    // An unknown payment goes to another operator, without proof that the first did not execute it.
    name: 'failover_without_proof',
    bugs: {
      functions: [
        {
          name: 'write_progress',
          changes: [
            {
              find: '  select array_agg(u.number),',
              replace: `  p_operators := array(
                select case when u.next = 'send' then u.operator_code else (
                  select min(r.operator_code) from routes r join dispatch_queue q using (biller_code)
                  where q.payment_id = u.payment_id and r.operator_code <> q.operator_code) end
                from unnest(p_next, p_operators, p_payment_ids) with ordinality
                  as u (next, operator_code, payment_id, number) order by u.number);
              p_next := array(
                select case when u.operator_code is null then u.next else 'send' end
                from unnest(p_next, p_operators) with ordinality
                  as u (next, operator_code, number) order by u.number);
              select array_agg(u.number),`,
            },
          ],
        },
      ],
    },
  },
  {
    // An answer that contradicts the ledger is dropped.
    name: 'silent_contradiction',
    bugs: {
      functions: [
        {
          name: 'settle_payments',
          changes: [
            {
              find: "where j.result = 'contradicted'",
              replace: 'where false',
            },
          ],
        },
      ],
    },
  },
];
