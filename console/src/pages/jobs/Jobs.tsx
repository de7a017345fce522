import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { JobList } from '../../../../src/staff/jobs.ts';
import { usePages } from '../../api/pages.ts';
import { Card } from '../../design/Card.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Time } from '../../format/Time.tsx';
import { JobState, Progress, useJobName } from './job-texts.tsx';

const EVERY_MS = 5_000;

/** Long work that somebody began. */
export function Jobs() {
  const { t } = useLingui();
  const nameOf = useJobName();
  const list = usePages<JobList>(['jobs'], '/jobs', {}, { refetchInterval: EVERY_MS });
  return (
    <>
      <PageHeader
        title={<Trans>Jobs</Trans>}
        about={<Trans>Long work of the last 90 days: how far it has come, and its result.</Trans>}
      />
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>Newest first</Trans>}>
        {list.isPending ? (
          <Skeleton lines={8} />
        ) : (
          <Table
            label={t`Jobs`}
            rows={list.data?.pages.flatMap(({ jobs }) => jobs) ?? []}
            keyOf={({ job }) => job}
            empty={t`Nobody has begun a job.`}
            columns={[
              {
                title: t`Job`,
                cell: ({ job, name }) => (
                  <Link to="/jobs/$job" params={{ job }}>
                    {nameOf(name)}
                  </Link>
                ),
              },
              { title: t`State`, cell: (job) => <JobState state={job.state} /> },
              {
                title: t`Progress`,
                cell: ({ progress }) => <Progress progress={progress} />,
                hide: 'small',
              },
              { title: t`Begun`, cell: (job) => <Time at={job.started_at} />, hide: 'small' },
              { title: t`By`, cell: (job) => job.started_by, hide: 'small' },
            ]}
          />
        )}
      </Card>
      <More list={list}>
        <Trans>Show older ones</Trans>
      </More>
    </>
  );
}
