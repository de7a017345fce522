import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ScorecardDetail } from '../../../../src/staff/credit-scorecard-schema.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { Empty } from '../../design/Empty.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';
import { CardPlots } from './CardPlots.tsx';
import { Months } from './Months.tsx';
import { Role, figure } from './Scorecards.tsx';
import styles from './CardPlots.module.css';

/** One scorecard: how good it is, what it looks at, and how it does in use. */
export function Scorecard() {
  const { card } = useParams({ from: '/shell/credit/scorecards/$card' });
  const found = useQuery({
    queryKey: ['credit-scorecard', card],
    queryFn: ({ signal }) =>
      get<ScorecardDetail>(`/credit/scorecards/${encodeURIComponent(card)}`, {}, signal),
  });
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit/scorecards">
            <Trans>Scorecards</Trans>
          </Link>
        }
        title={card}
        about={found.data?.origin}
      />
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={16} />}
      {found.data !== undefined && <Content answer={found.data} />}
    </>
  );
}

function Content({ answer }: { readonly answer: ScorecardDetail }) {
  return (
    <>
      <Figures of={answer} />
      {answer.plots === null ? (
        <Card title={<Trans>Validation</Trans>}>
          <Empty title={<Trans>The card does not say how its test went</Trans>}>
            <Trans>To add the test, train the card again.</Trans>
          </Empty>
        </Card>
      ) : (
        <CardPlots plots={answer.plots} />
      )}
      <Card
        title={<Trans>Champion and challenger in use</Trans>}
        more={<Trans>By month of the enquiry</Trans>}
      >
        <Months months={answer.months} />
      </Card>
      <Card
        title={<Trans>Points</Trans>}
        more={<Trans>Everybody begins with {answer.base_points}</Trans>}
      >
        <Points of={answer} />
      </Card>
    </>
  );
}

function Figures({ of }: { readonly of: ScorecardDetail }) {
  const { count } = useFigures();
  return (
    <Tiles>
      <Tile
        label={<Trans>Role</Trans>}
        value={<Role role={of.role} />}
        note={<Trans>version {of.version}</Trans>}
      />
      <Tile
        label={<Trans>Gini</Trans>}
        value={figure(of.gini)}
        note={<Trans>AUC {figure(of.auc)}</Trans>}
      />
      <Tile
        label="KS"
        value={figure(of.ks)}
        note={<Trans>largest distance of the two groups</Trans>}
      />
      <Tile
        label={<Trans>Later months</Trans>}
        value={figure(of.out_of_time_auc)}
        note={
          of.samples === null ? (
            <Trans>AUC</Trans>
          ) : (
            <Trans>AUC; made from {count(of.samples)} samples</Trans>
          )
        }
      />
    </Tiles>
  );
}

function Points({ of: { characteristics } }: { readonly of: ScorecardDetail }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Points`}
      rows={characteristics}
      keyOf={({ name }) => name}
      empty=""
      columns={[
        {
          title: t`What it looks at`,
          cell: ({ meaning, reason }) => (
            <>
              {meaning}
              <small>{reason}</small>
            </>
          ),
        },
        { title: t`Points`, cell: (row) => <Bins of={row} /> },
      ]}
    />
  );
}

function Bins({
  of: { bins, never },
}: {
  readonly of: ScorecardDetail['characteristics'][number];
}) {
  return (
    <ul className={styles['bins']}>
      {never !== null && (
        <li>
          <Trans>never: {never}</Trans>
        </li>
      )}
      {bins.map(({ below, points }, at) => (
        <li key={below ?? 'last'}>
          {below === undefined ? (
            <Trans>
              {bins[at - 1]?.below ?? 0} or more: {points}
            </Trans>
          ) : (
            <Trans>
              below {below}: {points}
            </Trans>
          )}
        </li>
      ))}
    </ul>
  );
}
