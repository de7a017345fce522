import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { QuarantineAnswer } from '../../../../src/staff/quarantine.ts';
import { get, send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Rows } from '../../design/Rows.tsx';
import { Time } from '../../format/Time.tsx';
import { useWaits } from '../approvals/approval-texts.ts';
import { EVENT_NAMES } from './check-texts.ts';

const EVERY_MS = 15_000;

const useQuarantine = () =>
  useQuery({
    queryKey: ['system', 'quarantine'],
    queryFn: ({ signal }) => get<QuarantineAnswer>('/quarantine', {}, signal),
    refetchInterval: EVERY_MS,
  });

/** Every quarantine until now. */
export function Quarantines() {
  const { i18n } = useLingui();
  const { data } = useQuarantine();
  return (
    <Card title={<Trans>Quarantines</Trans>}>
      <Rows
        empty={data !== undefined && <Trans>Never in quarantine.</Trans>}
        rows={(data?.events ?? []).map(({ at, action, actor }, index) => ({
          key: String(index),
          title: i18n._(EVENT_NAMES[action]),
          value: <Time at={at} />,
          note: actor,
        }))}
      />
    </Card>
  );
}

/** Why nothing is sent, what it waits for, and its end by two people. */
export function Quarantine() {
  const { t } = useLingui();
  const { data, isError, error, refetch } = useQuarantine();
  if (isError) return <Problem error={error} onRetry={() => void refetch()} />;
  const { quarantine = null } = data ?? {};
  if (quarantine === null) return null;
  const { operators, proposal } = quarantine;
  const missing = operators.filter(({ covered }) => !covered).map(({ operator }) => operator);
  return (
    <Card title={<Trans>In quarantine: nothing is sent</Trans>} more={<End missing={missing} />}>
      <Facts
        facts={[
          { name: t`Since`, value: <Time at={quarantine.entered_at} /> },
          {
            name: t`May be missing from the ledger`,
            value: (
              <>
                <Time at={quarantine.lost_from} /> – <Time at={quarantine.lost_until} />
              </>
            ),
          },
          { name: t`Reason`, value: quarantine.reason },
          {
            name: t`Nothing seems to be missing`,
            value: quarantine.seems_complete ? (
              <>
                <code>malipo quarantine confirm</code>
                {quarantine.unconfirmed.length > 0 && (
                  <p>
                    <Trans>
                      Not confirmed by:{' '}
                      {quarantine.unconfirmed.map(({ process }) => process).join(', ')}
                    </Trans>
                  </p>
                )}
              </>
            ) : null,
          },
          {
            name: t`Statements missing`,
            value: missing.length === 0 ? t`none: it can be ended` : missing.join(', '),
          },
          {
            name: t`Proposal`,
            value: proposal && (
              <Trans>
                {proposal.by} proposes to end it without statements: {proposal.reason}
              </Trans>
            ),
          },
        ]}
      />
    </Card>
  );
}

function End({ missing }: { readonly missing: readonly string[] }) {
  // Fixed while the dialog is open.
  const [asked, setAsked] = useState<readonly string[]>();
  if (!useMay('system.act')) return null;
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(missing)}>
        {missing.length > 0 ? <Trans>Propose its end</Trans> : <Trans>End it</Trans>}
      </Button>
      {asked !== undefined && <EndDialog missing={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function EndDialog({
  missing,
  onClose,
}: {
  readonly missing: readonly string[];
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const waits = useWaits();
  const queries = useQueryClient();
  const isForced = missing.length > 0;
  const end = async ({ reason }: Readonly<Record<string, string>>): Promise<void> => {
    await send('POST', `/quarantine/${isForced ? 'propose' : 'release'}`, { reason });
    await queries.invalidateQueries({ queryKey: ['system'] });
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
  return (
    <ConfirmDialog
      title={<Trans>End the quarantine</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Continue</Trans>}
      kind="danger"
      done={isForced ? waits : t`It is noted.`}
      isFinal={!isForced}
      onConfirm={end}
    >
      <p>
        {isForced ? (
          <Trans>
            The statements of {missing.join(', ')} are missing. Without them customers may be
            charged twice, so another person has to approve it.
          </Trans>
        ) : (
          <Trans>All statements are there. Payments are sent again at once.</Trans>
        )}
      </p>
    </ConfirmDialog>
  );
}
