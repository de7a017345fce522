import { Trans, useLingui } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProposalView } from '../../../../src/staff/proposal-schema.ts';
import { send } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Field } from '../../design/Field.tsx';
import { Select } from '../../design/Select.tsx';
import { today } from '../../format/days.ts';
import { useNames } from '../credit/credit-texts.ts';
import { ProposeDialog } from '../../design/ProposeDialog.tsx';
import type { ProposeProps } from '../../design/ProposeDialog.tsx';
import { DISPUTE_OUTCOMES } from './decision-texts.ts';

type Fields = Readonly<Record<string, string>>;

interface Said {
  readonly title: ReactNode;
  readonly children: ReactNode;
}

/** Proposes something about people, rules or scorecards, and leads to the proposal. */
export function ProposeCredit({
  what,
  bodyOf,
  ...dialog
}: ProposeProps &
  Said & {
    /** The last part of the path. */
    readonly what: string;
    readonly bodyOf: (fields: Fields) => object;
  }) {
  return (
    <ProposeToRegistry
      {...dialog}
      propose={async (fields) => {
        const { evidence, reason } = fields;
        const body = { ...bodyOf(fields), evidence, reason };
        return await send<ProposalView>('POST', `/credit/proposals/${what}`, body);
      }}
    />
  );
}

/** Leads to the proposal that was made. */
export function ProposeToRegistry({
  propose,
  title,
  children,
  ...dialog
}: ProposeProps & Said & { readonly propose: (fields: Fields) => Promise<ProposalView> }) {
  const navigate = useNavigate();
  return (
    <ProposeDialog
      {...dialog}
      title={title}
      propose={async (fields) => {
        const { proposal: proposalId } = await propose(fields);
        await navigate({ to: '/credit/proposals/$proposalId', params: { proposalId } });
      }}
    >
      {children}
    </ProposeDialog>
  );
}

/** Two references are one person. */
export function ProposeMerge({
  crns = [],
  caseId,
  ...dialog
}: ProposeProps & { readonly crns?: readonly string[]; readonly caseId?: string }) {
  const { t } = useLingui();
  const [from, into] = crns;
  return (
    <ProposeCredit
      {...dialog}
      what="merge"
      title={<Trans>Propose a merge</Trans>}
      bodyOf={({ from: gone, into: stays }) => ({ from: gone, into: stays, case: caseId })}
    >
      <p>
        <Trans>
          Answers about the second reference will include everything on file about the first.
          Nothing is moved, so a merge can be undone.
        </Trans>
      </p>
      <Reference label={t`Reference that is given up`} name="from" value={from} />
      <Reference label={t`Reference that stays`} name="into" value={into} />
    </ProposeCredit>
  );
}

/** Two references that were merged are two people. */
export function ProposeUnmerge(dialog: ProposeProps) {
  const { t } = useLingui();
  return (
    <ProposeCredit
      {...dialog}
      what="unmerge"
      title={<Trans>Propose to undo a merge</Trans>}
      bodyOf={({ from }) => ({ from })}
    >
      <Reference label={t`Reference that was given up`} name="from" value={undefined} />
    </ProposeCredit>
  );
}

/** An account was listed wrongly. */
export function ProposeWithdrawal(dialog: ProposeProps) {
  const { t } = useLingui();
  return (
    <ProposeCredit
      {...dialog}
      what="withdrawal"
      title={<Trans>Propose to withdraw an account</Trans>}
      bodyOf={({ crn, account }) => ({ crn, account })}
    >
      <p>
        <Trans>
          The account leaves every answer and score for good, also when the lender submits it again.
          What was recorded about it stays for the audit.
        </Trans>
      </p>
      <Reference label={t`Customer reference`} name="crn" value={undefined} />
      <Reference label={t`Account`} name="account" value={undefined} />
    </ProposeCredit>
  );
}

/** Two lenders submit one debt. */
export function ProposeSale(dialog: ProposeProps) {
  const { t } = useLingui();
  const { timeZone } = useSession();
  return (
    <ProposeCredit
      {...dialog}
      what="sale"
      title={<Trans>Propose that a debt was sold</Trans>}
      bodyOf={({ crn, account, into, sold_on }) => ({ crn, account, into, sold_on })}
    >
      <p>
        <Trans>From the sale on, the debt counts once, with the history of both lenders.</Trans>
      </p>
      <Reference label={t`Customer reference`} name="crn" value={undefined} />
      <Reference label={t`Sold account`} name="account" value={undefined} />
      <Reference label={t`Account of the buyer`} name="into" value={undefined} />
      <Field label={t`Sold on`} name="sold_on" type="date" max={today(timeZone)} required />
    </ProposeCredit>
  );
}

/** A sale was recorded wrongly. */
export function ProposeSaleEnd(dialog: ProposeProps) {
  const { t } = useLingui();
  return (
    <ProposeCredit
      {...dialog}
      what="sale-end"
      title={<Trans>Propose to undo a sale</Trans>}
      bodyOf={({ crn, account }) => ({ crn, account })}
    >
      <p>
        <Trans>Both accounts count again, each by itself.</Trans>
      </p>
      <Reference label={t`Customer reference`} name="crn" value={undefined} />
      <Reference label={t`Sold account`} name="account" value={undefined} />
    </ProposeCredit>
  );
}

/** A case is closed, and nothing else is changed. */
export function ProposeClosing({ caseId, ...dialog }: ProposeProps & { readonly caseId: string }) {
  return (
    <ProposeCredit
      {...dialog}
      what="case"
      title={<Trans>Propose to close the case</Trans>}
      bodyOf={() => ({ case: caseId })}
    >
      <p>
        <Trans>Nothing changes in what lenders see. The reason is the finding.</Trans>
      </p>
    </ProposeCredit>
  );
}

/** How a dispute ended. */
export function ProposeOutcome({
  dispute,
  ...dialog
}: ProposeProps & { readonly dispute: string }) {
  const { t } = useLingui();
  return (
    <ProposeCredit
      {...dialog}
      what="dispute"
      title={<Trans>Propose how the dispute ended</Trans>}
      bodyOf={({ outcome }) => ({ dispute, outcome })}
    >
      <p>
        <Trans>
          The account counts again as the lender submitted it. The lender corrects errors with its
          next file.
        </Trans>
      </p>
      <Select label={t`Outcome`} name="outcome" options={useNames(DISPUTE_OUTCOMES)} />
    </ProposeCredit>
  );
}

function Reference({
  label,
  name,
  value,
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
}) {
  return (
    <Field
      label={label}
      name={name}
      defaultValue={value}
      inputMode="numeric"
      pattern="\d{1,18}"
      autoComplete="off"
      required
    />
  );
}
