import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type {
  BookStatementAnswer,
  BookStatementLine,
} from '../../../../src/console/finance-answers.ts';
import { More } from '../../design/More.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Rows } from '../../design/Rows.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import type { Column } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Statement.module.css';
import { useMovementNames } from './movement-names.ts';
import { References } from './References.tsx';
import type { StatementList } from './statement-query.ts';

/** Opening, what moved, closing; and every line. */
export function Statement({ list }: { readonly list: StatementList }) {
  if (list.isError && list.data === undefined) {
    return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  }
  const head = list.data?.pages[0]?.head;
  if (list.data === undefined || head === null || head === undefined)
    return <Skeleton lines={12} />;
  return (
    <>
      <Summary head={head} />
      {head.endsEarly && (
        <p className={styles['count']}>
          <Trans>
            Complete up to <Time at={head.to} />. Later movements may still be recorded.
          </Trans>
        </p>
      )}
      <Lines head={head} lines={list.data.pages.flatMap(({ lines }) => lines)} />
      {list.isError && <Problem error={list.error} onRetry={() => void list.fetchNextPage()} />}
      <More list={list} className={styles['more']}>
        <Trans>Show later movements</Trans>
      </More>
    </>
  );
}

type Head = NonNullable<BookStatementAnswer['head']>;

/** Opening and movements, which sum to the closing balance. */
function Summary({ head }: { readonly head: Head }) {
  const { t } = useLingui();
  const { count } = useFigures();
  const names = useMovementNames();
  const order = Object.keys(names);
  const moved = head.movements
    .filter(({ change }) => Number(change) !== 0)
    .toSorted((one, other) => order.indexOf(one.movement) - order.indexOf(other.movement));
  return (
    <div className={styles['summary']}>
      <Rows
        empty={null}
        rows={[
          {
            key: 'opening',
            title: <Trans>Opening balance</Trans>,
            value: <Money amount={head.opening} currency />,
            ...floatNote(head.openingFloat),
          },
          ...moved.map((sum) => ({
            key: sum.movement,
            title: t`${names[sum.movement] ?? sum.movement} (${count(sum.count)})`,
            value: <Money amount={sum.change} />,
          })),
          {
            key: 'closing',
            title: <Trans>Closing balance</Trans>,
            value: <Money amount={head.closing} currency />,
            ...floatNote(head.closingFloat),
          },
        ]}
      />
    </div>
  );
}

/** How much of a vendor's money is in its float. */
function floatNote(amount: string | null) {
  if (amount === null) return {};
  return {
    note: (
      <Trans>
        of it in the float: <Money amount={amount} />
      </Trans>
    ),
  };
}

const column = (
  title: string,
  cell: Column<BookStatementLine>['cell'],
  more: Partial<Column<BookStatementLine>> = {},
): Column<BookStatementLine> => ({ title, cell, ...more });

function Lines({
  head,
  lines,
}: {
  readonly head: Head;
  readonly lines: readonly BookStatementLine[];
}) {
  const { t } = useLingui();
  const { count } = useFigures();
  const names = useMovementNames();
  const isVendors = head.openingFloat !== null;
  return (
    <>
      <Table
        label={t`Movements`}
        rows={lines}
        keyOf={({ id }) => id}
        empty={t`Nothing moved in this period.`}
        columns={[
          column(t`When`, ({ at }) => <Time at={at} />),
          ...(isVendors ? [] : [column(t`Vendor`, ({ vid }) => vid ?? '–', { hide: 'small' })]),
          column(t`What`, ({ movement, reference, isPayment, caseId }) => {
            const name = names[movement] ?? movement;
            if (reference === null || !(isPayment || caseId !== null)) return name;
            return (
              <Link to="/payments/$reference" params={{ reference }}>
                {name}
              </Link>
            );
          }),
          column(t`References`, (line) => <References line={line} />, { hide: 'small' }),
          column(t`Amount`, ({ amount }) => <Money amount={amount} />, {
            align: 'end',
            hide: 'small',
          }),
          column(t`Change`, ({ change }) => Number(change) !== 0 && <Money amount={change} />, {
            align: 'end',
          }),
          column(t`Balance`, ({ balance }) => <Money amount={balance} />, { align: 'end' }),
          ...(isVendors
            ? [
                column(t`Float`, ({ float }) => float !== null && <Money amount={float} />, {
                  align: 'end',
                  hide: 'small',
                }),
              ]
            : []),
        ]}
      />
      {head.count > lines.length && (
        <p className={styles['count']}>
          <Trans>
            {count(lines.length)} of {count(head.count)} movements. The files have all of them.
          </Trans>
        </p>
      )}
    </>
  );
}
