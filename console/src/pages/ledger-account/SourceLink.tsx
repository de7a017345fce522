import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LedgerEntryView } from '../../../../src/console/finance-answers.ts';
import styles from './SourceLink.module.css';

/** What caused a transfer, and where it is shown. */
export function SourceLink({
  entry: { source, movement },
}: {
  readonly entry: Pick<LedgerEntryView, 'source' | 'movement'>;
}) {
  switch (source.kind) {
    case 'payment':
      return (
        <Named
          title={
            <Link
              to="/payments/$reference"
              params={{ reference: source.reference }}
              className={styles['reference']}
            >
              {source.reference}
            </Link>
          }
        >
          {[movement, source.biller, source.merchantReference, source.operatorReference]
            .filter((text) => text !== null)
            .join(', ')}
        </Named>
      );
    case 'collection':
      return (
        <Named title={<Trans>Collected income</Trans>}>
          {source.collector}, {source.reference}
        </Named>
      );
    case 'funding':
      return <Named title={<Trans>Moved into the float</Trans>}>{source.reference}</Named>;
    case 'correction':
      return (
        <>
          <Link to="/cases/$caseId" params={{ caseId: source.caseId }}>
            <Trans>Corrected by two people</Trans>
          </Link>
          {source.reference !== null && <small>{source.reference}</small>}
        </>
      );
    case 'statement':
      return (
        <>
          <Link to="/statements/$statementId" params={{ statementId: source.statementId }}>
            <Trans>Operator’s statement</Trans>
          </Link>
          <small>{[movement, source.reference].filter((text) => text !== null).join(', ')}</small>
        </>
      );
    case 'payout':
      return (
        <Named title={<ByTwoPeople kind="payout" />}>{source.bankReference ?? movement}</Named>
      );
    case 'journal':
      return <Named title={<ByTwoPeople kind="journal" />}>{source.reference}</Named>;
    case 'entry':
      return <Named title={<Trans>Entered by two people</Trans>}>{source.reference}</Named>;
  }
}

function ByTwoPeople({ kind }: { readonly kind: 'payout' | 'journal' }) {
  return (
    <Link to="/journals">
      {kind === 'payout' ? <Trans>Payout to the vendor’s bank</Trans> : <Trans>Journal</Trans>}
    </Link>
  );
}

function Named({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <>
      {title}
      <small>{children}</small>
    </>
  );
}
