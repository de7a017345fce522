import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { JobView } from '../../../../src/staff/job-schema.ts';
import { get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Time } from '../../format/Time.tsx';
import { JobState, Progress, useJobName } from './job-texts.tsx';
import { Result } from './Result.tsx';

const EVERY_MS = 2_000;

/** One job: how far it has come, and its result or error. */
export function Job() {
  const { job } = useParams({ from: '/shell/jobs/$job' });
  const found = useQuery({
    queryKey: ['jobs', job],
    queryFn: ({ signal }) => get<JobView>(`/jobs/${encodeURIComponent(job)}`, {}, signal),
    refetchInterval: ({ state }) => state.data?.state === 'running' && EVERY_MS,
  });
  if (found.data !== undefined) return <Shown job={found.data} />;
  if (found.isError)
    return <PageProblem error={found.error} onRetry={() => void found.refetch()} />;
  return <Skeleton lines={8} />;
}

function Shown({ job }: { readonly job: JobView }) {
  const { t } = useLingui();
  const nameOf = useJobName();
  const { ended_at: endedAt } = job;
  return (
    <>
      <PageHeader
        back={
          <Link to="/jobs">
            <Trans>Jobs</Trans>
          </Link>
        }
        title={
          <>
            {nameOf(job.name)} <JobState state={job.state} />
          </>
        }
      />
      <Card title={<Trans>Progress</Trans>}>
        <Facts
          facts={[
            { name: t`Done so far`, value: <Progress progress={job.progress} /> },
            { name: t`Begun`, value: <Time at={job.started_at} /> },
            { name: t`By`, value: job.started_by },
            { name: t`Ended`, value: endedAt && <Time at={endedAt} /> },
            { name: t`Error`, value: job.error },
          ]}
        />
      </Card>
      {job.result !== null && <Result result={job.result} />}
    </>
  );
}
