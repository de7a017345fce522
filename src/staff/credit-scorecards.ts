import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import { proposingCredit, SCORE_KINDS } from './credit-fields.ts';
import { MAX_MONTHS } from './credit-monitor.ts';
import { cards, detail } from './credit-scorecard-schema.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { requireFile } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text, textOrNull } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/governance/add-card.ts')),
  ...(await import('../credit/governance/read-cards.ts')),
  ...(await import('../credit/scorecards/scorecard.ts')),
  ...(await import('../credit/monitoring/listed-cards.ts')),
});

const change = Type.Object({
  change: text(),
  changed_at: fields.time({ title: 'Changed' }),
  kind: Type.Enum([...SCORE_KINDS], { title: 'Kind' }),
  champion: textOrNull({ title: 'Champion', nullText: 'default' }),
  challenger: textOrNull({ title: 'Challenger', nullText: 'none' }),
  reason: text({ title: 'Reason' }),
});
export type ScorecardChanges = PageOf<'changes', typeof change>;

const MAX_NAME = 60;
const MAX_CARD_BYTES = 1024 * 1024;

/** @param none the word for no card. */
function proposingCard(
  verb: 'use' | 'challenge',
  summary: string,
  role: 'champion' | 'challenger',
  none: string,
) {
  return proposingCredit(
    { name: `credit-scorecard.${verb}`, summary, path: role, proposes: 'credit_scorecard' },
    {
      score: Type.Enum([...SCORE_KINDS], { description: 'which score', argument: true }),
      card: text({
        maxLength: MAX_NAME,
        description: `such as our-generic@2, or ${none}`,
        argument: true,
      }),
    },
    async ({ core: { proposeCard }, input: { score, card }, deps, grounds }) =>
      await proposeCard(deps, { score, role, card: card === none ? null : card }, grounds),
  );
}

export const CREDIT_SCORECARDS: Noun = {
  command: 'credit scorecard',
  summary: 'The scorecards in force, changed at run time.',
  definitions: [
    view(core, {
      name: 'credit-scorecard.list',
      summary: 'Every card, its role, and how good it is.',
      route: 'GET /credit/scorecards',
      permission: 'credit.read',
      input: NOTHING,
      output: cards,
      rows: 'cards',
      handle: async ({ core: { listedCards }, deps: { pool } }) => ({
        cards: wireOf(await listedCards(pool)),
      }),
    }),
    view(core, {
      name: 'credit-scorecard.show',
      summary: 'A card: its points, how its test went, and how it does in use.',
      route: 'GET /credit/scorecards/:card',
      permission: 'credit.read',
      input: inputOf({ card: text({ maxLength: MAX_NAME, description: 'such as our-generic@2' }) }),
      output: detail,
      handle: async ({ core: { shownCard }, input: { card }, deps: { pool } }) => {
        const found = await shownCard(pool, card, MAX_MONTHS);
        if (found !== undefined) {
          const { about, characteristics, ...rest } = found;
          return { ...wireOf(rest), about: { ...about }, characteristics };
        }
        throw new Refusal('not_found', { text: 'No such scorecard' });
      },
    }),
    action(core, {
      name: 'credit-scorecard.add',
      summary: 'Add a card for all processes. It has no role yet.',
      route: 'POST /credit/scorecards',
      permission: 'credit.act',
      actsAlone: 'always',
      file: { name: 'file', description: 'card of `credit train`', maxBytes: MAX_CARD_BYTES },
      input: NOTHING,
      output: Type.Object({
        card: text({ title: 'Card' }),
        kind: Type.Enum([...SCORE_KINDS], { title: 'Kind' }),
      }),
      handle: async ({ core: loaded, deps }) => {
        const { path, name } = requireFile(deps);
        const card = loaded.readScorecard(path, name);
        await loaded.addCard(deps.pool, card, deps.clock.now());
        const result = { card: loaded.cardName(card), kind: card.kind };
        return { result, audit: { target: result.card, after: result } };
      },
    }),
    proposingCard(
      'use',
      'Propose the card that answers, in every process. `default`: the newest shipped one.',
      'champion',
      'default',
    ),
    proposingCard(
      'challenge',
      'Propose a card that scores alongside: its scores are recorded, but not returned. `none` ends this.',
      'challenger',
      'none',
    ),
    list(core, BY_ID, {
      name: 'credit-scorecard.changes',
      summary: 'When cards were put in force, and why, newest first.',
      route: 'GET /credit/scorecard-changes',
      permission: 'credit.read',
      rows: 'changes',
      row: change,
      empty: 'no change: the newest shipped cards answer',
      read: async ({ core: { listCardChanges }, deps: { pool } }, page) =>
        await listCardChanges(pool, page),
      placeOf: ({ changeId }) => changeId,
      show: (shown) => shown.map(({ changeId, ...row }) => wireOf({ change: changeId, ...row })),
    }),
  ],
};
