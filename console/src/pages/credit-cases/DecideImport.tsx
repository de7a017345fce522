import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MadeImport as MadeImportView } from '../../../../src/staff/credit-imports.ts';
import type { CreditProposal } from '../../../../src/staff/credit-proposals.ts';
import { send, sendFile } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { FileField } from '../../design/FileField.tsx';
import { Notice } from '../../design/Notice.tsx';
import { LENDER_FILES } from '../credit-imports/import-texts.ts';

/** Approves a lender's file with the file itself, or rejects it. */
export function DecideImport({
  proposal: { proposal: proposalId, is_own: isOwn, seen },
}: {
  readonly proposal: CreditProposal;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'approve' | 'reject'>();
  return (
    <>
      {!isOwn && (
        <Button kind="primary" onClick={() => setAsked('approve')}>
          <Trans>Approve and import</Trans>
        </Button>
      )}
      <Button onClick={() => setAsked('reject')}>
        <Trans>Reject</Trans>
      </Button>
      <ImportDialog
        proposalId={proposalId}
        seen={seen ?? undefined}
        open={asked === 'approve'}
        onClose={() => setAsked(undefined)}
      />
      <ConfirmDialog
        title={<Trans>Reject the file</Trans>}
        open={asked === 'reject'}
        onOpenChange={() => setAsked(undefined)}
        confirm={<Trans>Reject</Trans>}
        kind="danger"
        done={t`Rejected.`}
        onConfirm={async ({ reason }) => {
          await send('POST', `/proposals/${proposalId}/reject`, { reason });
          await queries.invalidateQueries();
        }}
      >
        <p>
          <Trans>Nothing of the file is imported.</Trans>
        </p>
      </ConfirmDialog>
    </>
  );
}

/** The import of an approved file; an interrupted one continues with the file. */
export function MadeImport({
  proposalId,
  made,
}: {
  readonly proposalId: string;
  readonly made: CreditProposal['import'];
}) {
  const mayAct = useMay('credit.act');
  const [isAsked, setIsAsked] = useState(false);
  if (made?.is_finished === true) {
    return (
      <Notice tone="info">
        <Link to="/credit/imports/$importId" params={{ importId: made.import }}>
          <Trans>The file is imported.</Trans>
        </Link>
      </Notice>
    );
  }
  return (
    <>
      <Notice tone="waiting">
        <Trans>The file is approved, and its import is not complete.</Trans>
      </Notice>
      {mayAct && (
        <div>
          <Button kind="primary" onClick={() => setIsAsked(true)}>
            <Trans>Continue the import</Trans>
          </Button>
        </div>
      )}
      <ImportDialog proposalId={proposalId} open={isAsked} onClose={() => setIsAsked(false)} />
    </>
  );
}

function ImportDialog({
  proposalId,
  seen,
  open,
  onClose,
}: {
  readonly proposalId: string;
  /** Undefined: it is approved. */
  readonly seen?: string | undefined;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [file, setFile] = useState<File>();
  const submit = async (): Promise<void> => {
    const form = new FormData();
    if (file !== undefined) form.set('file', file);
    try {
      const path = `/credit/proposals/${proposalId}/import`;
      const { import: importId } = await sendFile<MadeImportView>(path, form, { seen });
      await navigate({ to: '/credit/imports/$importId', params: { importId } });
    } finally {
      // Also after a refusal: it may have been decided.
      await queries.invalidateQueries();
    }
  };
  return (
    <ConfirmDialog
      title={<Trans>Import the file</Trans>}
      open={open}
      onOpenChange={onClose}
      confirm={<Trans>Import</Trans>}
      reason="none"
      done={t`The file is imported.`}
      isFinal
      onConfirm={submit}
    >
      <p>
        <Trans>
          Choose the file that you have from the lender. It is imported only if it is exactly the
          one that was proposed.
        </Trans>
      </p>
      <FileField
        accept={LENDER_FILES}
        label={t`File`}
        hint={t`CSV, at most 8 MB`}
        name="file"
        onChange={(event) => setFile(event.target.files?.[0])}
        required
      />
    </ConfirmDialog>
  );
}
