import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { CreditImportList, ListedCreditImport } from '../../../../src/staff/credit-imports.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { PageButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Time } from '../../format/Time.tsx';

/** What lenders submitted, and how much of it was accepted. */
export function Imports() {
  const mayImport = useMay('credit.act');
  const list = usePages<CreditImportList>(['credit-imports'], '/credit/imports');
  return (
    <>
      <PageHeader
        title={<Trans>Lenders’ files</Trans>}
        about={<Trans>What lenders submitted to the registry, and what was wrong with it.</Trans>}
      >
        <PageButtonLink to="/jobs">
          <Trans>Jobs</Trans>
        </PageButtonLink>
        {mayImport && (
          <PageButtonLink to="/credit/imports/new">
            <Trans>Import a file</Trans>
          </PageButtonLink>
        )}
      </PageHeader>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>Newest first</Trans>}>
        {list.isPending ? (
          <Skeleton lines={8} />
        ) : (
          <List imports={list.data?.pages.flatMap(({ imports }) => imports) ?? []} />
        )}
      </Card>
      <More list={list}>
        <Trans>Show older ones</Trans>
      </More>
    </>
  );
}

function List({ imports }: { readonly imports: readonly ListedCreditImport[] }) {
  const { t } = useLingui();
  const { count } = useFigures();
  return (
    <Table
      label={t`Lenders’ files`}
      rows={imports}
      keyOf={(row) => row.import}
      empty={t`No file has been imported yet.`}
      columns={[
        {
          title: t`File`,
          cell: ({ import: importId, file }) => (
            <Link to="/credit/imports/$importId" params={{ importId }}>
              {file}
            </Link>
          ),
        },
        { title: t`Lender`, cell: ({ lender }) => lender },
        { title: t`As of`, cell: (row) => row.as_of, hide: 'small' },
        {
          title: t`Records`,
          cell: ({ records }) => count(records),
          align: 'end',
          hide: 'small',
        },
        {
          title: t`Accepted`,
          cell: ({ records, rejected }) => count(records - rejected),
          align: 'end',
          hide: 'small',
        },
        { title: t`Refused`, cell: (row) => <Refused of={row} />, align: 'end' },
        { title: t`Imported by`, cell: ({ by }) => by, hide: 'small' },
        { title: t`When`, cell: (row) => <Time at={row.started_at} />, hide: 'small' },
      ]}
    />
  );
}

function Refused({ of: { rejected, ended_at: finishedAt } }: { readonly of: ListedCreditImport }) {
  const { count } = useFigures();
  if (finishedAt === null) {
    return (
      <Pill tone="waiting">
        <Trans>Not finished</Trans>
      </Pill>
    );
  }
  if (rejected === 0) return count(0);
  return <Pill tone="waiting">{count(rejected)}</Pill>;
}
