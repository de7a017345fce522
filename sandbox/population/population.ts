import type { CreditFile } from '../../src/credit/facts.ts';
import type { Profile } from '../../src/credit/registry/profile.ts';
import { createCalendar } from './calendar.ts';
import type { Calendar } from './calendar.ts';
import { exampleSubjects } from './examples.ts';
import { liveLife } from './life.ts';
import { MAX_SUBJECTS, makePerson } from './person.ts';
import { createRandom } from './random.ts';
import { drawOutcomes } from './truth.ts';
import type { Outcomes } from './truth.ts';

/** A made-up subject as a registry would hold it. `key` of an account is `LENDER/ACCOUNTNUMBER`. */
export interface Subject {
  readonly profile: Profile;
  readonly file: CreditFile;
}

/** A subject, and what becomes of it by the known default model. */
export interface GeneratedSubject extends Subject {
  readonly outcomes: Outcomes;
}

export interface PopulationOptions {
  /** A whole number; the same seed makes the same people, whatever their number. */
  readonly seed: number;
  readonly subjects: number;
  /** The last day of a month, at midnight UTC. Default `SANDBOX_AS_OF`. */
  readonly asOf?: Date;
}

/** The date the sandbox’s registry is made for, unless another is given. */
export const SANDBOX_AS_OF = new Date('2026-10-31T00:00:00Z');

/**
 * The sandbox’s population: the five documented examples first, then random subjects until there are
 * `subjects` in all. Lazy, a subject at a time.
 * Throws: RangeError for a number of subjects or an as-of date that cannot be.
 */
export function* generatePopulation(options: PopulationOptions): Generator<Subject> {
  let left = options.subjects;
  for (const subject of exampleSubjects(options.asOf ?? SANDBOX_AS_OF)) {
    if (left-- > 0) yield subject;
  }
  yield* generateSubjects({ ...options, subjects: Math.max(0, left) });
}

/** Random subjects only, each with its outcome. Throws as `generatePopulation`. */
export function* generateSubjects(options: PopulationOptions): Generator<GeneratedSubject> {
  const { seed, subjects } = options;
  if (!Number.isSafeInteger(subjects) || subjects < 0 || subjects > MAX_SUBJECTS) {
    throw new RangeError(`subjects must be a whole number from 0 to ${MAX_SUBJECTS}`);
  }
  const calendar = createCalendar(options.asOf ?? SANDBOX_AS_OF);
  for (let index = 0; index < subjects; index++) yield generateSubject(seed, index, calendar);
}

function generateSubject(seed: number, index: number, calendar: Calendar): GeneratedSubject {
  // Streams of their own: nothing drawn for the person can leak into the life.
  const profile = makePerson(index, calendar, createRandom(seed, 2 * index));
  const random = createRandom(seed, 2 * index + 1);
  const life = liveLife(calendar, random, String(index).padStart(7, '0'));
  return { profile, file: life.file, outcomes: drawOutcomes(life.behaviour, random) };
}
