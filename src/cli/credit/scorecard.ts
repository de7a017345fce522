import type { Command } from 'commander';
import { addCard } from '../../credit/governance/cards-store.ts';
import { cardName, readScorecard } from '../../credit/scorecards/scorecard.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';

/** Adds a card of `credit train`. */
export function addScorecardCommands(credit: Command, cli: Cli): void {
  const scorecard = credit.command('scorecard');
  command(scorecard, 'add', 'Add a card for all processes. It has no role yet.')
    .argument('<file>', 'card of `credit train`')
    .action(async (file: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        const card = readScorecard(file);
        await addCard(pool, card, new Date());
        const name = cardName(card);
        return { json: { card: name, kind: card.kind }, text: `${name} was added.\n` };
      });
    });
}
