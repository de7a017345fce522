import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type {
  ListedScorecard,
  ScorecardList,
} from '../../../../src/staff/credit-scorecard-schema.ts';
import type { ScorecardChanges } from '../../../../src/staff/credit-scorecards.ts';
import { get } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Time } from '../../format/Time.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { ProposeCard } from './ProposeCard.tsx';
import { SCORE_KINDS } from './scorecard-texts.ts';

/** Which scorecards exist, which answer, and since when. */
export function Scorecards() {
  const mayAct = useMay('credit.act');
  const [isAsked, setIsAsked] = useState(false);
  const found = useQuery({
    queryKey: ['credit-scorecards'],
    queryFn: ({ signal }) => get<ScorecardList>('/credit/scorecards', {}, signal),
  });
  const changes = usePages<ScorecardChanges>(
    ['credit-scorecard-changes'],
    '/credit/scorecard-changes',
  );
  const { data } = found;
  return (
    <>
      <PageHeader
        title={<Trans>Scorecards</Trans>}
        about={
          <Trans>
            The champion answers. A challenger scores the same people alongside, and is only
            recorded.
          </Trans>
        }
      >
        {mayAct && data !== undefined && (
          <Button onClick={() => setIsAsked(true)}>
            <Trans>Propose a change</Trans>
          </Button>
        )}
      </PageHeader>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {changes.isError && <Problem error={changes.error} onRetry={() => void changes.refetch()} />}
      <Card title={<Trans>Scorecards</Trans>} more={<Trans>Tested on other people</Trans>}>
        {data === undefined ? <Skeleton lines={5} /> : <List cards={data.cards} />}
      </Card>
      <Card title={<Trans>Changes</Trans>} more={<Trans>Newest first</Trans>}>
        {changes.isPending ? (
          <Skeleton lines={3} />
        ) : (
          <Changes changes={changes.data?.pages.flatMap((page) => page.changes) ?? []} />
        )}
      </Card>
      <More list={changes}>
        <Trans>Show more</Trans>
      </More>
      {data !== undefined && (
        <ProposeCard cards={data.cards} open={isAsked} onClose={() => setIsAsked(false)} />
      )}
    </>
  );
}

function List({ cards }: { readonly cards: readonly ListedScorecard[] }) {
  const { t } = useLingui();
  const kinds = useNames(SCORE_KINDS);
  return (
    <Table
      label={t`Scorecards`}
      rows={cards}
      keyOf={({ card }) => card}
      empty=""
      columns={[
        {
          title: t`Card`,
          cell: ({ card }) => (
            <Link to="/credit/scorecards/$card" params={{ card }}>
              {card}
            </Link>
          ),
        },
        { title: t`Score`, cell: ({ kind }) => kinds[kind], hide: 'small' },
        { title: t`Role`, cell: ({ role }) => <Role role={role} /> },
        { title: 'AUC', cell: ({ auc }) => figure(auc), align: 'end', hide: 'small' },
        { title: 'Gini', cell: ({ gini }) => figure(gini), align: 'end', hide: 'small' },
        { title: 'KS', cell: ({ ks }) => figure(ks), align: 'end', hide: 'small' },
        { title: t`Made from`, cell: ({ origin }) => origin, hide: 'small' },
      ]}
    />
  );
}

/** A measure between 0 and 1. */
export function figure(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

export function Role({ role }: Pick<ListedScorecard, 'role'>) {
  if (role === null) return <Trans>none</Trans>;
  return role === 'champion' ? (
    <Pill tone="done">
      <Trans>Champion</Trans>
    </Pill>
  ) : (
    <Pill tone="info">
      <Trans>Challenger</Trans>
    </Pill>
  );
}

function Changes({ changes }: Pick<ScorecardChanges, 'changes'>) {
  const { t } = useLingui();
  const kinds = useNames(SCORE_KINDS);
  return (
    <Table
      label={t`Changes`}
      rows={changes}
      keyOf={({ kind, changed_at: at }) => `${kind} ${at}`}
      empty={t`No change: the newest shipped cards answer.`}
      columns={[
        { title: t`When`, cell: ({ changed_at: at }) => <Time at={at} /> },
        { title: t`Score`, cell: ({ kind }) => kinds[kind] },
        { title: t`Champion`, cell: ({ champion }) => champion ?? t`newest shipped card` },
        { title: t`Challenger`, cell: ({ challenger }) => challenger ?? t`none`, hide: 'small' },
        { title: t`Reason`, cell: ({ reason }) => reason, hide: 'small' },
      ]}
    />
  );
}
