import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { AGES } from '../../../../src/payments/reports/ages.ts';
import type {
  ExposureAnswer,
  ReceivablesAnswer,
  ReceivableView,
} from '../../../../src/console/finance-answers.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { Age, secondsSince } from '../../format/Age.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';

/** What others owe us, and what we may lose; each by age. */
export function Receivables() {
  const receivables = useReport<ReceivablesAnswer>('/receivables');
  const exposure = useReport<ExposureAnswer>('/exposure');
  return (
    <>
      <PageHeader
        title={<Trans>Receivables and exposure</Trans>}
        about={<Trans>What others owe us, and what we may lose, by age in days.</Trans>}
      >
        <FileLinks path="/receivables" />
      </PageHeader>
      <Totals receivables={receivables.data} exposure={exposure.data} />
      <Card title={<Trans>Owed to us</Trans>} more={<At answer={receivables.data} />}>
        {receivables.isError && (
          <Problem error={receivables.error} onRetry={() => void receivables.refetch()} />
        )}
        {receivables.isPending && <Skeleton lines={6} />}
        {receivables.data !== undefined && <Owed items={receivables.data.items} />}
      </Card>
      <Card
        title={<Trans>Payments without a result, by operator</Trans>}
        more={<At answer={exposure.data} />}
      >
        {exposure.isError && (
          <Problem error={exposure.error} onRetry={() => void exposure.refetch()} />
        )}
        {exposure.isPending && <Skeleton lines={6} />}
        {exposure.data !== undefined && <Unknown answer={exposure.data} />}
      </Card>
      <Card title={<Trans>Credited, then taken back</Trans>} more={<At answer={exposure.data} />}>
        {exposure.data === undefined ? <Skeleton lines={4} /> : <Reversed answer={exposure.data} />}
      </Card>
    </>
  );
}

function useReport<Answer>(path: string) {
  return useQuery({
    queryKey: ['report', path],
    queryFn: ({ signal }) => get<Answer>(path, {}, signal),
  });
}

function At({ answer }: { readonly answer: { readonly at: string } | undefined }) {
  return answer === undefined ? null : <Time at={answer.at} />;
}

function Totals({
  receivables,
  exposure,
}: {
  readonly receivables: ReceivablesAnswer | undefined;
  readonly exposure: ExposureAnswer | undefined;
}) {
  const { t } = useLingui();
  return (
    <Tiles>
      <Tile
        label={t`Owed to us`}
        value={amountOf(receivables?.total)}
        note={noteOfOld(receivables?.byAge)}
      />
      <Tile
        label={t`Without a result`}
        value={amountOf(exposure?.unknownTotal)}
        note={t`the operators may have paid it`}
      />
      <Tile
        label={t`Taken back`}
        value={amountOf(exposure?.reversedTotal)}
        note={noteOfOld(exposure?.reversedByAge)}
      />
    </Tiles>
  );
}

function amountOf(amount: string | undefined) {
  return amount === undefined ? '–' : <Money amount={amount} />;
}

/** How much of it has lasted longest. */
function noteOfOld(amounts: readonly string[] | undefined) {
  if (amounts === undefined) return undefined;
  return (
    <Trans>
      older than 30 days: <Money amount={amounts[3] ?? '0.00'} />
    </Trans>
  );
}

