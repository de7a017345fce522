import { Trans, useLingui } from '@lingui/react/macro';
import { useRouter, useSearch } from '@tanstack/react-router';
import type { AuditAnswer, AuditView } from '../../../../src/staff/audit.ts';
import { usePages } from '../../api/pages.ts';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { FileLinks } from '../../design/FileLinks.tsx';
import { Filters } from '../../design/Filters.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Audit.module.css';

/** Who did what, when, why and from where. */
export function Audit() {
  const filter = useSearch({ from: '/shell/audit' });
  const list = usePages<AuditAnswer>(['audit'], '/audit', filter);
  return (
    <>
      <PageHeader
        title={<Trans>Audit log</Trans>}
        about={<Trans>Every sign-in and every action. Nobody can change or delete entries.</Trans>}
      >
        <FileLinks path="/audit" query={{ ...filter }} />
      </PageHeader>
      <Filter key={JSON.stringify(filter)} />
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>Newest first</Trans>}>
        {list.isPending ? (
          <Skeleton lines={10} />
        ) : (
          <Entries entries={list.data?.pages.flatMap((page) => page.entries) ?? []} />
        )}
      </Card>
      <More list={list}>
        <Trans>Show older entries</Trans>
      </More>
    </>
  );
}

function Filter() {
  const { t } = useLingui();
  const filter = useSearch({ from: '/shell/audit' });
  const router = useRouter();
  return (
    <Filters onFilter={(search) => void router.navigate({ to: '/audit', search })}>
      <Field
        label={t`Who`}
        name="login"
        defaultValue={filter.login}
        placeholder="asha@pay.example"
      />
      <Field
        label={t`Action`}
        name="action"
        defaultValue={filter.action}
        placeholder="biller.offline"
      />
      <Field label={t`Object`} name="target" defaultValue={filter.target} />
      <Field label={t`From`} name="from" type="date" defaultValue={filter.from} />
      <Field label={t`To`} name="to" type="date" defaultValue={filter.to} />
    </Filters>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditView[] }) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Audit log`}
      rows={entries}
      keyOf={(entry) => entry.audit_id}
      empty={t`No entry matches.`}
      columns={[
        { title: t`When`, cell: ({ at }) => <Time at={at} /> },
        {
          title: t`Who`,
          cell: ({ login, token }) => (token === null ? login : `${login} (${token})`),
        },
        { title: t`Action`, cell: (entry) => <What entry={entry} /> },
        { title: t`Reason`, cell: ({ reason }) => reason ?? '', hide: 'small' },
        { title: t`Result`, cell: ({ result }) => <Result result={result} />, hide: 'small' },
        { title: t`From`, cell: ({ address }) => address, hide: 'small' },
      ]}
    />
  );
}

function What({ entry: { action, target, before, after, filter } }: { readonly entry: AuditView }) {
  const hasChange = before !== null || after !== null || filter !== null;
  return (
    <>
      {action} {target}
      {hasChange && (
        <details className={styles['change']}>
          <summary>
            <Trans>Details</Trans>
          </summary>
          {filter !== null && <code>? {JSON.stringify(filter)}</code>}
          {before !== null && <code>− {JSON.stringify(before)}</code>}
          {after !== null && <code>+ {JSON.stringify(after)}</code>}
        </details>
      )}
    </>
  );
}

function Result({ result }: { readonly result: AuditView['result'] }) {
  const { t } = useLingui();
  switch (result) {
    case 'done':
      return <Pill tone="done">{t`Done`}</Pill>;
    case 'refused':
      return <Pill tone="waiting">{t`Refused`}</Pill>;
    case 'failed':
      return <Pill tone="alert">{t`Failed`}</Pill>;
    case null:
      return <Pill tone="alert">{t`Interrupted`}</Pill>;
  }
}
