import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { PaymentDetail } from '../../../../src/console/answers.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Status } from '../../design/Status.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Payment.module.css';

const OPEN_EVERY_MS = 2_000;

/** One payment and everything that happened to it. */
export function Payment() {
  const { reference } = useParams({ from: '/shell/payments/$reference' });
  const payment = useQuery({
    queryKey: ['payment', reference],
    queryFn: ({ signal }) =>
      get<PaymentDetail>(`/payments/${encodeURIComponent(reference)}`, {}, signal),
    refetchInterval: (query) => (query.state.data?.settledAt === null ? OPEN_EVERY_MS : false),
  });
  if (payment.isError) return <Notice tone="alert">{payment.error.message}</Notice>;
  if (payment.data === undefined) {
    return (
      <p>
        <Trans>Loading…</Trans>
      </p>
    );
  }
  return <Shown payment={payment.data} />;
}

function Shown({ payment }: { readonly payment: PaymentDetail }) {
  return (
    <>
      <p>
        <Link to="/payments" search={{}}>
          <Trans>Payments</Trans>
        </Link>
      </p>
      <header className={styles['title']}>
        <div>
          <h1>
            <Money amount={payment.amount} currency />
          </h1>
          <p>
            {payment.biller}, {payment.account} · {payment.vid}
          </p>
        </div>
        <Status status={payment.status} />
      </header>
      <Card title={<Trans>Timeline</Trans>}>
        <ol className={styles['timeline']}>
          {payment.timeline.map((entry, index) => (
            <li key={index}>
              <b>{entry.kind}</b> <Time at={entry.at} show="exact" />
            </li>
          ))}
        </ol>
      </Card>
    </>
  );
}