/** Each debt with what is left of it. */
function Owed({ items }: { readonly items: readonly ReceivableView[] }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Owed to us`}
      rows={items}
      keyOf={(item) => `${item.name} ${item.since} ${item.caseId}`}
      empty={t`Nobody owes us anything.`}
      columns={[
        {
          title: t`Since`,
          cell: ({ since }) => (since === null ? '–' : <Age seconds={secondsSince(since)} />),
        },
        {
          title: t`Who`,
          cell: ({ debtor, name }) =>
            debtor === 'vendor' ? (
              <Link to="/vendors/$vid" params={{ vid: name }}>
                {name}
              </Link>
            ) : (
              <Link to="/operators/$code" params={{ code: name }}>
                {name}
              </Link>
            ),
        },
        {
          title: t`Payment`,
          cell: ({ reference }) =>
            reference !== null && (
              <Link to="/payments/$reference" params={{ reference }}>
                {reference}
              </Link>
            ),
          hide: 'small',
        },
        {
          title: t`Case`,
          cell: ({ caseId }) => <CaseLink caseId={caseId} name={t`decided`} />,
        },
        {
          title: t`Open`,
          cell: ({ openCaseId }) => <CaseLink caseId={openCaseId} name={t`to collect`} />,
        },
        {
          title: t`Owed`,
          cell: ({ owed }) => <Money amount={owed} />,
          align: 'end',
          hide: 'small',
        },
        { title: t`Left`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
      ]}
    />
  );
}

function CaseLink({ caseId, name }: { readonly caseId: string | null; readonly name: string }) {
  if (caseId === null) return null;
  return (
    <Link to="/cases/$caseId" params={{ caseId }}>
      {name}
    </Link>
  );
}

function Unknown({ answer: { unknown, unknownTotal } }: { readonly answer: ExposureAnswer }) {
  const { t } = useLingui();
  const { count } = useFigures();
  return (
    <Table
      label={t`Payments without a result, by operator`}
      rows={unknown}
      keyOf={({ operator }) => operator}
      empty={t`Every payment has a result.`}
      columns={[
        {
          title: t`Operator`,
          cell: ({ operator }) => (
            <Link to="/operators/$code" params={{ code: operator }}>
              {operator}
            </Link>
          ),
          total: t`Total`,
        },
        {
          title: t`Payments`,
          cell: ({ operator, count: payments }) => (
            <Link to="/payments" search={{ status: 'PENDING', operator }}>
              {count(payments)}
            </Link>
          ),
          align: 'end',
          hide: 'small',
        },
        ...AGES.map((age, index) => ({
          title: t`${age} days`,
          align: 'end' as const,
          hide: 'small' as const,
          cell: ({ operator, ages }: UnknownOf) => (
            <OfAge operator={operator} found={ages[index]} />
          ),
        })),
        {
          title: t`Age`,
          align: 'end',
          hide: 'wide',
          cell: ({ operator, ages }) => <AllAges operator={operator} ages={ages} />,
        },
        {
          title: t`Total`,
          cell: ({ amount }) => <Money amount={amount} />,
          total: <Money amount={unknownTotal} />,
          align: 'end',
        },
      ]}
    />
  );
}

type UnknownOf = ExposureAnswer['unknown'][number];

/** What an operator may have paid, of one age. */
function OfAge({
  operator,
  found,
}: {
  readonly operator: string;
  readonly found: UnknownOf['ages'][number] | undefined;
}) {
  if (found === undefined || found.count === 0) return '–';
  const { amount, from, to } = found;
  return (
    <Link
      to="/payments"
      search={{ status: 'PENDING', operator, to, ...(from === null ? {} : { from }) }}
    >
      <Money amount={amount} />
    </Link>
  );
}

/** One below the other, for narrow screens. */
function AllAges({ operator, ages }: Pick<UnknownOf, 'operator' | 'ages'>) {
  return AGES.map((age, index) => {
    const found = ages[index];
    if (found === undefined || found.count === 0) return null;
    return (
      <Fragment key={age}>
        <OfAge operator={operator} found={found} />
        <small>
          <Trans>{age} days</Trans>
        </small>
      </Fragment>
    );
  });
}

function Reversed({ answer: { reversed, reversedTotal } }: { readonly answer: ExposureAnswer }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Credited, then taken back`}
      rows={reversed}
      keyOf={({ caseId }) => caseId}
      empty={t`No credited income was taken back.`}
      columns={[
        {
          title: t`Since`,
          cell: ({ since }) => <Age seconds={secondsSince(since)} />,
          total: t`Total`,
        },
        {
          title: t`Vendor`,
          cell: ({ vid }) => (
            <Link to="/vendors/$vid" params={{ vid }}>
              {vid}
            </Link>
          ),
        },
        {
          title: t`Receipt`,
          cell: ({ caseId, receipt, issuer }) => (
            <>
              <Link to="/cases/$caseId" params={{ caseId }}>
                {receipt ?? caseId}
              </Link>
              {issuer !== null && <small>{issuer}</small>}
            </>
          ),
        },
        {
          title: t`Amount`,
          cell: ({ amount }) => <Money amount={amount} />,
          total: <Money amount={reversedTotal} />,
          align: 'end',
        },
      ]}
    />
  );
}
