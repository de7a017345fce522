import { Option } from 'commander';
import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { readFileOfToday } from '../../credit/bureaus/registry.ts';
import { readCardsInForce } from '../../credit/governance/cards.ts';
import { readSubject } from '../../credit/registry/store.ts';
import { explainScore, scoreFile } from '../../credit/scorecards/score.ts';
import type { ScoreAnswer } from '../../credit/scorecards/score.ts';
import { SCORE_KINDS } from '../../credit/scorecards/scorecard.ts';
import type { ScoreKind } from '../../credit/scorecards/scorecard.ts';
import type { Cli } from '../cli.ts';
import { crnOf, subjectCommand } from './subject.ts';
import type { SubjectOptions } from './subject.ts';
import { openVault } from './vault.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';

/** Today's score of a person and each of its points, for staff who have to explain a score. */
export function addScoreCommand(credit: Command, cli: Cli): void {
  subjectCommand(
    credit,
    'score',
    'A person’s score today, and its parts. Not an enquiry: nothing is recorded.',
  )
    .addOption(new Option('--kind <kind>', 'which score').choices(SCORE_KINDS).default('generic'))
    .action(async (options: SubjectOptions & { readonly kind: ScoreKind }) => {
      await cli.run(options, async (session) => {
        const vault = await openVault(session);
        const crn = await crnOf(session, vault, options);
        if ((await readSubject(session.pool, vault, crn)) === undefined) {
          throw new PlainError('No subject has this reference.');
        }
        return await explain(session, crn, options.kind);
      });
    });
}

async function explain({ pool, config }: Session, crn: bigint, kind: ScoreKind): Promise<Answer> {
  const file = await readFileOfToday(
    {
      pool,
      clock: systemClock,
      timeZone: config.timeZone,
      retentionDays: config.creditRetentionDays,
    },
    crn,
    null,
  );
  const { champions } = await readCardsInForce(pool);
  const score = scoreFile(file, kind, champions);
  const { basePoints, rows } = explainScore(file, kind, champions);
  return {
    json: {
      crn: String(crn),
      ...score,
      base_points: basePoints,
      characteristics: rows.map(({ maxPoints, ...row }) => ({ ...row, most_points: maxPoints })),
    },
    text: [
      record([
        ['Reference', String(crn)],
        ['Scorecard', score.scorecard],
        ...resultOf(score),
        ['Reasons', score.reasons.filter((reason) => reason !== '').join('; ')],
      ]),
      ...(rows.length === 0
        ? []
        : [
            table(
              [
                { title: 'CHARACTERISTIC' },
                { title: 'VALUE', align: 'right' },
                { title: 'POINTS', align: 'right' },
                { title: 'MAXIMUM', align: 'right' },
              ],
              [
                ['everybody', '', String(basePoints), String(basePoints)],
                ...rows.map((row) => [
                  row.meaning,
                  row.value === null ? 'never' : String(row.value),
                  String(row.points),
                  String(row.maxPoints),
                ]),
              ],
            ),
          ]),
    ].join('\n'),
  };
}

function resultOf({ score, grade, probability }: ScoreAnswer): [string, string][] {
  if (score === '') return [['Score', 'none']];
  return [
    ['Score', score],
    ['Grade', grade],
    ['Probability of default', `${probability} %`],
  ];
}
