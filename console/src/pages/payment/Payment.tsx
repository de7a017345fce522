import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { PaymentDetail } from '../../../../src/staff/payment-schema.ts';
import { get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { useSession } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Status } from '../../design/Status.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { Actions } from './Actions.tsx';
import { LostPayment } from '../payments/LostCases.tsx';
import { Explanation } from './Explanation.tsx';
import { Events, SameAccount, Transfers } from './Parts.tsx';
import styles from './Payment.module.css';
import { Timeline } from './Timeline.tsx';

const OPEN_EVERY_MS = 2_000;

/** One payment: what happened to it, what happens next, and what can be done. */
export function Payment() {
  const { reference } = useParams({ from: '/shell/payments/$reference' });
  const payment = useQuery({
    queryKey: ['payment', reference],
    queryFn: ({ signal }) =>
      get<PaymentDetail>(`/payments/${encodeURIComponent(reference)}`, {}, signal),
    refetchInterval: (query) => (query.state.data?.settled_at === null ? OPEN_EVERY_MS : false),
  });
  if (payment.isError && payment.data === undefined) {
    return (
      <>
        <PageProblem error={payment.error} onRetry={() => void payment.refetch()} back={<Back />} />
        <LostPayment reference={reference} />
      </>
    );
  }
  if (payment.data === undefined) return <Skeleton lines={14} />;
  return <Shown payment={payment.data} />;
}

function Back() {
  return (
    <Link to="/payments" search={{}}>
      <Trans>Payments</Trans>
    </Link>
  );
}

function Shown({ payment }: { readonly payment: PaymentDetail }) {
  const { timeZone } = useSession();
  return (
    <>
      <PageHeader
        back={<Back />}
        title={
          <>
            <Money amount={payment.amount} currency />
            <Status status={payment.status} />
          </>
        }
        about={
          <Trans>
            {payment.biller}, account {payment.account}, for {payment.vid}
          </Trans>
        }
      >
        <Actions payment={payment} />
      </PageHeader>
      <Explanation payment={payment} />
      <div className={styles['columns']}>
        <div className={styles['stack']}>
          <Card title={<Trans>What happened</Trans>} more={timeZone}>
            <Timeline payment={payment} />
          </Card>
          <Card title={<Trans>Money</Trans>}>
            <Transfers payment={payment} />
          </Card>
        </div>
        <div className={styles['stack']}>
          <Card title={<Trans>Facts</Trans>}>
            <PaymentFacts payment={payment} />
          </Card>
          <Card title={<Trans>Events to the vendor</Trans>}>
            <Events payment={payment} />
          </Card>
          <Card title={<Trans>Same account</Trans>}>
            <SameAccount payment={payment} />
          </Card>
        </div>
      </div>
    </>
  );
}

function PaymentFacts({ payment }: { readonly payment: PaymentDetail }) {
  const { t } = useLingui();
  const details = Object.entries(payment.details ?? {});
  const { settled_at: settledAt, phone, operator } = payment;
  return (
    <Facts
      facts={[
        { name: t`Reference`, value: <code>{payment.reference}</code> },
        { name: t`Vendor’s reference`, value: payment.merchant_reference },
        { name: t`Phone`, value: phone },
        { name: t`Fee`, value: <Money amount={payment.fee} currency /> },
        { name: t`Operator`, value: operator },
        { name: t`Operator’s reference`, value: payment.biller_reference },
        { name: t`Failure code`, value: payment.failure_code },
        ...details.map(([name, value]) => ({ name, value: <code>{value}</code> })),
        { name: t`Created`, value: <Time at={payment.created_at} /> },
        { name: t`Final since`, value: settledAt && <Time at={settledAt} /> },
        ...(payment.archived
          ? [{ name: t`Archive`, value: t`Archived; only its file has the rest` }]
          : []),
      ]}
    />
  );
}
