import { Trans } from '@lingui/react/macro';
import type { ImportTrialAnswer } from '../../../../src/console/credit-answers.ts';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';

/** What an import changed, or would change. */
export function ImportFigures({ counts }: Pick<ImportTrialAnswer, 'counts'>) {
  const { count } = useFigures();
  const { records, rejected, statesAdded, accountsAdded, corrected, unchanged } = counts;
  return (
    <Tiles>
      <Tile
        label={<Trans>Accepted</Trans>}
        value={count(records - rejected)}
        note={<Trans>of {count(records)} records</Trans>}
      />
      <Tile
        label={<Trans>Refused</Trans>}
        value={count(rejected)}
        note={<Trans>nothing of them is imported</Trans>}
        tone={rejected > 0 ? 'waiting' : undefined}
      />
      <Tile
        label={<Trans>States of accounts added</Trans>}
        value={count(statesAdded)}
        note={<Trans>{count(accountsAdded)} accounts are new</Trans>}
      />
      <Tile
        label={<Trans>Corrected</Trans>}
        value={count(corrected)}
        note={<Trans>{count(unchanged)} unchanged</Trans>}
      />
    </Tiles>
  );
}
