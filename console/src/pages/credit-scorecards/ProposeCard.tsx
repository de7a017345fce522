import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import type { ListedScorecard } from '../../../../src/staff/credit-scorecard-schema.ts';
import { Select } from '../../design/Select.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { ProposeCredit } from '../credit-cases/Propose.tsx';
import type { ProposeProps } from '../../design/ProposeDialog.tsx';
import { SCORE_KINDS } from './scorecard-texts.ts';

/** The word for no card, by role. */
const NO_CARD = { champion: 'default', challenger: 'none' } as const;

/** Another card answers, or is scored alongside. */
export function ProposeCard({
  cards,
  ...dialog
}: ProposeProps & { readonly cards: readonly ListedScorecard[] }) {
  const { t } = useLingui();
  const [score, setScore] = useState('generic');
  const [role, setRole] = useState<keyof typeof NO_CARD>('champion');
  const names = cards.filter(({ kind }) => kind === score).map(({ card }) => [card, card]);
  return (
    <ProposeCredit
      {...dialog}
      what={role}
      title={<Trans>Propose a change</Trans>}
      bodyOf={({ card }) => ({ score, card: card ?? NO_CARD[role] })}
    >
      <Select
        label={t`Score`}
        value={score}
        onChange={(event) => setScore(event.target.value)}
        options={useNames(SCORE_KINDS)}
      />
      <Select
        label={t`Role`}
        value={role}
        onChange={(event) => setRole(event.target.value as typeof role)}
        options={{
          champion: t`Champion: its scores are returned`,
          challenger: t`Challenger: its scores are only recorded`,
        }}
      />
      <Select
        label={t`Card`}
        name="card"
        options={{ ...Object.fromEntries(names), '': t`None: the newest shipped card answers` }}
      />
    </ProposeCredit>
  );
}
