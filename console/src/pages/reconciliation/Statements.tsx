import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { StatementView } from '../../../../src/staff/statements.ts';
import { Empty } from '../../design/Empty.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Reconciliation.module.css';

/** Verdicts that need no decision. */
const AGREED: ReadonlySet<string> = new Set([
  'matched',
  'settled',
  'reversed',
  'noted',
  'repeated',
]);

export function Verdicts({ verdicts }: Pick<StatementView, 'verdicts'>) {
  const agreed = sum(verdicts, (verdict) => AGREED.has(verdict));
  const differing = sum(verdicts, (verdict) => !AGREED.has(verdict));
  return (
    <span className={styles['verdicts']}>
      <Pill tone="done">
        <Trans>{agreed} agree</Trans>
      </Pill>
      {differing > 0 && (
        <Pill tone="alert">
          <Trans>{differing} differ</Trans>
        </Pill>
      )}
    </span>
  );
}

function sum(verdicts: StatementView['verdicts'], counts: (verdict: string) => boolean): number {
  return Object.entries(verdicts).reduce(
    (total, [verdict, count]) => total + (counts(verdict) ? count : 0),
    0,
  );
}

/** The statements that touch the day. */
export function Statements({ statements }: { readonly statements: readonly StatementView[] }) {
  const { t } = useLingui();
  if (statements.length === 0) {
    return (
      <Empty title={<Trans>No statement yet</Trans>}>
        <Trans>Import the operators’ files, or have the service pull their movements.</Trans>
      </Empty>
    );
  }
  return (
    <Table
      label={t`Statements`}
      rows={statements}
      keyOf={({ statement }) => statement}
      empty=""
      columns={[
        {
          title: t`Operator`,
          cell: ({ statement, operator }) => (
            <Link to="/statements/$statementId" params={{ statementId: statement }}>
              {operator}
            </Link>
          ),
        },
        { title: t`Lines`, cell: ({ verdicts }) => <Verdicts verdicts={verdicts} /> },
        { title: t`From`, cell: ({ from }) => <Time at={from} />, hide: 'small' },
        { title: t`To`, cell: ({ to }) => <Time at={to} />, hide: 'small' },
        {
          title: t`Opening`,
          cell: ({ opening }) => (opening === null ? '–' : <Money amount={opening} />),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Closing`,
          cell: ({ closing }) => (closing === null ? '–' : <Money amount={closing} />),
          align: 'end',
        },
        {
          title: t`Complete`,
          cell: ({ complete }) => (complete ? t`yes` : t`no`),
          hide: 'small',
        },
      ]}
    />
  );
}
