import { useLingui as useLanguage } from '@lingui/react';
import { Trans, useLingui } from '@lingui/react/macro';
import type { CustomerReport, EnquiryReport } from '../../../../src/staff/credit-report-schema.ts';
import { Card } from '../../design/Card.tsx';
import { Empty } from '../../design/Empty.tsx';
import { Notice } from '../../design/Notice.tsx';
import styles from './Credit.module.css';

/** The score, what it means, and what lowers it most. */
export function Score({
  report: { score, notice, remarks },
  card,
}: {
  readonly report: CustomerReport;
} & Pick<EnquiryReport, 'card'>) {
  const { t } = useLingui();
  const { i18n } = useLanguage();
  if (score === null) {
    return (
      <Card title={<Trans>Score</Trans>}>
        <Empty title={<Trans>No score</Trans>}>
          <Trans>
            There is no account on file from which a score could be computed. This is not a bad
            sign.
          </Trans>
        </Empty>
        <Remarks remarks={remarks} />
      </Card>
    );
  }
  const reasons = i18n.locale === 'sw' ? score.reasons.sw : score.reasons.en;
  const { grade } = score;
  const ofThousand = Math.round(Number(score.probability) * 10);
  return (
    <Card title={<Trans>Score</Trans>}>
      <div className={styles['score']}>
        <p>
          <span className={styles['number']}>{score.score}</span> <Trans>grade {grade}</Trans>
        </p>
        <meter
          min={1}
          max={1000}
          value={Number(score.score)}
          aria-label={t`Score from 1 to 1000`}
        />
        {score.probability !== '' && (
          <p>
            <Trans>
              Of 1000 people with this score, about {ofThousand} fail to repay a loan. The scale is
              1 to 1000, and from AA (best) to JJ.
            </Trans>
          </p>
        )}
        {card !== null && <Origin card={card} />}
        <Reasons reasons={reasons} />
        <p className={styles['note']}>{notice}</p>
        <Remarks remarks={remarks} />
      </div>
    </Card>
  );
}

/** Which card it comes from, and what its probability is about. */
function Origin({ card }: { readonly card: NonNullable<EnquiryReport['card']> }) {
  const { card: name, population } = card;
  const { default_days: defaultDays, horizon_months: horizonMonths } = card;
  return (
    <>
      <p>
        <Trans>
          To fail means to be {defaultDays} days late or more within the next {horizonMonths}{' '}
          months. The scorecard {name} was made from: {population}.
        </Trans>
      </p>
      {card.is_example && (
        <Notice tone="waiting">
          <Trans>
            Example: this scorecard was not made from what became of real loans. Its scores say
            nothing about real people.
          </Trans>
        </Notice>
      )}
    </>
  );
}

function Reasons({ reasons }: { readonly reasons: readonly string[] }) {
  return (
    <>
      <h3>
        <Trans>What lowers this score most</Trans>
      </h3>
      {reasons.length === 0 ? (
        <p>
          <Trans>Nothing on file lowers this score noticeably.</Trans>
        </p>
      ) : (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Remarks({ remarks }: { readonly remarks: readonly string[] }) {
  return remarks.map((remark) => (
    <p key={remark} className={styles['note']}>
      {remark}
    </p>
  ));
}
