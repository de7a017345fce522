import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Empty } from '../../design/Empty.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Field } from '../../design/Field.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { QrCode } from '../../design/QrCode.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { TextArea } from '../../design/TextArea.tsx';
import { announce } from '../../design/Toasts.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Design.module.css';

const TONES = ['done', 'waiting', 'alert', 'info'] as const;
const STATUSES = ['SUCCESS', 'PENDING', 'QUEUED', 'FAILED'] as const;
const REFUSED = new ApiError('The biller is offline', {
  status: 409,
  code: 'biller_offline',
  requestId: '01a2b3c4',
});

export function Components() {
  return (
    <>
      <Buttons />
      <Fields />
      <States />
      <Data />
    </>
  );
}

function Buttons() {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Card title={<Trans>Buttons and dialogs</Trans>}>
      <div className={styles['row']}>
        <Button kind="primary" onClick={() => setIsOpen(true)}>
          <Trans>Open a dialog</Trans>
        </Button>
        <Button onClick={() => announce(t`The biller is offline`)}>
          <Trans>Announce</Trans>
        </Button>
        <Button kind="danger">
          <Trans>Take offline</Trans>
        </Button>
        <Button disabled>
          <Trans>Disabled</Trans>
        </Button>
      </div>
      <ConfirmDialog
        title={<Trans>Take offline</Trans>}
        open={isOpen}
        onOpenChange={setIsOpen}
        confirm={<Trans>Take offline</Trans>}
        kind="danger"
        done={t`The biller is offline`}
        onConfirm={async () => {}}
      >
        <p>
          <Trans>New payments to it are refused until it is online again.</Trans>
        </p>
      </ConfirmDialog>
    </Card>
  );
}

function Fields() {
  const { t } = useLingui();
  return (
    <Card title={<Trans>Fields</Trans>}>
      <div className={styles['stack']}>
        <Field label={t`Account`} hint={t`11 digits`} defaultValue="14234569901" />
        <Field label={t`Amount`} error={t`amount must be at least 50.00`} defaultValue="20" />
        <Select label={t`Biller`} options={{ a: 'Kenya Power', b: 'Nairobi Water' }} />
        <TextArea label={t`Reason`} hint={t`Kept in the audit log`} rows={2} />
      </div>
    </Card>
  );
}

function States() {
  return (
    <>
      <Card title={<Trans>States</Trans>}>
        <div className={styles['row']}>
          {STATUSES.map((status) => (
            <Status key={status} status={status} />
          ))}
          {TONES.map((tone) => (
            <Pill key={tone} tone={tone}>
              {tone}
            </Pill>
          ))}
        </div>
        <div className={styles['stack']}>
          {TONES.map((tone) => (
            <Notice key={tone} tone={tone}>
              <Trans>The operator has not answered yet.</Trans>
            </Notice>
          ))}
          <Problem error={REFUSED} onRetry={() => {}} />
        </div>
      </Card>
      <Card title={<Trans>Loading and empty</Trans>}>
        <Skeleton lines={3} />
        <Empty title={<Trans>No case is open</Trans>}>
          <Trans>New ones appear here automatically.</Trans>
        </Empty>
      </Card>
    </>
  );
}

const ROWS = [
  { account: '14234569901', amount: '1450.00', status: 'SUCCESS' },
  { account: '254722000001', amount: '50.00', status: 'PENDING' },
] as const;

function Data() {
  const { t } = useLingui();
  return (
    <>
      <Card title={<Trans>Facts</Trans>} more={<Trans>A note</Trans>}>
        <Facts
          facts={[
            { name: t`Amount`, value: <Money amount="1450.00" currency /> },
            { name: t`Created`, value: <Time at="2026-11-22T06:00:00Z" /> },
          ]}
        />
      </Card>
      <Card title={<Trans>QR code</Trans>}>
        <div className={styles['stack']}>
          <QrCode text="otpauth://totp/Malipo" label={t`QR code`} />
        </div>
      </Card>
      <Card title={<Trans>Table</Trans>}>
        <Table
          label={t`Payments`}
          columns={[
            { title: t`Account`, cell: ({ account }) => account },
            { title: t`KES`, cell: ({ amount }) => <Money amount={amount} />, align: 'end' },
            { title: t`Status`, cell: ({ status }) => <Status status={status} /> },
          ]}
          rows={ROWS}
          keyOf={({ account }) => account}
          empty={t`No payment matches.`}
        />
      </Card>
    </>
  );
}
