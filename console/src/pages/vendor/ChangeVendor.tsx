import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProposalView } from '../../../../src/staff/proposal-schema.ts';
import type { VendorView } from '../../../../src/staff/vendor-view.ts';
import { send } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import type { Undo } from '../../design/Toasts.tsx';
import { onlyChanged } from '../../format/only-changed.ts';
import { useWaits } from '../approvals/approval-texts.ts';
import { useSectors, useSettingNames } from './setting-names.ts';

/** Changes a vendor's settings; suspends and resumes it. */
export function ChangeVendor({ vendor }: { readonly vendor: VendorView }) {
  const queries = useQueryClient();
  // Fixed when it is asked: a colleague may change the status while the dialog is open.
  const [asked, setAsked] = useState<'suspend' | 'resume'>();
  const [edited, setEdited] = useState<VendorView>();
  const { vid, status } = vendor;
  const isActive = status === 'active';
  const keep = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['vendor', vid] });
    await queries.invalidateQueries({ queryKey: ['vendors'] });
  };
  const close = (): void => {
    setAsked(undefined);
    setEdited(undefined);
  };
  return (
    <>
      <Button onClick={() => setEdited(vendor)}>
        <Trans>Change settings</Trans>
      </Button>
      <Button
        kind={isActive ? 'danger' : 'primary'}
        onClick={() => setAsked(isActive ? 'suspend' : 'resume')}
      >
        {isActive ? <Trans>Suspend</Trans> : <Trans>Resume</Trans>}
      </Button>
      {edited !== undefined && <ChangeSettings vendor={edited} onClose={close} keep={keep} />}
      {asked !== undefined && (
        <ChangeStatus vendor={vendor} action={asked} onClose={close} keep={keep} />
      )}
    </>
  );
}

function ChangeSettings({
  vendor,
  onClose,
  keep,
}: {
  /** As it was when the dialog was opened. */
  readonly vendor: VendorView;
  readonly onClose: () => void;
  readonly keep: () => Promise<void>;
}) {
  const { t } = useLingui();
  const waits = useWaits();
  const { vid, name } = vendor;
  const change = async (fields: Readonly<Record<string, string>>): Promise<string | undefined> => {
    const { reference_required: required, ...others } = onlyChanged(fields, { ...vendor });
    const body =
      required === undefined ? others : { ...others, reference_required: required === 'true' };
    const path = `/vendors/${encodeURIComponent(vid)}`;
    const { decision } = await send<ProposalView>('POST', path, body);
    await keep();
    return decision === null ? waits : undefined;
  };
  return (
    <ConfirmDialog
      title={<Trans>Settings of {name}</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Save</Trans>}
      done={t`The settings are saved.`}
      onConfirm={change}
    >
      <SettingFields vendor={vendor} />
    </ConfirmDialog>
  );
}

function ChangeStatus({
  vendor: { vid, name },
  action,
  onClose,
  keep,
}: {
  readonly vendor: VendorView;
  readonly action: 'suspend' | 'resume';
  readonly onClose: () => void;
  readonly keep: () => Promise<void>;
}) {
  const { t } = useLingui();
  const suspends = action === 'suspend';
  const path = `/vendors/${encodeURIComponent(vid)}`;
  const change = async (what: typeof action, fields: object): Promise<void> => {
    await send('POST', `${path}/${what}`, fields);
    await keep();
  };
  const resume = (reason: string): Undo => ({
    run: () => change('resume', { reason }),
    done: t`${name} is active again.`,
  });
  return (
    <ConfirmDialog
      title={suspends ? <Trans>Suspend {name}</Trans> : <Trans>Resume {name}</Trans>}
      open
      onOpenChange={onClose}
      confirm={suspends ? <Trans>Suspend</Trans> : <Trans>Resume</Trans>}
      kind={suspends ? 'danger' : 'primary'}
      done={suspends ? t`${name} is suspended.` : t`${name} is active again.`}
      {...(suspends ? { undo: resume } : {})}
      onConfirm={(fields) => change(action, fields)}
    >
      <p>
        {suspends ? (
          <Trans>
            All its requests are refused within seconds, and its people cannot pay. Accepted
            payments continue.
          </Trans>
        ) : (
          <Trans>Its requests are accepted again.</Trans>
        )}
      </p>
    </ConfirmDialog>
  );
}

function SettingFields({ vendor: settings }: { readonly vendor: VendorView }) {
  const { t } = useLingui();
  const sectors = useSectors();
  const names = useSettingNames();
  return (
    <>
      <Field label={t`Name`} name="name" defaultValue={settings.name} maxLength={100} required />
      <Select label={t`Sector`} name="sector" defaultValue={settings.sector} options={sectors} />
      <Select
        label={t`Merchant reference`}
        name="reference_required"
        defaultValue={String(settings.reference_required)}
        options={names.referenceRequired}
      />
      <Select
        label={t`Likely duplicates are refused for`}
        name="duplicate_check"
        defaultValue={settings.duplicate_check}
        options={names.duplicateCheck}
      />
      <Select
        label={t`Signature`}
        name="signature"
        defaultValue={settings.signature}
        options={names.signature}
      />
      <Select
        label={t`Text of a status answer`}
        name="status_text"
        defaultValue={settings.status_text}
        options={names.statusText}
      />
      <Select
        label={t`Enquiries`}
        name="enquiry_policy"
        defaultValue={settings.enquiry_policy}
        options={names.enquiryPolicy}
      />
    </>
  );
}
