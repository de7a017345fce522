import { Argument } from 'commander';
import type { Command } from 'commander';
import { proposeCard } from '../../credit/decisions/propose.ts';
import { addCard, listCardChanges } from '../../credit/governance/cards-store.ts';
import { readAllCards, readCardsInForce } from '../../credit/governance/cards.ts';
import { SCORE_KINDS, cardName, readScorecard } from '../../credit/scorecards/scorecard.ts';
import type { ScoreKind } from '../../credit/scorecards/scorecard.ts';
import { command, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import { propose, proposing } from './proposals.ts';
import type { GroundsOptions } from './proposals.ts';

const kindArgument = (): Argument =>
  new Argument('<kind>', 'the score').choices(SCORE_KINDS).argRequired();

/** Which scorecards answer, and which are scored alongside. */
export function addScorecardCommands(credit: Command, cli: Cli): void {
  const scorecard = credit
    .command('scorecard')
    .description('The scorecards in force, changed at run time.');
  addList(scorecard, cli);
  addAdd(scorecard, cli);
  addChange(scorecard, cli, {
    spec: 'use',
    summary: 'Propose the card that answers, in every process. `default`: the newest shipped one.',
    role: 'champion',
    none: 'default',
  });
  addChange(scorecard, cli, {
    spec: 'challenge',
    summary:
      'Propose a card that scores alongside: its scores are recorded, but not returned. `none` ends this.',
    role: 'challenger',
    none: 'none',
  });
  addChanges(scorecard, cli);
}

function addList(scorecard: Command, cli: Cli): void {
  command(scorecard, 'list', 'Every card, and its role.').action(
    async (options: { json?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        const { champions, challengers } = await readCardsInForce(pool);
        const cards = [...(await readAllCards(pool))].map(([card, { kind, about }]) => {
          const roleOf = (): string => {
            if (cardName(champions[kind]) === card) return 'champion';
            const challenger = challengers[kind];
            return challenger !== undefined && cardName(challenger) === card ? 'challenger' : '';
          };
          return { card, kind, role: roleOf(), origin: String(about['origin'] ?? '') };
        });
        return {
          json: { cards },
          text: table(
            [{ title: 'CARD' }, { title: 'KIND' }, { title: 'ROLE' }, { title: 'ORIGIN' }],
            cards.map((one) => [one.card, one.kind, one.role, one.origin]),
          ),
        };
      });
    },
  );
}

function addAdd(scorecard: Command, cli: Cli): void {
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

interface RoleCommand {
  readonly spec: string;
  readonly summary: string;
  readonly role: 'champion' | 'challenger';
  /** The word for no card. */
  readonly none: string;
}

function addChange(scorecard: Command, cli: Cli, { spec, summary, role, none }: RoleCommand): void {
  proposing(
    command(scorecard, spec, summary)
      .addArgument(kindArgument())
      .argument('<card>', `such as our-generic@2, or ${none}`),
  ).action(async (score: ScoreKind, name: string, options: GroundsOptions) => {
    await cli.run(options, async (session) => {
      const asked = { score, role, card: name === none ? null : name };
      const step = { session, options, about: ['scorecard', score] as const };
      return await propose(cli, step, (deps, grounds) => proposeCard(deps, asked, grounds));
    });
  });
}

function addChanges(scorecard: Command, cli: Cli): void {
  command(scorecard, 'changes', 'When cards were put in force, and why, newest first.')
    .option('--limit <count>', 'at most this many', wholeNumber(1, 10_000), 100)
    .action(async (options: { json?: boolean; limit: number }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const changes = (await listCardChanges(pool, options.limit)).map((one) => ({
          changed: wireTime.format(one.changedAt),
          kind: one.kind,
          champion: one.champion,
          challenger: one.challenger,
          reason: one.reason,
        }));
        return {
          json: { changes },
          text: table(
            ['CHANGED', 'KIND', 'CHAMPION', 'CHALLENGER', 'REASON'].map((title) => ({ title })),
            changes.map((one) => [
              one.changed,
              one.kind,
              one.champion ?? 'default',
              one.challenger ?? 'none',
              one.reason,
            ]),
            'no change: the newest shipped cards answer',
          ),
        };
      });
    });
}
