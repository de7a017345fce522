import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import type { DayAnswer, ImportAnswer } from '../../../../src/console/reconciliation-answers.ts';
import { send } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Field } from '../../design/Field.tsx';
import { FileField } from '../../design/FileField.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { announce } from '../../design/Toasts.tsx';
import styles from './Reconciliation.module.css';

/** Uploads a statement. Another person decides whether all of it is imported. */
export function Upload({
  answer,
  isOpen,
  onOpenChange,
}: {
  readonly answer: DayAnswer;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}) {
  return (
    <Dialog title={<Trans>Import a statement</Trans>} open={isOpen} onOpenChange={onOpenChange}>
      <UploadForm answer={answer} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function UploadForm({
  answer,
  onDone,
}: {
  readonly answer: DayAnswer;
  readonly onDone: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const upload = useMutation({
    mutationFn: async (form: FormData): Promise<ImportAnswer> => {
      const file = form.get('file');
      return await send<ImportAnswer>('POST', '/statements', {
        operator: form.get('operator'),
        from: form.get('from'),
        to: form.get('to'),
        complete: form.get('complete') === 'on',
        content: file instanceof File ? await file.text() : '',
      });
    },
    onSuccess: async (result) => {
      if (result.kind === 'refused') return;
      onDone();
      if (result.kind === 'proposed') {
        announce(t`The statement waits for another person.`);
        await queries.invalidateQueries({ queryKey: ['approvals'] });
        await navigate({ to: '/approvals' });
        return;
      }
      announce(t`It was imported before.`);
      const { statementId } = result;
      await navigate({ to: '/statements/$statementId', params: { statementId } });
    },
  });
  const refused = upload.data?.kind === 'refused' ? upload.data : undefined;
  return (
    <form
      className={styles['form']}
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        upload.mutate(new FormData(event.currentTarget));
      }}
    >
      <UploadFields answer={answer} />
      {upload.isError && <Problem error={upload.error} />}
      {refused !== undefined && <Refused answer={refused} />}
      <div className={styles['actions']}>
        <Button kind="primary" type="submit" disabled={upload.isPending}>
          {upload.isPending ? <Trans>Importing…</Trans> : <Trans>Import</Trans>}
        </Button>
      </div>
    </form>
  );
}

function UploadFields({ answer }: { readonly answer: DayAnswer }) {
  const { t } = useLingui();
  return (
    <>
      <Select
        label={t`Operator`}
        name="operator"
        options={Object.fromEntries(answer.importable.map((code) => [code, code]))}
        required
      />
      <div className={styles['fields']}>
        <Field label={t`From`} name="from" type="date" defaultValue={answer.day} required />
        <Field
          label={t`To`}
          hint={t`This day is included`}
          name="to"
          type="date"
          defaultValue={answer.day}
          required
        />
      </div>
      <FileField label={t`File`} hint={t`CSV, at most 8 MB`} name="file" required />
      <label className={styles['check']}>
        <input type="checkbox" name="complete" defaultChecked />
        <Trans>It lists every movement of the period</Trans>
      </label>
    </>
  );
}

function Refused({ answer }: { readonly answer: Extract<ImportAnswer, { kind: 'refused' }> }) {
  const { count, problems } = answer;
  return (
    <div className={styles['problems']} role="alert">
      <p>
        <b>
          <Trans>Nothing was imported. Problems: {count}.</Trans>
        </b>
      </p>
      <ul>
        {problems.map(({ line, text }, index) => (
          <li key={index}>
            <Trans>
              Line {line}: {text}
            </Trans>
          </li>
        ))}
      </ul>
    </div>
  );
}
