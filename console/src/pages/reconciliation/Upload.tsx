import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import type { ComparedDay } from '../../../../src/staff/days.ts';
import type { OfferedStatement, StatementPreview } from '../../../../src/staff/statements.ts';
import { sendFile } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Field } from '../../design/Field.tsx';
import { FileField } from '../../design/FileField.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { announce } from '../../design/Toasts.tsx';
import { Preview } from './Preview.tsx';
import styles from './Reconciliation.module.css';

/** Uploads a statement. Another person decides whether all of it is imported. */
export function Upload({
  answer,
  isOpen,
  onOpenChange,
}: {
  readonly answer: ComparedDay;
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
  readonly answer: ComparedDay;
  readonly onDone: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const preview = useMutation({
    mutationFn: async (form: FormData) =>
      await sendFile<StatementPreview>('/statements/preview', form, completeIn(form)),
  });
  const upload = useMutation({
    mutationFn: async (form: FormData) =>
      await sendFile<OfferedStatement>('/statements', form, completeIn(form)),
    onSuccess: async ({ proposal, statement }) => {
      if (proposal === null && statement === null) return;
      onDone();
      if (proposal !== null) {
        announce(t`The statement waits for another person.`);
        await queries.invalidateQueries({ queryKey: ['approvals'] });
        await navigate({ to: '/approvals' });
        return;
      }
      announce(t`It was imported before.`);
      const params = { statementId: statement ?? '' };
      await navigate({ to: '/statements/$statementId', params });
    },
  });
  const problems = upload.data?.problems ?? [];
  return (
    <form
      className={styles['form']}
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        const asked = event.nativeEvent.submitter?.getAttribute('value');
        (asked === 'preview' ? preview : upload).mutate(new FormData(event.currentTarget));
      }}
      onChange={() => preview.reset()}
    >
      <UploadFields answer={answer} />
      {preview.isError && <Problem error={preview.error} />}
      {preview.data !== undefined && <Preview preview={preview.data} />}
      {upload.isError && <Problem error={upload.error} />}
      {problems.length > 0 && <Refused problems={problems} />}
      <div className={styles['actions']}>
        <Button type="submit" value="preview" disabled={preview.isPending}>
          {preview.isPending ? <Trans>Trying…</Trans> : <Trans>Preview</Trans>}
        </Button>
        <Button kind="primary" type="submit" disabled={upload.isPending}>
          {upload.isPending ? <Trans>Importing…</Trans> : <Trans>Import</Trans>}
        </Button>
      </div>
    </form>
  );
}

function completeIn(form: FormData): { readonly complete: string } {
  return { complete: String(form.get('complete') === 'on') };
}

function UploadFields({ answer }: { readonly answer: ComparedDay }) {
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

/** Problems of a file that are shown. */
const MAX_SHOWN = 50;

function Refused({ problems }: Pick<OfferedStatement, 'problems'>) {
  const count = problems.length;
  return (
    <div className={styles['problems']} role="alert">
      <p>
        <b>
          <Trans>Nothing was imported. Problems: {count}.</Trans>
        </b>
      </p>
      <ul>
        {problems.slice(0, MAX_SHOWN).map((problem, index) => {
          const { line } = problem;
          const text = `${problem.field}: ${problem.text}`;
          return (
            <li key={index}>
              <Trans>
                Line {line}: {text}
              </Trans>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
