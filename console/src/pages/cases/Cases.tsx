import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { CaseView } from '../../../../src/staff/case-schema.ts';
import type { CaseList as Answer } from '../../../../src/staff/cases.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { Empty } from '../../design/Empty.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Age, secondsSince } from '../../format/Age.tsx';
import { Money } from '../../format/Money.tsx';
import { KIND_NAMES } from './case-texts.ts';
import styles from './Cases.module.css';
import type { CaseFilter } from './filter.ts';

const EVERY_MS = 15_000;
/** Then the filter has to be narrower. */
const MAX_LISTED = '200';

/** What people have to decide, oldest first. */
export function Cases() {
  const { t } = useLingui();
  const filter: CaseFilter = useSearch({ from: '/shell/cases' });
  const list = useQuery({
    queryKey: ['cases', filter],
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
    queryFn: ({ signal }) => get<Answer>('/cases', { limit: MAX_LISTED, ...filter }, signal),
  });
  return (
    <>
      <PageHeader
        title={<Trans>Cases</Trans>}
        about={
          <Trans>Contradictions that people decide: one proposes, another one approves.</Trans>
        }
      />
      <Ageing answer={list.data} />
      <Filter filter={filter} />
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Card
          title={filter.state === 'resolved' ? t`Last resolved first` : t`Oldest first`}
          more={
            typeof list.data?.next === 'string' && <Trans>There are more: narrow the filter.</Trans>
          }
        >
          {list.data === undefined ? <Skeleton lines={8} /> : <CaseList cases={list.data.cases} />}
        </Card>
      )}
    </>
  );
}

/** How many of each kind are open, and since when. */
function Ageing({ answer }: { readonly answer: Answer | undefined }) {
  const { i18n } = useLingui();
  if (answer === undefined || answer.open.length === 0) return null;
  return (
    <ul className={styles['tiles']}>
      {answer.open
        .toSorted((one, other) => other.oldest_seconds - one.oldest_seconds)
        .map(({ kind, count, oldest_seconds: seconds }) => (
          <li key={kind}>
            <Link to="/cases" search={{ kind }}>
              <b>{count}</b>
              <span>{i18n._(KIND_NAMES[kind])}</span>
              <small>
                <Trans>
                  oldest <Age seconds={seconds} />
                </Trans>
              </small>
            </Link>
          </li>
        ))}
    </ul>
  );
}

function Filter({ filter }: { readonly filter: CaseFilter }) {
  const { t, i18n } = useLingui();
  const navigate = useNavigate();
  const change = (name: keyof CaseFilter, value: string): void => {
    const { [name]: _, ...others } = filter;
    const search = value === '' ? others : { ...others, [name]: value };
    void navigate({ to: '/cases', search });
  };
  const kinds = Object.entries(KIND_NAMES).map(([kind, name]) => [kind, i18n._(name)]);
  return (
    <div className={styles['filters']}>
      <Select
        label={t`State`}
        value={filter.state ?? ''}
        onChange={(event) => change('state', event.target.value)}
        options={{
          '': t`All open`,
          proposed: t`Waiting for approval`,
          resolved: t`Resolved`,
        }}
      />
      <Select
        label={t`Kind`}
        value={filter.kind ?? ''}
        onChange={(event) => change('kind', event.target.value)}
        options={Object.fromEntries([['', t`Any`], ...kinds])}
      />
      {(['vid', 'operator'] as const).map((name) => {
        const value = filter[name];
        if (value === undefined) return null;
        return (
          <button key={name} type="button" onClick={() => change(name, '')}>
            {value} ×
          </button>
        );
      })}
    </div>
  );
}

export function CaseList({ cases }: { readonly cases: readonly CaseView[] }) {
  const { t, i18n } = useLingui();
  if (cases.length === 0) {
    return (
      <Empty title={<Trans>No case</Trans>}>
        <Trans>Nothing waits for a decision here.</Trans>
      </Empty>
    );
  }
  return (
    <Table
      label={t`Cases`}
      rows={cases}
      keyOf={(row) => row.case}
      empty=""
      columns={[
        {
          title: t`Case`,
          cell: (row) => (
            <Link to="/cases/$caseId" params={{ caseId: row.case }}>
              {i18n._(KIND_NAMES[row.kind])}
            </Link>
          ),
        },
        { title: t`Age`, cell: (row) => <Age seconds={secondsSince(row.opened_at)} /> },
        {
          title: t`Vendor`,
          cell: ({ vid }) =>
            vid === null ? (
              <Trans>our own</Trans>
            ) : (
              <Link to="/cases" search={{ vid }}>
                {vid}
              </Link>
            ),
          hide: 'small',
        },
        {
          title: t`Operator`,
          cell: ({ operator }) =>
            operator !== null && (
              <Link to="/cases" search={{ operator }}>
                {operator}
              </Link>
            ),
          hide: 'small',
        },
        {
          title: t`KES`,
          cell: ({ amount }) => amount !== null && <Money amount={amount} />,
          align: 'end',
          hide: 'small',
        },
        { title: t`State`, cell: (row) => <CaseState row={row} /> },
      ]}
    />
  );
}

export function CaseState({ row: { state } }: { readonly row: Pick<CaseView, 'state'> }) {
  if (state === 'resolved') {
    return (
      <Pill tone="done">
        <Trans>Resolved</Trans>
      </Pill>
    );
  }
  return state === 'open' ? (
    <Pill tone="alert">
      <Trans>Open</Trans>
    </Pill>
  ) : (
    <Pill tone="waiting">
      <Trans>To approve</Trans>
    </Pill>
  );
}
