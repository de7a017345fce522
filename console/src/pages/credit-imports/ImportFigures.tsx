import { Trans } from '@lingui/react/macro';
import type { ImportFigures as Figures } from '../../../../src/staff/credit-imports.ts';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';

/** What an import changed, or would change. */
export function ImportFigures({ counts }: { readonly counts: Figures }) {
  const { count } = useFigures();
  const { accounts_added: accountsAdded } = counts;
  const { records, rejected, corrected, unchanged } = counts;
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
        value={count(counts.states_added)}
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
