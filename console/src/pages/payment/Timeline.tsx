import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PaymentDetail, TimelineEntry } from '../../../../src/staff/payment-schema.ts';
import { asSentence } from '../../format/as-sentence.ts';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { caseAction, settledBy, verdictText } from './entry-texts.tsx';
import styles from './Payment.module.css';

type Tone = 'done' | 'waiting' | 'alert' | 'info' | 'plain';
interface Description {
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly text?: ReactNode;
}

/** Everything that happened, in order, and what comes next. Transfers are in their own table. */
export function Timeline({ payment }: { readonly payment: PaymentDetail }) {
  const entries = payment.timeline.filter(({ kind }) => kind !== 'transfer' && kind !== 'event');
  return (
    <ol className={styles['timeline']}>
      {entries.map((entry, index) => {
        const { tone, title, text } = describe(entry, payment);
        return (
          <li key={index} data-tone={tone}>
            <div className={styles['head']}>
              <b>{title}</b>
              <Time at={entry.at} show="exact" />
            </div>
            {text !== undefined && <p>{text}</p>}
          </li>
        );
      })}
      {payment.next_step_at !== null && (
        <li data-tone="next">
          <div className={styles['head']}>
            <b>
              {payment.status === 'PENDING' ? (
                <Trans>Next: the operator is asked</Trans>
              ) : (
                <Trans>Next: the payment is sent</Trans>
              )}
            </b>
            <Time at={payment.next_step_at} show="exact" />
          </div>
        </li>
      )}
    </ol>
  );
}

function describe(entry: TimelineEntry, payment: PaymentDetail): Description {
  switch (entry.kind) {
    case 'created':
      return describeCreated(payment);
    case 'attempt':
      return describeAttempt(entry);
    case 'settled':
      return {
        tone: entry.status === 'SUCCESS' ? 'done' : 'alert',
        title: entry.status === 'SUCCESS' ? <Trans>Paid</Trans> : <Trans>Failed</Trans>,
        text: settledBy(entry.source),
      };
    case 'unmatched_callback':
      return {
        tone: 'alert',
        title: <Trans>Callback that does not fit</Trans>,
        text: (
          <Trans>
            {entry.operator} reported: {String(entry.report['kind'])}
          </Trans>
        ),
      };
    case 'statement_entry':
      return {
        tone: 'info',
        title: <Trans>In the statement of {entry.operator}</Trans>,
        text: (
          <>
            <Money amount={entry.amount} currency />, {entry.operator_reference}:{' '}
            {verdictText(entry.verdict)}
          </>
        ),
      };
    case 'correction':
      return {
        tone: 'info',
        title: <Trans>Corrected by two people</Trans>,
        text: (
          <>
            {entry.resolution}, <Money amount={entry.amount} currency />
          </>
        ),
      };
    case 'details':
      return describeDetails(entry);
    case 'case':
      return describeCase(entry);
    case 'transfer':
    case 'event':
      return { tone: 'plain', title: entry.kind };
  }
}

function describeDetails(entry: Extract<TimelineEntry, { kind: 'details' }>): Description {
  const { operator, asked, note } = entry;
  if (!entry.is_owed)
    return { tone: 'done', title: <Trans>Details came later</Trans>, text: entry.names.join(', ') };
  return {
    tone: 'info',
    title: <Trans>{operator} owes details</Trans>,
    text: (
      <>
        <Trans>Asked {asked} times.</Trans> {note}
      </>
    ),
  };
}

function describeCreated(payment: PaymentDetail): Description {
  return {
    tone: 'done',
    title: <Trans>Accepted</Trans>,
    text:
      payment.fee === '0.00' ? (
        <Trans>
          <Money amount={payment.amount} currency /> reserved from the float.
        </Trans>
      ) : (
        <Trans>
          <Money amount={payment.amount} currency /> and a fee of <Money amount={payment.fee} />{' '}
          reserved from the float.
        </Trans>
      ),
  };
}

function describeCase(entry: Extract<TimelineEntry, { kind: 'case' }>): Description {
  return {
    tone: entry.action === 'approved' ? 'done' : 'waiting',
    title: caseAction(entry.action),
    text: (
      <>
        {entry.actor !== null && `${entry.actor}. `}
        <Link to="/cases/$caseId" params={{ caseId: entry.case }}>
          <Trans>See the case</Trans>
        </Link>
      </>
    ),
  };
}

function describeAttempt(entry: Extract<TimelineEntry, { kind: 'attempt' }>): Description {
  const { note, route_reason: routeReason, operator_handle: operatorHandle } = entry;
  const to = entry.operator ?? '?';
  const attemptNumber = entry.attempt;
  const tones = { paid: 'done', declined: 'alert', not_sent: 'info' } as const;
  return {
    tone: entry.outcome === null ? 'waiting' : tones[entry.outcome],
    title: (
      <Trans>
        Attempt {attemptNumber} sent to {to}
      </Trans>
    ),
    text: (
      <>
        {routeReason !== null && (
          <>
            <Trans>Chosen because: {routeReason}.</Trans>{' '}
          </>
        )}
        <Outcome entry={entry} />
        {note !== null && entry.outcome !== 'paid' && entry.outcome !== 'declined' && (
          <>
            {' '}
            <Trans>Reason: {asSentence(note)}</Trans>
          </>
        )}
        {operatorHandle !== null && (
          <>
            {' '}
            <Trans>Operator’s handle: {operatorHandle}.</Trans>
          </>
        )}
      </>
    ),
  };
}

function Outcome({ entry }: { readonly entry: Extract<TimelineEntry, { kind: 'attempt' }> }) {
  switch (entry.outcome) {
    case null:
      return <Trans>No final answer yet: it may have been executed.</Trans>;
    case 'paid':
      return <Trans>The operator executed it.</Trans>;
    case 'declined':
      return <Trans>The operator declined it.</Trans>;
    case 'not_sent':
      return <Trans>Proven not executed, so another attempt is safe.</Trans>;
  }
}
