import { Trans, useLingui } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import type {
  CreditImportAnswer,
  ListedCreditImport,
} from '../../../../src/console/credit-answers.ts';
import { apiUrl } from '../../api/client.ts';
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
  const list = usePages<CreditImportAnswer>(
    ['credit-import', importId],
    `/credit/imports/${importId}`,
  );
  const about = list.data?.pages[0]?.import;
  return (
    <>
      <PageHeader
        back={
          <Link to="/credit/imports">
            <Trans>Lenders’ files</Trans>
          </Link>
        }
        title={about?.fileName ?? <Trans>Lender’s file</Trans>}
      >
        {about !== undefined && about.counts.rejected > 0 && (
          <ButtonLink href={apiUrl(`/credit/imports/${importId}/findings.csv`)} download>
            <Trans>Findings as CSV</Trans>
          </ButtonLink>
        )}
      </PageHeader>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={12} />}
      {about !== undefined && (
        <>
          <ImportFigures counts={about.counts} />
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
          { name: t`As of`, value: of.asOf },
          { name: t`Columns`, value: <code>{of.template}</code> },
          { name: t`Unit of the amounts`, value: units[of.amounts] },
          { name: t`Replaces what was submitted before`, value: of.corrects ? t`yes` : t`no` },
          { name: t`Imported by`, value: of.by },
          { name: t`Started`, value: <Time at={of.startedAt} /> },
          {
            name: t`Finished`,
            value:
              of.finishedAt === null ? (
                <Trans>Not finished: it continues with the same file.</Trans>
              ) : (
                <Time at={of.finishedAt} />
              ),
          },
        ]}
      />
    </Card>
  );
}
