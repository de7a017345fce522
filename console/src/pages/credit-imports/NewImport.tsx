import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ImportTrialAnswer } from '../../../../src/console/credit-answers.ts';
import { ApiError, send } from '../../api/client.ts';
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
import { ProposeCredit } from '../credit-cases/Propose.tsx';
import { Findings } from './Findings.tsx';
import { ImportFigures } from './ImportFigures.tsx';
import { useSectors } from '../vendor/setting-names.ts';
import { AMOUNT_UNITS, TEMPLATES } from './import-texts.ts';

/** A file as the API takes it. */
interface Given {
  readonly fileName: string;
  readonly content: string;
  readonly lender: string;
  readonly sector: string;
  readonly template: string;
  readonly asOf: string;
  readonly corrects: boolean;
  /** Absent: as the file, or else the lender's setting, says. */
  readonly amounts?: string;
}

interface Tried {
  readonly given: Given;
  readonly answer: ImportTrialAnswer;
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
      const given = await givenBy(form);
      const answer = await send<ImportTrialAnswer>('POST', '/credit/imports/trial', given);
      return { given, answer };
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
        name="asOf"
        type="date"
        max={today(timeZone)}
        error={errorOf('asOf')}
        required
      />
      <FileField
        label={t`File`}
        hint={t`CSV, at most 8 MB`}
        name="file"
        error={errorOf('content')}
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
        options={{ no: t`Stays as it is`, yes: t`Is replaced` }}
      />
    </>
  );
}

async function givenBy(form: FormData): Promise<Given> {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const file = form.get('file');
  return {
    fileName: file instanceof File ? file.name.slice(0, 200).toWellFormed() : '',
    content: file instanceof File ? await file.text() : '',
    lender: text('lender'),
    sector: text('sector'),
    template: text('template'),
    asOf: text('asOf'),
    corrects: text('corrects') === 'yes',
    ...(text('amounts') === '' ? {} : { amounts: text('amounts') }),
  };
}

function Result({ tried: { given, answer } }: { readonly tried: Tried }) {
  const { count } = useFigures();
  const [isAsked, setIsAsked] = useState(false);
  const { counts, findings, findingCount } = answer;
  const accepted = count(counts.records - counts.rejected);
  return (
    <>
      <ImportFigures counts={counts} />
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
        <Button
          kind="primary"
          disabled={counts.records === counts.rejected}
          onClick={() => setIsAsked(true)}
        >
          <Trans>Propose to import the accepted records</Trans>
        </Button>
      </div>
      <ProposeCredit
        what="import"
        title={<Trans>Import {given.fileName}</Trans>}
        open={isAsked}
        onClose={() => setIsAsked(false)}
        bodyOf={() => given}
      >
        <p>
          <Trans>
            Another person approves it with the same file. Then {accepted} records become part of
            what the registry answers about people. Records with findings are left out.
          </Trans>
        </p>
      </ProposeCredit>
    </>
  );
}
