import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PaymentDetail, TimelineEntry } from '../../../../src/staff/payment-schema.ts';
import type { PaymentsFound } from '../../../../src/staff/payments.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Pill } from '../../design/Pill.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { useDayOf } from '../ledger/period.tsx';
import { toPayments } from '../payments/filter.ts';
import styles from './Payment.module.css';

type Kind<Name> = Extract<TimelineEntry, { kind: Name }>;

function entriesOf<Name extends TimelineEntry['kind']>(
  { timeline }: PaymentDetail,
  kind: Name,
): readonly Kind<Name>[] {
  return timeline.filter((entry): entry is Kind<Name> => entry.kind === kind);
}

/** The transfers of the payment and its corrections. */
export function Transfers({ payment }: { readonly payment: PaymentDetail }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Transfers`}
      rows={entriesOf(payment, 'transfer')}
      keyOf={({ at, debit_account: debit, credit_account: credit, amount }) =>
        [at, debit, credit, amount].join(' ')
      }
      empty={t`No transfer yet.`}
      columns={[
        { title: t`Time`, cell: ({ at }) => <Time at={at} show="exact" />, hide: 'small' },
        {
          title: t`From`,
          cell: ({ debit_account: debit, at, is_house: isHouse }) => (
            <AccountLink account={debit} at={at} vid={isHouse ? null : payment.vid} />
          ),
        },
        {
          title: t`To`,
          cell: ({ credit_account: credit, is_house: isHouse, at }) => (
            <>
              <AccountLink account={credit} at={at} vid={isHouse ? null : payment.vid} />
              {isHouse && ` (${t`our own`})`}
            </>
          ),
        },
        { title: t`KES`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
        { title: t`What`, cell: ({ movement }) => movement, hide: 'small' },
      ]}
    />
  );
}

/** An account on the day of a transfer, for those who may see the books. */
function AccountLink({
  account,
  at,
  vid,
}: {
  readonly account: string;
  readonly at: string;
  /** Null: our own. */
  readonly vid: string | null;
}) {
  const mayRead = useMay('finance.read');
  const dayOf = useDayOf();
  if (!mayRead) return account;
  return (
    <Link
      to="/ledger/$books/$account"
      params={{ books: 'vendors', account }}
      search={vid === null ? dayOf(at) : { ...dayOf(at), vid }}
    >
      {account}
    </Link>
  );
}

const TONES = { waiting: 'waiting', delivered: 'done', given_up: 'alert', off: 'info' } as const;

/** The events for the vendor's webhook, sent or waiting. */
export function Events({ payment }: { readonly payment: PaymentDetail }) {
  const events = entriesOf(payment, 'event');
  if (events.length === 0) {
    return (
      <p className={styles['nothing']}>
        {payment.settled_by === null ? (
          <Trans>No event yet: the payment is open.</Trans>
        ) : (
          <Trans>No event: the vendor has no webhook and queries the status.</Trans>
        )}
      </p>
    );
  }
  return (
    <ul className={styles['rows']}>
      {events.map((event) => (
        <li key={event.event_id}>
          <span>
            {event.event_type}
            <br />
            <span className={styles['dim']}>
              <Plural
                value={event.attempts}
                _0="not sent yet"
                one="sent once"
                other="sent # times"
              />
              {event.last_result !== null && `: ${event.last_result}`}
              {event.due_at !== null && (
                <>
                  {', '}
                  <Trans>
                    next at <Time at={event.due_at} />
                  </Trans>
                </>
              )}
            </span>
          </span>
          <Pill tone={TONES[event.state]}>
            {event.state === 'delivered' && <Trans>Delivered</Trans>}
            {event.state === 'waiting' && <Trans>Waiting</Trans>}
            {event.state === 'given_up' && <Trans>Given up</Trans>}
            {event.state === 'off' && <Trans>Type is off</Trans>}
          </Pill>
        </li>
      ))}
    </ul>
  );
}

const SHOWN = 5;

/** The last payments to the same account, which show a double payment. */
export function SameAccount({ payment }: { readonly payment: PaymentDetail }) {
  const filter = { search: payment.account, as: 'text', biller: payment.biller };
  const list = useQuery({
    queryKey: ['payments', filter],
    queryFn: ({ signal }) => send<PaymentsFound>('POST', '/payments/search', filter, signal),
  });
  if (list.data === undefined) return <Skeleton lines={3} />;
  const others = list.data.payments.filter(({ reference }) => reference !== payment.reference);
  if (others.length === 0) {
    return (
      <p className={styles['nothing']}>
        <Trans>No other payment to this account.</Trans>
      </p>
    );
  }
  return (
    <>
      <ul className={styles['rows']}>
        {others.slice(0, SHOWN).map((other) => (
          <li key={other.reference}>
            <span>
              <Link to="/payments/$reference" params={{ reference: other.reference }}>
                <Money amount={other.amount} currency />
              </Link>
              <br />
              <span className={styles['dim']}>
                <Time at={other.created_at} />
                {other.merchant_reference !== null && `, ${other.merchant_reference}`}
              </span>
            </span>
            <Status status={other.status} />
          </li>
        ))}
      </ul>
      {others.length > SHOWN && (
        <p className={styles['all']}>
          <Link {...toPayments(filter)}>
            <Trans>All payments to this account</Trans>
          </Link>
        </p>
      )}
    </>
  );
}
