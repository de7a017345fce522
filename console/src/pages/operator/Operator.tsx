import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { FloatView } from '../../../../src/staff/float-view.ts';
import type { OperatorView } from '../../../../src/staff/operator-view.ts';
import { get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { useMay } from '../../app/session.ts';
import { Card } from '../../design/Card.tsx';
import { Columns, Stack } from '../../design/Columns.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Rows } from '../../design/Rows.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { FloatState } from '../../format/FloatState.tsx';
import { OperatorState } from '../../format/OperatorState.tsx';
import { Results } from '../../format/Results.tsx';
import { Time } from '../../format/Time.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';

const EVERY_MS = 5_000;

/** One operator: whether it can be used, our float with it, and its results. */
export function Operator() {
  const { code } = useParams({ from: '/shell/operators/$code' });
  const operator = useQuery({
    queryKey: ['operator', code],
    queryFn: ({ signal }) =>
      get<OperatorView>(`/operators/${encodeURIComponent(code)}`, {}, signal),
    refetchInterval: EVERY_MS,
  });
  if (operator.data !== undefined) return <Shown operator={operator.data} />;
  if (operator.isError) {
    return <PageProblem error={operator.error} onRetry={() => void operator.refetch()} />;
  }
  return <Skeleton lines={12} />;
}

function Shown({ operator }: { readonly operator: OperatorView }) {
  return (
    <>
      <PageHeader
        back={
          <Link to="/operators">
            <Trans>Operators</Trans>
          </Link>
        }
        title={
          <>
            {operator.name} <OperatorState operator={operator} />
          </>
        }
        about={operator.operator}
      />
      {operator.blocked.length > 0 && (
        <Notice tone="waiting">
          {operator.blocked.map(({ biller, obstacle }) => (
            <p key={biller}>
              {biller}: {obstacle}
            </p>
          ))}
        </Notice>
      )}
      <Columns>
        <Stack>
          <Results sums={operator.last_hour} intervals={operator.intervals} />
        </Stack>
        <Stack>
          <Float code={operator.operator} float={operator.float} />
          <BillersOf operator={operator} />
          <About operator={operator} />
        </Stack>
      </Columns>
    </>
  );
}

function Float({ code, float }: { readonly code: string; readonly float: FloatView | null }) {
  const { t } = useLingui();
  const seesBooks = useMay('finance.read');
  const { duration } = useFigures();
  const amount = (value: string | null) =>
    value === null ? t`not set` : <Money amount={value} currency />;
  return (
    <Card
      title={<Trans>Our float</Trans>}
      more={float !== null && <FloatState state={float.state} />}
    >
      <Facts
        facts={
          float === null
            ? [{ name: t`Balance`, value: t`not reported yet` }]
            : [
                {
                  name: t`Balance`,
                  value: float.balance === null ? t`not reported yet` : amount(float.balance),
                },
                {
                  name: t`Reported`,
                  value: float.polled_at === null ? '–' : <Time at={float.polled_at} />,
                },
                {
                  name: t`Lasts`,
                  value:
                    float.hours_left === null ? t`not known` : duration(float.hours_left * 3600),
                },
                { name: t`Alert below`, value: amount(float.low) },
                { name: t`Stop at`, value: amount(float.stop) },
                { name: t`Use again from`, value: amount(float.resume) },
              ]
        }
      />
      {seesBooks && (
        <Facts
          facts={[
            {
              name: t`In our books`,
              value: (
                <Link to="/operators/$code/account-statement" params={{ code }}>
                  <Trans>Statement</Trans>
                </Link>
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}

function BillersOf({ operator: { billers, blocked } }: { readonly operator: OperatorView }) {
  const obstacles = new Map(blocked.map(({ biller, obstacle }) => [biller, obstacle]));
  return (
    <Card title={<Trans>Billers</Trans>}>
      <Rows
        empty={<Trans>No biller has a route through it.</Trans>}
        rows={billers.map((code) => ({
          key: code,
          title: (
            <Link to="/billers/$code" params={{ code }}>
              {code}
            </Link>
          ),
          value: obstacles.get(code) ?? <Trans>usable</Trans>,
        }))}
      />
    </Card>
  );
}

function About({ operator }: { readonly operator: OperatorView }) {
  const { t } = useLingui();
  const { count } = useFigures();
  return (
    <Card title={<Trans>About</Trans>}>
      <Facts
        facts={[
          { name: t`Protocol`, value: operator.connector },
          { name: t`Calls at once`, value: count(operator.max_concurrency) },
          {
            name: t`Per second`,
            value: operator.max_per_second === null ? t`no limit` : count(operator.max_per_second),
          },
          { name: t`Without a result`, value: count(operator.open_instructions) },
        ]}
      />
    </Card>
  );
}
