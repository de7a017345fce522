import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { CreditContent } from '../../../../src/staff/credit-schema.ts';
import { Facts } from '../../design/Facts.tsx';
import { Conditions } from '../credit-rules/Conditions.tsx';
import { ImportFigures } from '../credit-imports/ImportFigures.tsx';
import { AMOUNT_UNITS, TEMPLATES } from '../credit-imports/import-texts.ts';
import { useNames } from '../credit/credit-texts.ts';
import { useSectors } from '../vendor/setting-names.ts';
import { DISPUTE_OUTCOMES } from './decision-texts.ts';

/** What is proposed, with what was so when it was proposed. */
export function Proposed({ content }: { readonly content: CreditContent }) {
  const { t } = useLingui();
  const outcomes = useNames(DISPUTE_OUTCOMES);
  switch (content.kind) {
    case 'merge':
    case 'unmerge':
      return (
        <Facts
          facts={[
            { name: t`Reference that is given up`, value: content.from },
            { name: t`Reference that stays`, value: content.into },
          ]}
        />
      );
    case 'dispute':
      return <Facts facts={[{ name: t`Outcome`, value: outcomes[content.outcome] }]} />;
    case 'withdrawal':
      return (
        <Facts
          facts={[
            { name: t`Customer`, value: content.crn },
            { name: t`Account`, value: content.account },
            { name: t`Lender`, value: content.lender },
          ]}
        />
      );
    case 'sale':
    case 'sale_end':
      return (
        <Facts
          facts={[
            { name: t`Customer`, value: content.crn },
            { name: t`Sold account`, value: `${content.account}, ${content.lender}` },
            { name: t`Account of the buyer`, value: `${content.into}, ${content.buyer}` },
            { name: t`Sold on`, value: content.sold_on },
          ]}
        />
      );
    case 'deceased':
    case 'living':
      return <ProposedLife content={content} />;
    case 'case':
      return (
        <p>
          <Trans>Nothing changes in what lenders see. The reason is the finding.</Trans>
        </p>
      );
    case 'import':
      return <ProposedImport content={content} />;
    case 'suppression':
    case 'suppression_end':
      return <ProposedRule content={content} />;
    case 'scorecard':
      return <ProposedCard content={content} />;
  }
}

function CardName({ card }: { readonly card: string | null }) {
  if (card === null) return <Trans>none chosen: the newest shipped card, or no challenger</Trans>;
  return (
    <Link to="/credit/scorecards/$card" params={{ card }}>
      {card}
    </Link>
  );
}

type Of<Kind extends CreditContent['kind']> = Extract<CreditContent, { kind: Kind }>;

function ProposedLife({ content }: { readonly content: Of<'deceased' | 'living'> }) {
  const { t } = useLingui();
  const { crn, died_on: diedOn } = content;
  const died = diedOn === null ? [] : [{ name: t`Day of death`, value: diedOn }];
  return <Facts facts={[{ name: t`Customer`, value: crn }, ...died]} />;
}

function ProposedImport({ content }: { readonly content: Of<'import'> }) {
  const { t } = useLingui();
  const templates = useNames(TEMPLATES);
  const units = useNames(AMOUNT_UNITS);
  const sectors: Readonly<Record<string, string>> = useSectors();
  return (
    <>
      <Facts
        facts={[
          { name: t`File`, value: content.file_name },
          { name: t`Lender`, value: content.lender },
          { name: t`Sector of the lender`, value: sectors[content.sector] },
          { name: t`As of`, value: content.as_of },
          { name: t`Columns`, value: templates[content.template] },
          { name: t`Unit of the amounts`, value: units[content.amounts] },
          { name: t`Replaces what was submitted before`, value: content.corrects ? t`yes` : t`no` },
          { name: t`SHA-256 of the file`, value: <code>{content.sha256}</code> },
        ]}
      />
      <ImportFigures counts={content.counts} />
    </>
  );
}

function ProposedRule({ content }: { readonly content: Of<'suppression' | 'suppression_end'> }) {
  const { t } = useLingui();
  if (content.kind === 'suppression_end') {
    return (
      <Facts
        facts={[
          { name: t`Rule`, value: <code>{content.former.rule}</code> },
          {
            name: t`Afterwards shown and scored again`,
            value: <Conditions rule={content.former} />,
          },
        ]}
      />
    );
  }
  const { rule, former } = content;
  return (
    <Facts
      facts={[
        { name: t`Rule`, value: <code>{rule.rule}</code> },
        {
          name: t`Before`,
          value: former === null ? <Trans>no such rule</Trans> : <Conditions rule={former} />,
        },
        { name: t`Afterwards not shown and not scored`, value: <Conditions rule={rule} /> },
      ]}
    />
  );
}

function ProposedCard({ content }: { readonly content: Of<'scorecard'> }) {
  const { t } = useLingui();
  return (
    <Facts
      facts={[
        { name: t`Score`, value: content.score },
        {
          name: t`Role`,
          value:
            content.role === 'champion'
              ? t`champion: its scores are returned`
              : t`challenger: its scores are only recorded`,
        },
        { name: t`Before`, value: <CardName card={content.former} /> },
        { name: t`Afterwards`, value: <CardName card={content.card} /> },
      ]}
    />
  );
}
