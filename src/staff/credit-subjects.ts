import { Type } from 'typebox';
import { DAY_MS } from '../platform/base/days.ts';
import { NAMES_SUBJECT, ofSubject, SCORE_KINDS } from './credit-fields.ts';
import { SUBJECT_DOCUMENT } from './credit-documents.ts';
import { SUBJECT_REPORT } from './credit-subject-report.ts';
import { action, view } from './definition.ts';
import type { Definition } from './definition.ts';
import { displayName, inputOf, orNull, text, time } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/bureaus/registry.ts')),
  ...(await import('../credit/governance/cards.ts')),
  ...(await import('../credit/registry/named-subject.ts')),
  ...(await import('../credit/reports/access-links.ts')),
  ...(await import('../credit/scorecards/score.ts')),
});

const count = (title: string) => Type.Integer({ title, unit: 'count' });

const score = Type.Object({
  crn: text({ title: 'Reference' }),
  scorecard: text({ title: 'Scorecard' }),
  /** An empty text if the person has no score. */
  score: text({ title: 'Score', text: (value: string) => value || 'none' }),
  grade: text({ title: 'Grade' }),
  /** The probability of a default, in per cent. */
  probability: text({
    title: 'Probability of default',
    text: (value: string) => value && `${value} %`,
  }),
  reasons: Type.Array(text(), {
    title: 'Reasons',
    text: (given: readonly string[]) => given.filter((each) => each !== '').join('; '),
  }),
  base_points: count('Points of everybody'),
  characteristics: Type.Array(
    Type.Object({
      name: text(),
      meaning: text({ title: 'Characteristic' }),
      value: orNull(Type.Number(), { title: 'Value', unit: 'count', nullText: 'never' }),
      points: count('Points'),
      most_points: count('Maximum'),
    }),
    { title: 'Points' },
  ),
});

/** About one person on file. */
export const OF_SUBJECTS: readonly Definition[] = [
  SUBJECT_REPORT,
  SUBJECT_DOCUMENT,
  view(core, {
    name: 'credit.score',
    summary: 'A person’s score today, and its parts. Not an enquiry: nothing is recorded of it.',
    route: 'POST /credit/score',
    permission: 'credit.reports',
    isNoted: true,
    needsOne: NAMES_SUBJECT,
    input: inputOf({
      ...ofSubject,
      kind: Type.Enum([...SCORE_KINDS], { default: 'generic', description: 'which score' }),
    }),
    output: score,
    handle: async ({ core: loaded, input: { kind, ...named }, deps }) => {
      const desk = await deps.credit();
      const crn = await loaded.crnOf(desk, named);
      const file = await loaded.readFileOfToday(desk, crn, null);
      const { champions } = await loaded.readCardsInForce(desk.pool);
      const { basePoints, rows } = loaded.explainScore(file, kind, champions);
      return {
        ...{ crn: String(crn), ...wireOf(loaded.scoreFile(file, kind, champions)) },
        base_points: basePoints,
        characteristics: rows.map(({ maxPoints, ...row }) => ({ ...row, most_points: maxPoints })),
      };
    },
  }),
  action(core, {
    name: 'credit.access-link',
    summary:
      'Make a one-time link to a person’s report. Check the person’s identity first, and give the link only to this person.',
    route: 'POST /credit/access-links',
    permission: 'credit.reports',
    actsAlone: 'always',
    needsOne: NAMES_SUBJECT,
    input: inputOf({
      ...ofSubject,
      evidence: displayName({ description: 'how the identity was checked', placeholder: 'text' }),
      days: Type.Integer({
        ...{ minimum: 1, maximum: 30, default: 7 },
        description: 'days until the link expires, at most 30',
      }),
    }),
    output: Type.Object({
      crn: text({ title: 'Reference' }),
      link: orNull(text(), { title: 'Link', secret: true }),
      /** Until then it works once, with the birth date on file. */
      expires_at: time({ title: 'Expires' }),
    }),
    handle: async ({ core: loaded, input: { evidence, days, ...named }, deps }) => {
      const desk = await deps.credit();
      const crn = await loaded.crnOf(desk, named);
      const at = deps.clock.now();
      const expiresAt = new Date(at.getTime() + days * DAY_MS);
      const made = { crn, evidence, at, expiresAt };
      const tools = { pool: deps.pool, ledgerMac: await deps.ledgerMac() };
      const token = await loaded.makeAccessLink(tools, made);
      const ends = { expires_at: expiresAt.toISOString() };
      return {
        result: { crn: String(crn), link: `${desk.accessUrl}#${token}`, ...ends },
        audit: { after: ends },
      };
    },
  }),
];
