import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { CheckedRow, FileChecked } from '../../../../src/staff/bulk-schema.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Table } from '../../design/Table.tsx';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';
import { readableMoney } from '../../format/money.ts';
import styles from './Bulk.module.css';

/** What each row of a file would do. */
export function Checked({
  answer,
  onSubmit,
}: {
  readonly answer: FileChecked;
  readonly onSubmit: () => void;
}) {
  const { t } = useLingui();
  const { count } = useFigures();
  const mayPay = useMay('payments.create');
  const { rows, right, wrong, repeated, total, fee, float, shown } = answer;
  const isEnough = answer.is_enough;
  const left = count(rows - shown.length);
  return (
    <>
      <div className={styles['upload']}>
        <Tiles>
          <Tile label={t`Rows`} value={count(rows)} />
          <Tile label={t`Right`} value={count(right)} />
          <Tile label={t`Wrong`} value={count(wrong)} tone={wrong > 0 ? 'alert' : undefined} />
          <Tile
            label={t`Repeated`}
            value={count(repeated)}
            tone={repeated > 0 ? 'alert' : undefined}
            note={t`not paid again`}
          />
          <Tile
            label={t`Total`}
            value={<Money amount={total} currency />}
            note={t`with fees of KES ${readableMoney(fee)}`}
            tone={isEnough ? undefined : 'alert'}
          />
        </Tiles>
        {!isEnough && (
          <Notice tone="alert">
            <Trans>
              The float is too low: it has KES {readableMoney(float)}. Rows are paid in order, and
              rows that it does not cover are refused.
            </Trans>
          </Notice>
        )}
      </div>
      <Rows rows={shown} />
      {shown.length < rows && (
        <p className={styles['left']}>
          <Trans>{left} more rows are right and not shown.</Trans>
        </p>
      )}
      <div className={styles['actions']}>
        <Button kind="primary" disabled={!mayPay || right === 0} onClick={onSubmit}>
          <Trans>Submit the file</Trans>
        </Button>
      </div>
    </>
  );
}

function Rows({ rows }: { readonly rows: readonly CheckedRow[] }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Rows of the file`}
      rows={rows}
      keyOf={({ row }) => String(row)}
      empty={t`The file has no rows.`}
      columns={[
        { title: t`Row`, cell: ({ row }) => row, align: 'end' },
        { title: t`State`, cell: (row) => <RowState row={row} /> },
        {
          title: t`Problem`,
          cell: ({ problem, repeats }) => problem?.text ?? <Repeats repeats={repeats} />,
        },
        { title: t`Biller`, cell: ({ biller }) => biller ?? '', hide: 'small' },
        { title: t`Account`, cell: ({ account }) => account ?? '', hide: 'small' },
        {
          title: t`Amount`,
          cell: ({ amount }) => amount !== null && <Money amount={amount} />,
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Reference`,
          cell: ({ merchant_reference }) => merchant_reference ?? '',
          hide: 'small',
        },
      ]}
    />
  );
}

function RowState({ row: { problem, repeats } }: { readonly row: CheckedRow }) {
  const { t } = useLingui();
  if (problem !== null) return <Pill tone="alert">{t`Wrong`}</Pill>;
  if (repeats !== null) return <Pill tone="waiting">{t`Repeated`}</Pill>;
  return <Pill tone="done">{t`Right`}</Pill>;
}

function Repeats({ repeats }: { readonly repeats: CheckedRow['repeats'] }) {
  if (repeats === null) return null;
  const { reference, row } = repeats;
  if (reference === null) {
    return <Trans>The same payment as row {row}: paid once</Trans>;
  }
  return (
    <Trans>
      The same payment as{' '}
      <Link to="/payments/$reference" params={{ reference }}>
        {reference}
      </Link>
      : not paid again
    </Trans>
  );
}
