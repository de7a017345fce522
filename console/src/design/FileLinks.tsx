import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { apiUrl } from '../api/client.ts';
import type { QueryValues } from '../api/client.ts';
import { ButtonLink } from './ButtonLink.tsx';
import styles from './FileLinks.module.css';

/** A table as files. Excel comes first: its numbers are numbers in every locale. */
export function FileLinks({
  path,
  query = {},
}: {
  /** Of the API, without the ending. */
  readonly path: string;
  readonly query?: QueryValues;
}) {
  return (
    <span className={styles['links']}>
      <ButtonLink href={apiUrl(`${path}.xlsx`, query)} download>
        <Download size={16} aria-hidden="true" />
        <Trans>Excel</Trans>
      </ButtonLink>
      <ButtonLink href={apiUrl(`${path}.csv`, query)} download>
        <Download size={16} aria-hidden="true" />
        <Trans>CSV</Trans>
      </ButtonLink>
    </span>
  );
}
