import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import { shippedCards } from '../scorecards/score.ts';
import { cardName } from '../scorecards/scorecard.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import { insertCard } from './cards-store.ts';

/**
 * Adds a card. The same card may be added again.
 * Throws: `PlainError` if another card of this name exists, in the database or as a file that is shipped.
 */
export async function addCard(pool: Pool, card: Scorecard, now: Date): Promise<void> {
  const shipped = shippedCards().find((one) => cardName(one) === cardName(card));
  const isShippedOne = shipped === undefined || jsonText(shipped) === jsonText(card);
  await changeSettings(pool, 'scorecards', async (client) => {
    const { isAdded, isSame } = await insertCard(client, card, now);
    // A shipped file may be newer than a card that was stored under its name before.
    if (isSame && (isShippedOne || !isAdded)) return;
    throw new PlainError(
      `${cardName(card)} exists with other content. Enquiries name their card: give the new one another version.`,
    );
  });
}
