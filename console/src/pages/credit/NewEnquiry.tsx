import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SubmitEvent } from 'react';
import type { PaymentChoices } from '../../../../src/staff/payments.ts';
import { ApiError, get, send } from '../../api/client.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { TextArea } from '../../design/TextArea.tsx';
import { today } from '../../format/days.ts';
import { useSession } from '../../app/session.ts';
import { PRODUCT_NAMES, PURPOSES, useNames } from './credit-texts.ts';
import styles from './Credit.module.css';

/** Asks about a customer, with purpose and consent. */
export function NewEnquiry() {
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit" search={{}}>
            <Trans>Enquiries</Trans>
          </Link>
        }
        title={<Trans>Ask about a customer</Trans>}
        about={
          <Trans>
            The enquiry is recorded with your name, its purpose and the customer’s consent. The
            customer can see it in their own report.
          </Trans>
        }
      />
      <Card title={<Trans>Enquiry</Trans>}>
        <EnquiryForm />
      </Card>
    </>
  );
}

function EnquiryForm() {
  const { t } = useLingui();
  const ask = useAsk();
  const wrong = ask.error instanceof ApiError ? ask.error : undefined;
  const errorOf = (name: string): string | undefined =>
    wrong?.field === name ? wrong.message : undefined;
  return (
    <form
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        ask.mutate(new FormData(event.currentTarget));
      }}
    >
      <div className={styles['form']}>
        <About />
        <Customer errorOf={errorOf} />
        <Field
          label={t`Consent recorded as`}
          name="consentReference"
          hint={t`Such as the number of the signed form`}
          error={errorOf('consentReference')}
          required
        />
        <Consented error={errorOf('consentDate')} />
        <div className={styles['wide']}>
          <TextArea
            label={t`Reason`}
            hint={t`Kept in the audit log`}
            name="reason"
            rows={2}
            maxLength={500}
            required
          />
        </div>
        {ask.error !== null && (
          <div className={styles['wide']}>
            <Problem error={ask.error} />
          </div>
        )}
        <Button kind="primary" type="submit" disabled={ask.isPending}>
          {ask.isPending ? <Trans>Asking…</Trans> : <Trans>Ask</Trans>}
        </Button>
      </div>
    </form>
  );
}

/** Asks, and leads to the report. */
function useAsk() {
  // Kept until there is an answer, so that a second click asks nothing new.
  const [reference, setReference] = useState(newReference);
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (form: FormData) => {
      const { vid, operation, reason, ...given } = textsOf(form);
      const sector = operation === 'id-decision' ? {} : { reportSector: '2' };
      const fields = { ...given, ...sector, requestReference: reference };
      await send('POST', '/credit/enquiries', { vid, operation, reason, fields });
      return { vid: vid ?? '', operation: operation ?? '' };
    },
    onSuccess: async ({ vid, operation }) => {
      await queries.invalidateQueries({ queryKey: ['credit-enquiries'] });
      const params = { vid, operation, reference };
      await navigate({ to: '/credit/enquiries/$vid/$operation/$reference', params });
    },
    // A refused enquiry may be recorded; corrected, it is another one.
    onError: (error) => {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
        setReference(newReference());
      }
    },
  });
}

/** For whom, what, and why. */
function About() {
  const { t } = useLingui();
  const choices = useQuery({
    queryKey: ['payment-choices'],
    queryFn: ({ signal }) => get<PaymentChoices>('/payments/choices', {}, signal),
  });
  const vendors = choices.data?.vendors ?? [];
  return (
    <>
      <Select
        label={t`For the vendor`}
        name="vid"
        options={Object.fromEntries(vendors.map(({ code, name }) => [code, name]))}
      />
      <Select label={t`Product`} name="operation" options={useNames(PRODUCT_NAMES)} />
      <Select
        label={t`Purpose`}
        name="reportReason"
        defaultValue="2"
        options={useNames(PURPOSES)}
      />
    </>
  );
}

function Customer({ errorOf }: { readonly errorOf: (name: string) => string | undefined }) {
  const { t } = useLingui();
  const field = (name: string, label: string, isRequired = false) => (
    <Field
      label={label}
      name={name}
      error={errorOf(name)}
      autoComplete="off"
      required={isRequired}
    />
  );
  return (
    <>
      {field('nationalID', t`National ID`)}
      {field('passportNo', t`Passport`)}
      {field('taxID', t`Tax PIN`)}
      {field('name1', t`First name`, true)}
      {field('name2', t`Second name`, true)}
      {field('name3', t`Third name`)}
    </>
  );
}

function Consented({ error }: { readonly error: string | undefined }) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  return (
    <Field
      label={t`Consented on`}
      name="consentDate"
      type="date"
      max={today(timeZone)}
      error={error}
      required
    />
  );
}

function textsOf(form: FormData): Record<string, string> {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    ),
  );
}

function newReference(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `C${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
