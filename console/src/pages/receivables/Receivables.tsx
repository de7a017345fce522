import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { ageLimits, AGES } from '../../../../src/payments/reports/ages.ts';
import type {
  ExposedView,
  ExposureAnswer,
  ReceivablesAnswer,
  ReceivableView,
} from '../../../../src/staff/reports.ts';
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
        {receivables.data !== undefined && <Owed items={receivables.data.receivables} />}
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
        note={noteOfOld(receivables?.by_age)}
      />
      <Tile
        label={t`Without a result`}
        value={amountOf(exposure?.unknown_total)}
        note={t`the operators may have paid it`}
      />
      <Tile
        label={t`Taken back`}
        value={amountOf(exposure?.reversed_total)}
        note={noteOfOld(exposure?.reversed_by_age)}
      />
    </Tiles>
  );
}

function amountOf(amount: string | undefined) {
  return amount === undefined ? '–' : <Money amount={amount} />;
}

/** How much of it has lasted longest. */
function noteOfOld(amounts: ReceivablesAnswer['by_age'] | undefined) {
  if (amounts === undefined) return undefined;
  return (
    <Trans>
      older than 30 days: <Money amount={amounts['>30']} />
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
      keyOf={(item) => `${item.name} ${item.since} ${item.case}`}
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
          cell: (item) => <CaseLink caseId={item.case} name={t`decided`} />,
        },
        {
          title: t`Open`,
          cell: (item) => <CaseLink caseId={item.open_case} name={t`to collect`} />,
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

function Unknown({ answer }: { readonly answer: ExposureAnswer }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const agesOf = (of: string): UnknownOf => ({
    at: answer.at,
    ages: answer.exposure.filter(({ what, operator }) => what === 'unknown' && operator === of),
  });
  return (
    <Table
      label={t`Payments without a result, by operator`}
      rows={answer.unknown}
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
        ...AGES.map((age) => ({
          title: t`${age} days`,
          align: 'end' as const,
          hide: 'small' as const,
          cell: ({ operator }: ExposureAnswer['unknown'][number]) => (
            <OfAge at={answer.at} found={agesOf(operator).ages.find((of) => of.age === age)} />
          ),
        })),
        {
          title: t`Age`,
          align: 'end',
          hide: 'wide',
          cell: ({ operator }) => <AllAges {...agesOf(operator)} />,
        },
        {
          title: t`Total`,
          cell: ({ amount }) => <Money amount={amount} />,
          total: <Money amount={answer.unknown_total} />,
          align: 'end',
        },
      ]}
    />
  );
}

/** What an operator may have paid, by age. */
interface UnknownOf {
  readonly ages: readonly ExposedView[];
  readonly at: string;
}

/** What an operator may have paid, of one age. */
function OfAge({ at, found }: Pick<UnknownOf, 'at'> & { readonly found: ExposedView | undefined }) {
  if (found === undefined) return '–';
  const { age, amount, operator } = found;
  const ends = [at, ...ageLimits(new Date(at)).map((end) => end.toISOString())];
  const [to, from] = ends.slice(AGES.indexOf(age));
  return (
    <Link
      to="/payments"
      search={{
        status: 'PENDING',
        ...(operator !== null && { operator }),
        ...(to !== undefined && { to }),
        ...(from !== undefined && { from }),
      }}
    >
      <Money amount={amount} />
    </Link>
  );
}

/** One below the other, for narrow screens. */
function AllAges({ ages, at }: UnknownOf) {
  return ages.map((found) => {
    const { age } = found;
    return (
      <Fragment key={age}>
        <OfAge at={at} found={found} />
        <small>
          <Trans>{age} days</Trans>
        </small>
      </Fragment>
    );
  });
}

function Reversed({ answer }: { readonly answer: ExposureAnswer }) {
  const { t } = useLingui();
  const reversed = answer.exposure.filter(({ what }) => what === 'reversed');
  return (
    <Table
      label={t`Credited, then taken back`}
      rows={reversed}
      keyOf={(row) => row.case ?? ''}
      empty={t`No credited income was taken back.`}
      columns={[
        {
          title: t`Since`,
          cell: ({ since }) => since !== null && <Age seconds={secondsSince(since)} />,
          total: t`Total`,
        },
        {
          title: t`Vendor`,
          cell: ({ vid }) =>
            vid !== null && (
              <Link to="/vendors/$vid" params={{ vid }}>
                {vid}
              </Link>
            ),
        },
        {
          title: t`Receipt`,
          cell: ({ case: caseId, receipt, issuer }) => (
            <>
              <CaseLink caseId={caseId} name={receipt ?? caseId ?? ''} />
              {issuer !== null && <small>{issuer}</small>}
            </>
          ),
        },
        {
          title: t`Amount`,
          cell: ({ amount }) => <Money amount={amount} />,
          total: <Money amount={answer.reversed_total} />,
          align: 'end',
        },
      ]}
    />
  );
}
