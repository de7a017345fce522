import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ConfigurationAnswer } from '../../../../src/staff/system.ts';
import { get } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Rows } from '../../design/Rows.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';

/** The environment of the process that answers. Secrets are not sent to the browser. */
export function Configuration() {
  const configuration = useQuery({
    queryKey: ['configuration'],
    queryFn: ({ signal }) => get<ConfigurationAnswer>('/system/configuration', {}, signal),
  });
  return (
    <>
      <PageHeader
        back={
          <Link to="/system">
            <Trans>System</Trans>
          </Link>
        }
        title={<Trans>Configuration</Trans>}
        about={
          <Trans>
            The configuration of the process that shows this page. To change it, change the
            environment and restart the process.
          </Trans>
        }
      />
      {configuration.isError && (
        <Problem error={configuration.error} onRetry={() => void configuration.refetch()} />
      )}
      <Card title={<Trans>Environment variables</Trans>}>
        {configuration.isPending ? (
          <Skeleton lines={12} />
        ) : (
          <Rows
            empty=""
            rows={(configuration.data?.variables ?? []).map((variable) => ({
              key: variable.name,
              title: <code>{variable.name}</code>,
              value: <Value of={variable} />,
              note: variable.description.replaceAll('`', ''),
            }))}
          />
        )}
      </Card>
    </>
  );
}

function Value({
  of: { value, is_set: isSet, is_secret: isSecret },
}: {
  readonly of: ConfigurationAnswer['variables'][number];
}) {
  const { t } = useLingui();
  if (isSecret) {
    return <Pill tone={isSet ? 'done' : 'info'}>{isSet ? t`Set, secret` : t`Not set`}</Pill>;
  }
  if (value === null || value === '') return <Pill tone="info">{t`Not set`}</Pill>;
  return (
    <>
      <code>{value}</code> {!isSet && t`(default)`}
    </>
  );
}
