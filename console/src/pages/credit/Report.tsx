import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { CustomerReport, EnquiryReport } from '../../../../src/staff/credit-report-schema.ts';
import { get } from '../../api/client.ts';
import { PageProblem } from '../../app/PageProblem.tsx';
import { Card } from '../../design/Card.tsx';
import { Columns, Stack } from '../../design/Columns.tsx';
import { Empty } from '../../design/Empty.tsx';
import { Facts } from '../../design/Facts.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { ACCOUNT_TYPES, PRODUCT_NAMES, PURPOSES, useFigureName, useNames } from './credit-texts.ts';
import styles from './Credit.module.css';
import { Score } from './Score.tsx';

/** What was answered about a customer. Each look at it is in the audit log. */
export function Report() {
  const { vid, operation, reference } = useParams({
    from: '/shell/credit/enquiries/$vid/$operation/$reference',
  });
  const path = [vid, operation, reference].map(encodeURIComponent).join('/');
  const found = useQuery({
    queryKey: ['credit-report', path],
    // Each reading is in the audit log, so the report is not read again by itself and not cached.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
    queryFn: ({ signal }) => get<EnquiryReport>(`/credit/enquiries/${path}`, {}, signal),
  });
  if (found.data !== undefined) return <Found answer={found.data} />;
  if (found.isError)
    return <PageProblem error={found.error} onRetry={() => void found.refetch()} />;
  return <Skeleton lines={12} />;
}

function Found({ answer }: { readonly answer: EnquiryReport }) {
  const products = useNames(PRODUCT_NAMES);
  const { report } = answer;
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit" search={{ vid: answer.vid }}>
            <Trans>Enquiries</Trans>
          </Link>
        }
        title={report?.full_name ?? products[answer.operation]}
        about={
          <>
            {products[answer.operation]} · <Time at={answer.enquired_at} />
          </>
        }
      />
      <Columns>
        <Stack>
          {report === null ? (
            <Empty title={<Trans>Erased</Trans>}>
              <Trans>
                The retention period of the report has ended. The record of the enquiry remains.
              </Trans>
            </Empty>
          ) : (
            <>
              {report.credit_active === null && <Score report={report} card={answer.card} />}
              <Accounts report={report} />
              <Figures report={report} />
            </>
          )}
        </Stack>
        <Stack>
          {report !== null && <Person report={report} />}
          <Enquiry answer={answer} />
        </Stack>
      </Columns>
    </>
  );
}

function Person({ report }: { readonly report: CustomerReport }) {
  const { t } = useLingui();
  const documents: Readonly<Record<string, string>> = {
    nationalID: t`National ID`,
    passportNo: t`Passport`,
    serviceID: t`Military ID`,
    alienID: t`Alien ID`,
    taxID: t`Tax PIN`,
  };
  return (
    <Card title={<Trans>Customer</Trans>}>
      <Facts
        facts={[
          { name: t`Name`, value: report.full_name },
          {
            name: t`Another name in the request`,
            value: report.name_differs ? t`yes; check the document` : null,
          },
          { name: t`Date of birth`, value: report.date_of_birth },
          ...report.documents.map(({ type, number }) => ({
            name: documents[type] ?? type,
            value: number,
          })),
          { name: t`Gender`, value: report.gender },
          { name: t`Nationality`, value: report.nationality },
          { name: t`Phones`, value: report.phones.length === 0 ? null : report.phones.join(', ') },
          { name: t`Customer reference`, value: report.customer },
          {
            name: t`Open credit accounts`,
            value: report.credit_active === null ? null : report.credit_active ? t`yes` : t`no`,
          },
          { name: t`Deceased`, value: report.deceased ? t`yes` : null },
        ]}
      />
    </Card>
  );
}

function Enquiry({ answer }: { readonly answer: EnquiryReport }) {
  const { t } = useLingui();
  const purposes = useNames(PURPOSES);
  return (
    <Card title={<Trans>Enquiry</Trans>}>
      <Facts
        facts={[
          { name: t`For the vendor`, value: answer.vid },
          { name: t`Asked by`, value: answer.person ?? t`the vendor’s system` },
          { name: t`Purpose`, value: purposes[answer.report_reason] ?? answer.report_reason },
          { name: t`Consent recorded as`, value: answer.consent_reference },
          { name: t`Consented on`, value: answer.consent_date },
          { name: t`Reference`, value: <code>{answer.reference}</code> },
          { name: t`Scorecard`, value: answer.scorecard },
          { name: t`Source`, value: answer.source },
        ]}
      />
    </Card>
  );
}

function Accounts({
  report: { accounts, credit_active: creditActive },
}: {
  readonly report: CustomerReport;
}) {
  const { t } = useLingui();
  const states: Readonly<Record<string, string>> = {
    ACTIVE: t`Open`,
    CLOSED: t`Closed`,
    DEFAULT: t`In default`,
  };
  const types = useNames(ACCOUNT_TYPES);
  if (creditActive !== null) return null;
  return (
    <Card title={<Trans>Accounts</Trans>}>
      <Table
        label={t`Accounts`}
        rows={accounts.map((account, index) => ({ ...account, index }))}
        keyOf={({ index }) => String(index)}
        empty={t`No account is on file.`}
        columns={[
          { title: t`Type`, cell: ({ type }) => types[type] ?? type },
          {
            title: t`State`,
            cell: ({ status, disputed }) =>
              `${states[status] ?? status}${disputed ? `, ${t`disputed`}` : ''}`,
          },
          { title: t`Opened`, cell: ({ opened }) => <Day on={opened} />, hide: 'small' },
          {
            title: t`Balance (KES)`,
            cell: ({ balance }) => balance !== '' && <Money amount={balance} />,
            align: 'end',
          },
          {
            title: t`Days in arrears`,
            cell: (account) => account.days_in_arrears,
            align: 'end',
            hide: 'small',
          },
          { title: t`As of`, cell: (account) => <Day on={account.as_of} />, hide: 'small' },
        ]}
      />
    </Card>
  );
}

function Day({ on }: { readonly on: string }) {
  return <span className={styles['day']}>{on}</span>;
}

function isSaid(value: string | null): boolean {
  return value !== null && value !== '' && Number(value) !== 0;
}

/** The figures of the summary; those that are zero everywhere say nothing. */
function Figures({ report: { figures } }: { readonly report: CustomerReport }) {
  const { t } = useLingui();
  const nameOf = useFigureName();
  const shown = figures.filter(
    ({ value }) => isSaid(value.my_sector) || isSaid(value.other_sectors),
  );
  if (figures.length === 0) return null;
  return (
    <Card title={<Trans>Figures</Trans>} more={<Trans>without those that are zero</Trans>}>
      <Table
        label={t`Figures`}
        rows={shown}
        keyOf={({ name }) => name}
        empty={t`All are zero.`}
        columns={[
          { title: t`Figure`, cell: ({ name }) => nameOf(name) },
          { title: t`Vendor’s sector`, cell: ({ value }) => value.my_sector ?? '–', align: 'end' },
          {
            title: t`Other sectors`,
            cell: ({ value }) => value.other_sectors ?? '–',
            align: 'end',
          },
        ]}
      />
    </Card>
  );
}
