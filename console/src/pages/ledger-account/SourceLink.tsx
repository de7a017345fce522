import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { LedgerEntryView } from '../../../../src/staff/house.ts';
import styles from './SourceLink.module.css';

const words = (...all: readonly (string | null)[]): string =>
  all.filter((text) => text !== null).join(', ');

/** What caused a transfer, and where it is shown. */
export function SourceLink({ entry }: { readonly entry: LedgerEntryView }) {
  const { source, movement, reference } = entry;
  const id = entry.source_id ?? '';
  switch (source) {
    case 'payment':
      return (
        <Named
          title={
            <Link
              to="/payments/$reference"
              params={{ reference: reference ?? '' }}
              className={styles['reference']}
            >
              {reference}
            </Link>
          }
        >
          {words(movement, entry.biller, entry.merchant_reference, entry.operator_reference)}
        </Named>
      );
    case 'collection':
      return (
        <Named title={<Trans>Collected income</Trans>}>{words(entry.collector, reference)}</Named>
      );
    case 'funding':
      return <Named title={<Trans>Moved into the float</Trans>}>{reference}</Named>;
    case 'correction':
      return (
        <>
          <Link to="/cases/$caseId" params={{ caseId: id }}>
            <Trans>Corrected by two people</Trans>
          </Link>
          {reference !== null && <small>{reference}</small>}
        </>
      );
    case 'statement':
      return (
        <>
          <Link to="/statements/$statementId" params={{ statementId: id }}>
            <Trans>Operator’s statement</Trans>
          </Link>
          <small>{words(movement, reference)}</small>
        </>
      );
    case 'payout':
      return <Named title={<ByTwoPeople kind="payout" />}>{reference ?? movement}</Named>;
    case 'journal':
      return <Named title={<ByTwoPeople kind="journal" />}>{reference}</Named>;
    case 'receipt':
      return <Named title={<Trans>Receipt</Trans>}>{reference}</Named>;
    case 'entry':
      return <Named title={<Trans>Entered by two people</Trans>}>{reference}</Named>;
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
