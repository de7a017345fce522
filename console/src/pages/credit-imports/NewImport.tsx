import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { TriedImport } from '../../../../src/staff/credit-imports.ts';
import type { ProposalView } from '../../../../src/staff/proposal-schema.ts';
import { ApiError, sendFile } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { FileField } from '../../design/FileField.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { today } from '../../format/days.ts';
import { useFigures } from '../../format/figures.ts';
import styles from '../credit/Credit.module.css';
import { useNames } from '../credit/credit-texts.ts';
import { ProposeToRegistry } from '../credit-cases/Propose.tsx';
import { Findings } from './Findings.tsx';
import { ImportFigures } from './ImportFigures.tsx';
import { useSectors } from '../vendor/setting-names.ts';
import { AMOUNT_UNITS, LENDER_FILES, TEMPLATES } from './import-texts.ts';

interface Tried {
  readonly form: FormData;
  readonly answer: TriedImport;
}

/** Uploads a lender's file: first a trial, then a proposal that another person approves. */
export function NewImport() {
  const [tried, setTried] = useState<Tried>();
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit/imports">
            <Trans>Lenders’ files</Trans>
          </Link>
        }
        title={<Trans>Import a file</Trans>}
        about={<Trans>First see what the file would change. Then propose its import.</Trans>}
      />
      <Card title={<Trans>File</Trans>}>
        <TrialForm onTried={setTried} />
      </Card>
      {tried !== undefined && <Result tried={tried} />}
    </>
  );
}

function TrialForm({ onTried }: { readonly onTried: (tried: Tried | undefined) => void }) {
  const trial = useMutation({
    mutationFn: async (form: FormData): Promise<Tried> => {
      // Without a choice, the file or the lender's setting says the unit.
      if (form.get('amounts') === '') form.delete('amounts');
      return { form, answer: await sendFile<TriedImport>('/credit/imports/trial', form) };
    },
  });
  const wrong = trial.error instanceof ApiError ? trial.error : undefined;
  const errorOf = (name: string): string | undefined =>
    wrong?.field === name ? wrong.message : undefined;
  return (
    <form
      // What was tried is not what the form says any more, also if its answer is still to come.
      onChange={() => {
        trial.reset();
        onTried(undefined);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        trial.mutate(new FormData(event.currentTarget), { onSuccess: onTried });
      }}
    >
      <div className={styles['form']}>
        <Fields errorOf={errorOf} />
        {trial.error !== null && (
          <div className={styles['wide']}>
            <Problem error={trial.error} />
          </div>
        )}
        <Button type="submit" disabled={trial.isPending}>
          {trial.isPending ? (
            <Trans>Reading the file…</Trans>
          ) : (
            <Trans>See what would change</Trans>
          )}
        </Button>
      </div>
    </form>
  );
}

function Fields({ errorOf }: { readonly errorOf: (name: string) => string | undefined }) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  return (
    <>
      <Field
        label={t`Lender`}
        name="lender"
        hint={t`Its code, such as EXAMPLE_BANK`}
        pattern="[A-Za-z0-9_.\-]{1,32}"
        error={errorOf('lender')}
        autoComplete="off"
        required
      />
      <Select label={t`Sector of the lender`} name="sector" options={useSectors()} />
      <Select label={t`Columns`} name="template" options={useNames(TEMPLATES)} />
      <Field
        label={t`As of`}
        name="as_of"
        type="date"
        max={today(timeZone)}
        error={errorOf('as_of')}
        required
      />
      <FileField
        label={t`File`}
        hint={t`CSV or Excel (XLSX), at most 8 MB`}
        accept={LENDER_FILES}
        name="file"
        error={errorOf('file')}
        required
      />
      <Select
        label={t`Unit of the amounts`}
        hint={t`Only needed if no amount in the file has a decimal point`}
        name="amounts"
        error={errorOf('amounts')}
        options={{ '': t`As the file or the lender’s setting says`, ...useNames(AMOUNT_UNITS) }}
      />
      <Select
        label={t`Submitted before for the same day`}
        name="corrects"
        options={{ false: t`Stays as it is`, true: t`Is replaced` }}
      />
    </>
  );
}

function Result({ tried: { form, answer } }: { readonly tried: Tried }) {
  const { count } = useFigures();
  const [isAsked, setIsAsked] = useState(false);
  const { records, rejected, findings, finding_count: findingCount, form: readAs } = answer;
  const unit = useNames(AMOUNT_UNITS)[answer.amounts];
  const accepted = count(records - rejected);
  const file = form.get('file');
  return (
    <>
      <ImportFigures counts={answer} />
      <p>
        <Trans>
          Amounts in {unit}. Read as {readAs}.
        </Trans>
      </p>
      <Card
        title={<Trans>Findings</Trans>}
        more={
          findingCount > findings.length && (
            <Trans>
              the first {findings.length} of {count(findingCount)}
            </Trans>
          )
        }
      >
        <Findings findings={findings} />
      </Card>
      <div>
        <Button kind="primary" disabled={records === rejected} onClick={() => setIsAsked(true)}>
          <Trans>Propose to import the accepted records</Trans>
        </Button>
      </div>
      <ProposeToRegistry
        title={<Trans>Import {file instanceof File ? file.name : ''}</Trans>}
        open={isAsked}
        onClose={() => setIsAsked(false)}
        propose={async (grounds) =>
          await sendFile<ProposalView>('/credit/proposals/import', form, grounds)
        }
      >
        <p>
          <Trans>
            Another person approves it with the same file. Then {accepted} records become part of
            what the registry answers about people. Records with findings are left out.
          </Trans>
        </p>
      </ProposeToRegistry>
    </>
  );
}
