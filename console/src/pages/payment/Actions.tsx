import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PaymentDetail } from '../../../../src/staff/payment-schema.ts';
import type { CaseView } from '../../../../src/staff/case-schema.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';

type Action = 'verify' | 'resend' | 'case';

/** The actions that this person may take on the payment now. */
export function Actions({ payment }: { readonly payment: PaymentDetail }) {
  const [asked, setAsked] = useState<Action>();
  const mayAct = useMay('payments.act');
  const mayOpenCase = useMay('cases.act') && !payment.archived;
  const { status, timeline } = payment;
  const wasTold = timeline.some(({ kind }) => kind === 'event');
  const isFinal = status === 'SUCCESS' || status === 'FAILED';
  return (
    <>
      {mayAct && wasTold && (
        <Button onClick={() => setAsked('resend')}>
          <Trans>Send webhook again</Trans>
        </Button>
      )}
      {mayOpenCase && (
        <Button onClick={() => setAsked('case')}>
          {isFinal ? <Trans>Refund or correct</Trans> : <Trans>Resolve with evidence</Trans>}
        </Button>
      )}
      {mayAct && status === 'PENDING' && (
        <Button kind="primary" onClick={() => setAsked('verify')}>
          <Trans>Ask the operator now</Trans>
        </Button>
      )}
      <Dialogs payment={payment} asked={asked} onClose={() => setAsked(undefined)} />
    </>
  );
}

function Dialogs({
  payment,
  asked,
  onClose,
}: {
  readonly payment: PaymentDetail;
  readonly asked: Action | undefined;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const path = `/payments/${payment.reference}`;
  const act = async (action: string, fields: object): Promise<void> => {
    await send('POST', `${path}/${action}`, fields);
    await queries.invalidateQueries({ queryKey: ['payment', payment.reference] });
  };
  const onOpenChange = (isOpen: boolean): void => {
    if (!isOpen) onClose();
  };
  return (
    <>
      <ConfirmDialog
        title={<Trans>Ask the operator now</Trans>}
        open={asked === 'verify'}
        onOpenChange={onOpenChange}
        confirm={<Trans>Ask now</Trans>}
        done={t`The operator is being asked.`}
        onConfirm={(fields) => act('verify', fields)}
      >
        <p>
          <Trans>A status query pays nothing. Its answer appears here.</Trans>
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        title={<Trans>Send the webhook again</Trans>}
        open={asked === 'resend'}
        onOpenChange={onOpenChange}
        confirm={<Trans>Send again</Trans>}
        done={t`The events will be sent again.`}
        isFinal
        onConfirm={(fields) => act('resend', fields)}
      >
        <p>
          <Trans>The vendor gets the events of this payment again, with the same ids.</Trans>
        </p>
      </ConfirmDialog>
      <CaseDialog payment={payment} isOpen={asked === 'case'} onOpenChange={onOpenChange} />
    </>
  );
}

function CaseDialog({
  payment,
  isOpen,
  onOpenChange,
}: {
  readonly payment: PaymentDetail;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}) {
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={<Trans>Open a case</Trans>}
      open={isOpen}
      onOpenChange={onOpenChange}
      confirm={<Trans>Open the case</Trans>}
      onConfirm={async (fields) => {
        const { reference } = payment;
        const opened = await send<CaseView>('POST', '/cases', { ...fields, reference });
        await navigate({ to: '/cases/$caseId', params: { caseId: opened.case } });
      }}
    >
      <p>
        <Trans>
          A case changes nothing by itself. You or a colleague propose a resolution with evidence,
          and another person approves it.
        </Trans>
      </p>
      {payment.timeline.some(({ kind }) => kind === 'case') && (
        <p>
          <Trans>There are cases about this payment already; see what happened.</Trans>
        </p>
      )}
    </ConfirmDialog>
  );
}
