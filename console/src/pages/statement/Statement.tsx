import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Difference, StatementDetail } from '../../../../src/staff/statements.ts';
import { get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { useSession } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { Empty } from '../../design/Empty.tsx';
import { Facts } from '../../design/Facts.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { dayOf } from '../../format/days.ts';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { KIND_NAMES } from '../cases/case-texts.ts';
import { CaseState } from '../cases/Cases.tsx';
import { verdictText } from '../payment/entry-texts.tsx';
import styles from '../reconciliation/Reconciliation.module.css';

/** One statement, and its differences side by side with our ledger. */
export function Statement() {
  const { statementId } = useParams({ from: '/shell/statements/$statementId' });
  const answer = useQuery({
    queryKey: ['statement', statementId],
    queryFn: ({ signal }) =>
      get<StatementDetail>(`/statements/${encodeURIComponent(statementId)}`, {}, signal),
  });
  if (answer.data !== undefined) return <Shown statement={answer.data} />;
  if (answer.isError)
    return <PageProblem error={answer.error} onRetry={() => void answer.refetch()} />;
  return <Skeleton lines={12} />;
}

function Shown({ statement }: { readonly statement: StatementDetail }) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  const { operator, from, to, opening, closing, verdicts, differences } = statement;
  return (
    <>
      <PageHeader
        back={
          <Link to="/reconciliation" search={{ day: dayOf(new Date(from), timeZone) }}>
            <Trans>Reconciliation</Trans>
          </Link>
        }
        title={<Trans>Statement of {operator}</Trans>}
        about={
          <>
            <Time at={from} /> – <Time at={to} />
          </>
        }
      />
      <Card title={<Trans>Differences</Trans>} more={<Decided differences={differences} />}>
        <Differences differences={differences} />
      </Card>
      <Card title={<Trans>Lines</Trans>}>
        <Facts
          facts={[
            { name: t`Opening balance`, value: opening && <Money amount={opening} currency /> },
            { name: t`Closing balance`, value: closing && <Money amount={closing} currency /> },
            ...Object.entries(verdicts).map(([verdict, count]) => ({
              name: verdictText(verdict),
              value: count,
            })),
            { name: t`Imported`, value: <Time at={statement.imported_at} /> },
          ]}
        />
      </Card>
    </>
  );
}

function Decided({ differences }: { readonly differences: readonly Difference[] }) {
  const open = differences.filter((each) => each.case.resolution === null).length;
  if (open === 0) return <Trans>All decided</Trans>;
  return <Trans>{open} to decide</Trans>;
}

function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  const { t, i18n } = useLingui();
  if (differences.length === 0) {
    return (
      <Empty title={<Trans>No difference</Trans>}>
        <Trans>Every line agrees with our ledger.</Trans>
      </Empty>
    );
  }
  return (
    <Table
      label={t`Differences`}
      rows={differences}
      keyOf={(row) => row.case.case}
      empty=""
      columns={[
        {
          title: t`Difference`,
          cell: (row) => (
            <>
              <Link to="/cases/$caseId" params={{ caseId: row.case.case }}>
                {i18n._(KIND_NAMES[row.case.kind])}
              </Link>
              <br />
              <span className={styles['dim']}>
                {row.line !== null && <Trans>line {row.line}</Trans>}
              </span>
            </>
          ),
        },
        {
          title: t`Ours`,
          cell: (row) => <Side amount={row.ours} text={row.our_outcome} />,
          align: 'end',
        },
        {
          title: t`Theirs`,
          cell: (row) => <Side amount={row.theirs} text={row.operator_reference} />,
          align: 'end',
        },
        {
          title: t`Payment`,
          cell: (row) =>
            row.case.reference !== null && (
              <Link to="/payments/$reference" params={{ reference: row.case.reference }}>
                {row.case.vid}
              </Link>
            ),
          hide: 'small',
        },
        { title: t`Account`, cell: ({ account }) => account, hide: 'small' },
        { title: t`State`, cell: (row) => <CaseState row={row.case} /> },
      ]}
    />
  );
}

function Side({ amount, text }: { readonly amount: string | null; readonly text: string | null }) {
  return (
    <>
      {amount === null ? '–' : <Money amount={amount} />}
      {text !== null && (
        <>
          <br />
          <span className={styles['reference']}>{text}</span>
        </>
      )}
    </>
  );
}
