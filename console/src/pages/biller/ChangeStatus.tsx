import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BillerView } from '../../../../src/staff/billers.ts';
import { send } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Select } from '../../design/Select.tsx';

/** Takes a biller offline, with a reason and an end, or sets it online. */
export function ChangeStatus({ biller }: { readonly biller: BillerView }) {
  // Fixed when it is asked: a colleague may change the status while the dialog is open.
  const [asked, setAsked] = useState<'online' | 'offline'>();
  const isOffline = biller.set_status === 'OFFLINE';
  const dialog = { biller, onOpenChange: () => setAsked(undefined) };
  return (
    <>
      <Button
        kind={isOffline ? 'primary' : 'danger'}
        onClick={() => setAsked(isOffline ? 'online' : 'offline')}
      >
        {isOffline ? <Trans>Set online</Trans> : <Trans>Take offline</Trans>}
      </Button>
      <AskOnline {...dialog} open={asked === 'online'} />
      <AskOffline {...dialog} open={asked === 'offline'} />
    </>
  );
}

interface Ask {
  readonly biller: BillerView;
  readonly open: boolean;
  readonly onOpenChange: () => void;
}

function AskOnline({ biller, ...dialog }: Ask) {
  const { t } = useLingui();
  const change = useChange(biller.biller);
  const { name } = biller;
  return (
    <ConfirmDialog
      {...dialog}
      title={<Trans>Set {name} online</Trans>}
      confirm={<Trans>Set online</Trans>}
      done={t`${name} is set online.`}
      isFinal
      onConfirm={({ reason }) => change('ONLINE', { reason })}
    >
      <p>
        <Trans>Payments are accepted again, and those that wait are sent.</Trans>
      </p>
    </ConfirmDialog>
  );
}

function AskOffline({ biller, ...dialog }: Ask) {
  const { t } = useLingui();
  const change = useChange(biller.biller);
  const { name } = biller;
  return (
    <ConfirmDialog
      {...dialog}
      title={<Trans>Take {name} offline</Trans>}
      confirm={<Trans>Take offline</Trans>}
      kind="danger"
      done={t`${name} is offline.`}
      undo={(reason) => ({
        run: () => change('ONLINE', { reason }),
        done: t`${name} is set online.`,
      })}
      onConfirm={({ reason, minutes }) => change('OFFLINE', { reason, ...untilOf(minutes) })}
    >
      <p>
        <Trans>
          New payments are refused, and queued ones wait. Payments that were sent are still
          verified.
        </Trans>
      </p>
      <Select
        label={t`For how long`}
        name="minutes"
        options={{
          '30': t`30 minutes`,
          '60': t`1 hour`,
          '240': t`4 hours`,
          '1440': t`1 day`,
          '': t`Until somebody sets it online`,
        }}
      />
    </ConfirmDialog>
  );
}

function useChange(code: string) {
  const queries = useQueryClient();
  return async (
    status: 'OFFLINE' | 'ONLINE',
    body: { readonly reason?: string | undefined; readonly until?: string },
  ): Promise<void> => {
    await send('POST', `/billers/${encodeURIComponent(code)}/status`, { status, ...body });
    await queries.invalidateQueries({ queryKey: ['biller', code] });
    await queries.invalidateQueries({ queryKey: ['billers'] });
  };
}

function untilOf(minutes: string | undefined): { readonly until?: string } {
  if (minutes === undefined) return {};
  return { until: new Date(Date.now() + Number(minutes) * 60_000).toISOString() };
}
