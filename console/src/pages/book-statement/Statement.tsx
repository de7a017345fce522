import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type {
  AccountStatement,
  AccountStatementLine,
} from '../../../../src/staff/account-statements.ts';
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
  const [first] = list.data?.pages ?? [];
  const { head = null } = first ?? {};
  if (list.data === undefined || first === undefined || head === null)
    return <Skeleton lines={12} />;
  return (
    <>
      <Summary head={head} opening={first.opening} closing={first.closing} />
      {head.ends_early && (
        <p className={styles['count']}>
          <Trans>
            Complete up to <Time at={head.to} />. Later movements may still be recorded.
          </Trans>
        </p>
      )}
      <Lines
        first={first}
        lines={list.data.pages.flatMap<AccountStatementLine>(({ lines }) => lines)}
      />
      {list.isError && <Problem error={list.error} onRetry={() => void list.fetchNextPage()} />}
      <More list={list} className={styles['more']}>
        <Trans>Show later movements</Trans>
      </More>
    </>
  );
}

type Head = NonNullable<AccountStatement['head']>;
type Edge = AccountStatement['opening'];

/** Opening and movements, which sum to the closing balance. */
function Summary({
  head,
  opening,
  closing,
}: {
  readonly head: Head;
  readonly opening: Edge;
  readonly closing: Edge;
}) {
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
            value: opening && <Money amount={opening.balance} currency />,
            ...floatNote(opening),
          },
          ...moved.map((sum) => ({
            key: sum.movement,
            title: t`${names[sum.movement] ?? sum.movement} (${count(sum.count)})`,
            value: <Money amount={sum.change} />,
          })),
          {
            key: 'closing',
            title: <Trans>Closing balance</Trans>,
            value: closing && <Money amount={closing.balance} currency />,
            ...floatNote(closing),
          },
        ]}
      />
    </div>
  );
}

/** How much of a vendor's money is in its float. */
function floatNote(edge: Edge) {
  if (edge === null || !('float' in edge)) return {};
  const amount = edge.float;
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
  cell: Column<AccountStatementLine>['cell'],
  more: Partial<Column<AccountStatementLine>> = {},
): Column<AccountStatementLine> => ({ title, cell, ...more });

function Lines({
  first,
  lines,
}: {
  readonly first: AccountStatement;
  readonly lines: readonly AccountStatementLine[];
}) {
  const { t } = useLingui();
  const names = useMovementNames();
  const isVendors = first.opening !== null && 'float' in first.opening;
  const all = first.count ?? 0;
  return (
    <>
      <Table
        label={t`Movements`}
        rows={lines}
        keyOf={({ id }) => id}
        empty={t`Nothing moved in this period.`}
        columns={[
          column(t`When`, ({ at }) => <Time at={at} />),
          ...(isVendors
            ? []
            : [
                column(t`Vendor`, (line) => ('vid' in line ? (line.vid ?? '–') : null), {
                  hide: 'small',
                }),
              ]),
          column(t`What`, ({ movement, reference, is_payment: isPayment, case: caseId }) => {
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
                column(t`Float`, (line) => 'float' in line && <Money amount={line.float} />, {
                  align: 'end',
                  hide: 'small',
                }),
              ]
            : []),
        ]}
      />
      <Shown count={lines.length} of={all} />
    </>
  );
}

/** How much of a long statement is on the page. */
function Shown({ count: shown, of: all }: { readonly count: number; readonly of: number }) {
  const { count } = useFigures();
  if (all <= shown) return null;
  return (
    <p className={styles['count']}>
      <Trans>
        {count(shown)} of {count(all)} movements. The files have all of them.
      </Trans>
    </p>
  );
}
