import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { BatchView, FileChecked } from '../../../../src/staff/bulk-schema.ts';
import { sendFile } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { FileField } from '../../design/FileField.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { readableMoney } from '../../format/money.ts';
import styles from './Bulk.module.css';
import { Checked } from './Checked.tsx';

interface ChosenFile {
  readonly file: File;
  readonly answer: FileChecked;
}

const EXAMPLE = `biller_name,account,amount,phone,merchant_reference
kplc_prepaid,14234567890,500,,INV-1001
nairobi_water,4100129900,350.50,254712345678,INV-1002`;

/** Chooses a file, shows what each row would do, and submits it. */
export function UploadFile() {
  const { t } = useLingui();
  const [isAsking, setIsAsking] = useState(false);
  const check = useMutation({
    mutationFn: async (file: File): Promise<ChosenFile> => {
      // Its bytes, because what the browser would read again may have changed since.
      const copy = new File([await file.arrayBuffer()], file.name);
      return { file: copy, answer: await sendFile<FileChecked>('/bulk/check', formOf(copy)) };
    },
  });
  const chosen = check.data;
  return (
    <>
      <Card title={<Trans>Upload a file</Trans>}>
        <div className={styles['upload']}>
          <FileField
            label={t`File`}
            hint={t`CSV, at most 5,000 rows and 2 MB`}
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file !== undefined) check.mutate(file);
            }}
          />
          <details>
            <summary>
              <Trans>What the file has to look like</Trans>
            </summary>
            <pre>{EXAMPLE}</pre>
          </details>
        </div>
        {check.isError && <Problem error={check.error} />}
        {check.isPending && <Skeleton lines={8} />}
        {chosen !== undefined && (
          <Checked answer={chosen.answer} onSubmit={() => setIsAsking(true)} />
        )}
      </Card>
      {chosen !== undefined && (
        <Submit file={chosen} open={isAsking} onOpenChange={setIsAsking} onDone={check.reset} />
      )}
    </>
  );
}

function Submit({
  file: { file, answer },
  open,
  onOpenChange,
  onDone,
}: {
  readonly file: ChosenFile;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDone: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const submit = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const given = { ...fields, total: answer.total };
    const { reference } = await sendFile<BatchView>('/bulk', formOf(file), given);
    onDone();
    await queries.invalidateQueries({ queryKey: ['bulk'] });
    await navigate({ to: '/bulk/$reference', params: { reference } });
  };
  const { name } = file;
  const { right, wrong, repeated, total } = answer;
  return (
    <ConfirmDialog
      title={<Trans>Submit {name}</Trans>}
      open={open}
      onOpenChange={onOpenChange}
      confirm={<Trans>Submit</Trans>}
      reason="none"
      done={t`The file is submitted.`}
      isFinal
      onConfirm={submit}
    >
      <p>
        <Trans>
          Payments: {right}, together KES {readableMoney(total)}. Wrong rows are refused: {wrong}.
          Repeated rows are not paid again: {repeated}.
        </Trans>
      </p>
      <Field
        label={t`Reference of the file`}
        hint={t`The same file with the same reference is paid once`}
        name="reference"
        defaultValue={referenceOf(name)}
        maxLength={64}
        required
      />
    </ConfirmDialog>
  );
}

function formOf(file: File): FormData {
  const form = new FormData();
  form.set('file', file);
  return form;
}

/** The file's name, as far as a reference may contain it. */
function referenceOf(name: string): string {
  return name
    .replace(/\.csv$/i, '')
    .replaceAll(/[^\x21-\x7E]+/g, '-')
    .slice(0, 64);
}
