import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { apiUrl } from '../../api/client.ts';
import { ButtonLink } from '../../design/ButtonLink.tsx';
import type { Days } from './statement-query.ts';

/** The statement as files. */
export function Files({ path, days }: { readonly path: string; readonly days: Days }) {
  const { from, to } = days;
  return (
    <>
      <ButtonLink href={apiUrl(`${path}.csv`, { from, to })} download>
        <Download size={16} aria-hidden="true" />
        <Trans>CSV</Trans>
      </ButtonLink>
      <ButtonLink href={apiUrl(`${path}.xlsx`, { from, to })} download>
        <Download size={16} aria-hidden="true" />
        <Trans>Excel</Trans>
      </ButtonLink>
    </>
  );
}
