import type { CallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import type { Connector } from '../../src/payments/dispatch/connector.ts';
import type { Bugs } from './database.ts';

/**
 * A planted bug. It sits at a border of the real code (the connector a dispatcher is handed, the
 * callback desk, a statement on its way to the database), where it has the effect that the mistake
 * would have inside; production knows nothing of it.
 */
export interface Mutant {
  readonly name: string;
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
    // Silence after an instruction taken for proof that it was not executed.
    name: 'resend_after_timeout',
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
    // A status query without an answer taken for a decline.
    name: 'refund_of_unknown',
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
    // A final word that came before is written once more, and no key stops it.
    name: 'double_settle',
    bugs: {
      functions: [
        {
          name: 'settle_payments',
          changes: [
            { find: 'and t.outcome is null', replace: '' },
            {
              find: 'from dequeued o',
              replace: `from (
                select * from dequeued union all
                select *, v_now, 1::smallint, null
                from unnest(p_vendor_ids, p_payment_ids, p_billers, p_outcomes, p_paid_amounts,
                  p_biller_references, p_messages, p_details, p_failure_codes, p_sources) with ordinality
                where cardinality(v_stages) = 2
              ) o (vendor_id, payment_id, biller_code, outcome, paid, biller_reference, message,
                details, failure_code, source, number, sent_at, attempt_number, operator_handle)`,
            },
            {
              find: `select vendor_id, payment_id, leg, 'reserved', credit_account, amount, v_now from legs`,
              replace: `select vendor_id, gen_random_uuid(), leg, 'reserved', credit_account, amount, v_now from legs`,
            },
          ],
        },
      ],
    },
  },
  {
    // Acknowledged although it could not be written.
    name: 'lost_callback',
    receiver: (receiver) => ({
      receive: async (operatorCode, request) =>
        await receiver
          .receive(operatorCode, request)
          .catch(() => ({ kind: 'accepted', body: {} }) as const),
    }),
  },
  {
    // A worker whose lease lapsed writes all the same.
    name: 'lease_without_fencing',
    bugs: {
      statements: [
        {
          statement: 'write_progress',
          find: 'and d.claim_number = u.claim_number',
          replace: '',
        },
      ],
    },
  },
  {
    // "Not found" believed at once, while the instruction may be on its way.
    name: 'no_acceptance_window',
    connector: (connector) =>
      changed(connector, { acceptanceWindowMs: connector.acceptanceWindowMs === null ? null : 0 }),
  },
  {
    // The window counted from the claim, although the instruction may leave later.
    name: 'window_from_claim',
    connector: (connector) =>
      changed(connector, {
        acceptanceWindowMs:
          connector.acceptanceWindowMs === null
            ? null
            : connector.acceptanceWindowMs - connector.payDeadlineMs,
      }),
  },
  {
    // The claim forgets to say that an instruction may have been sent.
    name: 'claim_without_attempt',
    bugs: {
      statements: [
        {
          statement: 'claim_payments',
          find: `set stage = 'verify', sent_at = coalesce(d.sent_at, p.at),`,
          replace: 'set',
        },
      ],
    },
  },
  {
    // An answer that contradicts the books is dropped.
    name: 'silent_contradiction',
    bugs: {
      functions: [
        {
          name: 'settle_payments',
          changes: [
            {
              find: 'else r.known_outcome is distinct from r.outcome end',
              replace: 'else false end',
            },
          ],
        },
      ],
    },
  },
];
