import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { SystemAnswer } from '../../../../src/staff/system.ts';
import { get } from '../../api/client.ts';
import { PageButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { Columns, Stack } from '../../design/Columns.tsx';
import { Facts } from '../../design/Facts.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Rows } from '../../design/Rows.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Age } from '../../format/Age.tsx';
import { Time } from '../../format/Time.tsx';
import { CHECK_TEXTS } from './check-texts.ts';
import { Quarantine, Quarantines } from './Quarantine.tsx';

const EVERY_MS = 15_000;

/** How the service itself is. */
export function System() {
  const system = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => get<SystemAnswer>('/system', {}, signal),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader
        title={<Trans>System</Trans>}
        about={<Trans>How the service itself is doing, and how it is configured.</Trans>}
      >
        <PageButtonLink to="/jobs">
          <Trans>Jobs</Trans>
        </PageButtonLink>
        <PageButtonLink to="/system/configuration">
          <Trans>Configuration</Trans>
        </PageButtonLink>
      </PageHeader>
      {system.isError && <Problem error={system.error} onRetry={() => void system.refetch()} />}
      {system.data === undefined ? (
        system.isPending && <Skeleton lines={12} />
      ) : (
        <Shown system={system.data} />
      )}
    </>
  );
}

function Shown({ system }: { readonly system: SystemAnswer }) {
  const { t } = useLingui();
  const { process, backup_age_seconds: backupAgeSeconds } = system;
  return (
    <>
      <Quarantine />
      <Columns>
        <Card title={<Trans>Checks</Trans>} more={<Time at={system.at} />}>
          <Checks checks={system.checks} />
        </Card>
        <Stack>
          <Card title={<Trans>This process</Trans>}>
            <Facts
              facts={[
                { name: t`Version`, value: process?.version },
                {
                  name: t`Mode`,
                  value: process?.mode === 'sandbox' ? t`Sandbox` : t`Production`,
                },
                { name: t`Roles`, value: process?.roles.join(', ') },
                { name: t`Running since`, value: process && <Time at={process.started_at} /> },
                {
                  name: t`Last backup`,
                  value:
                    backupAgeSeconds === null ? (
                      t`none by malipo backup`
                    ) : (
                      <Trans>
                        <Age seconds={backupAgeSeconds} /> ago
                      </Trans>
                    ),
                },
              ]}
            />
          </Card>
          <Quarantines />
        </Stack>
      </Columns>
    </>
  );
}

const TONES = { ok: 'done', warning: 'waiting', failed: 'alert' } as const;

function Checks({ checks }: { readonly checks: SystemAnswer['checks'] }) {
  const { t, i18n } = useLingui();
  const states = { ok: t`Good`, warning: t`Look at it`, failed: t`Bad` };
  // What needs somebody comes first.
  const order = ['failed', 'warning', 'ok'];
  const sorted = checks.toSorted(
    (one, other) => order.indexOf(one.state) - order.indexOf(other.state),
  );
  return (
    <Rows
      empty=""
      rows={sorted.map(({ code, state, names, seconds }) => ({
        key: code,
        title: i18n._(CHECK_TEXTS[code].title),
        value: <Pill tone={TONES[state]}>{states[state]}</Pill>,
        note: state !== 'ok' && (
          <>
            {i18n._(CHECK_TEXTS[code].otherwise)}
            {names.length > 0 && ` ${names.join(', ')}.`}
            {seconds !== null && (
              <>
                {' '}
                <Trans>
                  Now: <Age seconds={seconds} />.
                </Trans>
              </>
            )}
          </>
        ),
      }))}
    />
  );
}
