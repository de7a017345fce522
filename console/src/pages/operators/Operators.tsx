import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OperatorRow } from '../../../../src/staff/operator-view.ts';
import type { OperatorList } from '../../../../src/staff/operators.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import type { Column } from '../../design/Table.tsx';
import { FloatState } from '../../format/FloatState.tsx';
import { OperatorState } from '../../format/OperatorState.tsx';
import { useFigures } from '../../format/figures.ts';
import { readableMoney } from '../../format/money.ts';

const EVERY_MS = 5_000;

/** The companies that execute payments. */
export function Operators() {
  const { t } = useLingui();
  const columns = useColumns();
  const list = useQuery({
    queryKey: ['operators'],
    queryFn: ({ signal }) => get<OperatorList>('/operators', {}, signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader
        title={<Trans>Operators</Trans>}
        about={<Trans>The companies that execute payments, and our float with them.</Trans>}
      />
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>All operators</Trans>} more={<Trans>last hour</Trans>}>
        {list.isPending ? (
          <Skeleton lines={10} />
        ) : (
          <Table
            label={t`Operators`}
            rows={list.data?.operators ?? []}
            keyOf={({ operator }) => operator}
            empty={t`There are no operators yet.`}
            columns={columns}
          />
        )}
      </Card>
    </>
  );
}

function useColumns(): readonly Column<OperatorRow>[] {
  const { t } = useLingui();
  const { count, percent, duration } = useFigures();
  return [
    {
      title: t`Operator`,
      cell: ({ operator: code, name }) => (
        <Link to="/operators/$code" params={{ code }}>
          {name}
        </Link>
      ),
    },
    { title: t`State`, cell: (operator) => <OperatorState operator={operator} /> },
    {
      title: t`Float`,
      cell: ({ float }) =>
        float?.state === undefined || float.state === 'enough' ? (
          float?.balance && readableMoney(float.balance)
        ) : (
          <FloatState state={float.state} />
        ),
      align: 'end',
    },
    {
      title: t`Lasts`,
      cell: ({ float }) => duration(secondsLeft(float)),
      align: 'end',
      hide: 'small',
    },
    {
      title: t`Without a result`,
      cell: (operator) => count(operator.open_instructions),
      align: 'end',
      hide: 'small',
    },
    {
      title: t`Success`,
      cell: (operator) => percent(operator.last_hour.success_rate),
      align: 'end',
      hide: 'small',
    },
  ];
}

function secondsLeft(float: OperatorRow['float']): number | null {
  const hours = float?.hours_left ?? null;
  return hours === null ? null : hours * 3600;
}
