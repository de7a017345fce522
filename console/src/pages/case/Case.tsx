import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { CaseDetail } from '../../../../src/staff/cases.ts';
import { get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Status } from '../../design/Status.tsx';
import { Age, secondsSince } from '../../format/Age.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { KIND_NAMES, RESOLUTION_NAMES } from '../cases/case-texts.ts';
import { CaseState } from '../cases/Cases.tsx';
import { caseAction } from '../payment/entry-texts.tsx';
import styles from '../payment/Payment.module.css';
import { Decision } from './Decision.tsx';

/** One case: its facts, who did what, and the decision by two people. */
export function Case() {
  const { caseId } = useParams({ from: '/shell/cases/$caseId' });
  const found = useQuery({
    queryKey: ['case', caseId],
    queryFn: ({ signal }) => get<CaseDetail>(`/cases/${encodeURIComponent(caseId)}`, {}, signal),
  });
  if (found.data !== undefined) return <Shown of={found.data} />;
  if (found.isError)
    return <PageProblem error={found.error} onRetry={() => void found.refetch()} />;
  return <Skeleton lines={12} />;
}

function Shown({ of }: { readonly of: CaseDetail }) {
  const { i18n } = useLingui();
  return (
    <>
      <PageHeader
        back={
          <Link to="/cases" search={{}}>
            <Trans>Cases</Trans>
          </Link>
        }
        title={
          <>
            {i18n._(KIND_NAMES[of.kind])}
            <CaseState row={of} />
          </>
        }
        about={
          <Trans>
            Opened <Age seconds={secondsSince(of.opened_at)} /> ago
          </Trans>
        }
      />
      <div className={styles['columns']}>
        <div className={styles['stack']}>
          <Decision of={of} />
          <Card title={<Trans>What happened</Trans>}>
            <Events of={of} />
          </Card>
        </div>
        <div className={styles['stack']}>
          <Card title={<Trans>Facts</Trans>}>
            <CaseFacts of={of} />
          </Card>
          {of.payment !== null && (
            <Card title={<Trans>Payment</Trans>}>
              <PaymentOfCase payment={of.payment} />
            </Card>
          )}
          {of.related.length > 0 && (
            <Card title={<Trans>Other cases about this payment</Trans>}>
              <ul className={styles['rows']}>
                {of.related.map((other) => (
                  <li key={other.case}>
                    <Link to="/cases/$caseId" params={{ caseId: other.case }}>
                      {i18n._(KIND_NAMES[other.kind])}
                    </Link>
                    <CaseState row={other} />
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </div>
      </div>
    </>
  );
}

function CaseFacts({ of }: { readonly of: CaseDetail }) {
  const { t } = useLingui();
  return (
    <Facts
      facts={[
        { name: t`Vendor`, value: of.vid ?? t`our own accounts` },
        { name: t`Operator`, value: of.operator ?? '–' },
        { name: t`Opened`, value: <Time at={of.opened_at} /> },
        ...Object.entries(of.facts)
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => ({ name: factName(name), value: factValue(value) })),
        { name: t`Case`, value: <code>{of.case}</code> },
      ]}
    />
  );
}

/** `operator_says`: Operator says. */
function factName(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const MONEY = /^-?\d+\.\d\d$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

function factValue(value: unknown) {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (MONEY.test(value)) return <Money amount={value} />;
  return TIME.test(value) ? <Time at={value} /> : value;
}

function PaymentOfCase({ payment }: { readonly payment: NonNullable<CaseDetail['payment']> }) {
  return (
    <ul className={styles['rows']}>
      <li>
        <span>
          <Link to="/payments/$reference" params={{ reference: payment.reference }}>
            <Money amount={payment.amount} currency />
          </Link>
          <br />
          <span className={styles['dim']}>
            {payment.biller}, {payment.account}, <Time at={payment.created_at} />
          </span>
        </span>
        <Status status={payment.status} />
      </li>
    </ul>
  );
}

function Events({ of }: { readonly of: CaseDetail }) {
  const { i18n } = useLingui();
  const nameOf = (resolution: string): string => {
    const name = RESOLUTION_NAMES[resolution];
    return name === undefined ? resolution : i18n._(name);
  };
  const wasOpenedByService = !of.events.some(({ action }) => action === 'opened');
  return (
    <ol className={styles['timeline']}>
      {wasOpenedByService && (
        <li data-tone="waiting">
          <div className={styles['head']}>
            <b>{caseAction('opened')}</b>
            <Time at={of.opened_at} />
          </div>
          <p>
            <Trans>by the service</Trans>
          </p>
        </li>
      )}
      {of.events.map((event, index) => (
        <li key={index} data-tone={event.action === 'approved' ? 'done' : 'waiting'}>
          <div className={styles['head']}>
            <b>{caseAction(event.action)}</b>
            <Time at={event.at} />
          </div>
          <p>
            {event.actor}
            {event.resolution !== null && `: ${nameOf(event.resolution)}`}
          </p>
          {event.note !== null && <p>“{event.note}”</p>}
        </li>
      ))}
    </ol>
  );
}
