import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { AccountStatementLine } from '../../../../src/staff/account-statements.ts';
import { useMay } from '../../app/session.ts';

/** Every reference of a line, with links to what is shown elsewhere. */
export function References({ line }: { readonly line: AccountStatementLine }) {
  const { reference, is_payment: isPayment, case: caseId, statement: statementId } = line;
  const mayReadCases = useMay('cases.read');
  // One link in a cell, so that each can be hit with a finger. A correction's payment is linked in front.
  const isLinked = reference !== null && isPayment;
  const others = [
    line.merchant_reference,
    pair(line.collector, line.collector_reference),
    pair(line.operator, line.operator_reference),
    line.bank_reference,
  ].filter((text) => text !== null);
  return (
    <>
      {isLinked ? (
        <Link to="/payments/$reference" params={{ reference }}>
          {reference}
        </Link>
      ) : (
        reference
      )}
      {others.length > 0 && <small>{others.join(', ')}</small>}
      {caseId !== null && (
        <small>
          {mayReadCases ? (
            <Link to="/cases/$caseId" params={{ caseId }}>
              <Trans>Case {caseId}</Trans>
            </Link>
          ) : (
            <Trans>Case {caseId}</Trans>
          )}
        </small>
      )}
      {statementId !== null && (
        <small>
          <Link to="/statements/$statementId" params={{ statementId }}>
            <Trans>Operator’s statement</Trans>
          </Link>
        </small>
      )}
    </>
  );
}

/** Who numbers it, and the number. */
function pair(name: string | null, reference: string | null): string | null {
  if (reference === null) return name;
  return name === null ? reference : `${name} ${reference}`;
}
