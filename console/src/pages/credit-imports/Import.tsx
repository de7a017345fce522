import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ImportFindings, ListedCreditImport } from '../../../../src/staff/credit-imports.ts';
import { apiUrl, get } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { ButtonLink } from '../../design/ButtonLink.tsx';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Time } from '../../format/Time.tsx';
import { Findings } from './Findings.tsx';
import { ImportFigures } from './ImportFigures.tsx';
import { AMOUNT_UNITS } from './import-texts.ts';
import { useNames } from '../credit/credit-texts.ts';

/** One imported file, with its findings by line and field. */
export function Import() {
  const { importId } = useParams({ from: '/shell/credit/imports/$importId' });
  const path = `/credit/imports/${importId}`;
  const found = useQuery({
    queryKey: ['credit-import', importId],
    queryFn: ({ signal }) => get<ListedCreditImport>(path, {}, signal),
  });
  const list = usePages<ImportFindings>(['credit-findings', importId], `${path}/findings`);
  const about = found.data;
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit/imports">
            <Trans>Lenders’ files</Trans>
          </Link>
        }
        title={about?.file ?? <Trans>Lender’s file</Trans>}
      >
        {about !== undefined && about.rejected > 0 && (
          <ButtonLink href={apiUrl(`${path}/findings.csv`)} download>
            <Trans>Findings as CSV</Trans>
          </ButtonLink>
        )}
      </PageHeader>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {found.isPending && <Skeleton lines={12} />}
      {about !== undefined && (
        <>
          <ImportFigures counts={about} />
          <About of={about} />
          <Card title={<Trans>Findings</Trans>} more={<Trans>By line</Trans>}>
            <Findings findings={list.data?.pages.flatMap(({ findings }) => findings) ?? []} />
          </Card>
          <More list={list}>
            <Trans>Show more findings</Trans>
          </More>
        </>
      )}
    </>
  );
}

function About({ of }: { readonly of: ListedCreditImport }) {
  const { t } = useLingui();
  const units = useNames(AMOUNT_UNITS);
  return (
    <Card title={<Trans>Import</Trans>}>
      <Facts
        facts={[
          { name: t`Lender`, value: of.lender },
          { name: t`As of`, value: of.as_of },
          { name: t`Columns`, value: <code>{of.template}</code> },
          { name: t`Unit of the amounts`, value: units[of.amounts] },
          { name: t`Replaces what was submitted before`, value: of.corrects ? t`yes` : t`no` },
          { name: t`Imported by`, value: of.by },
          { name: t`Started`, value: <Time at={of.started_at} /> },
          {
            name: t`Finished`,
            value:
              of.ended_at === null ? (
                <Trans>Not finished: it continues with the same file.</Trans>
              ) : (
                <Time at={of.ended_at} />
              ),
          },
        ]}
      />
    </Card>
  );
}
