import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { VALIDATION_BAND_POINTS } from '../scorecards/scorecard.ts';
import type { Scorecard } from '../scorecards/scorecard.ts';
import { aboutFit, aboutSamples } from './about.ts';
import { TrainingError } from './error.ts';
import { fitScorecard } from './fit.ts';
import type { CardIdentity, Fit } from './fit.ts';

import type { ScoreCounts } from './measures.ts';
import type { Samples } from './samples.ts';
import { judgedScorecard, namedBands, splitSamples, validateCard } from './validation.ts';
import type { Validation } from './validation.ts';

export interface Training {
  readonly fit: Fit;
  readonly validation: Validation;
}

/**
 * Makes a card from part of the samples and validates it on the others. The same samples and seed
 * give the same card. The card's description of itself (`about`) gets the validation results.
 * Throws: `TrainingError` if no card can be made from the samples.
 */
export function trainScorecard(samples: Samples, identity: CardIdentity, seed: number): Training {
  const split = splitSamples(samples, seed);
  if (split.holdOut.bad.every((one) => one === 0)) {
    throw new TrainingError('The hold-out part has no bad sample to judge the card by.');
  }
  const fit = fitScorecard(split.development, identity);
  const validation = validateCard(judgedScorecard(fit.card), split, seed);
  const about = { ...identity.about, ...aboutSamples(samples, true), ...aboutFit(fit, validation) };
  const told = {
    about,
    reference: namedBands(validation.reference),
    ...(validation.parts.holdOut && { validation: outcomesOf(validation.parts.holdOut.counts) }),
  };
  return { fit: { ...fit, card: { ...fit.card, ...told } }, validation };
}

/** Samples by outcome and bands of scores, as a card keeps them. */
export function outcomesOf({ goods, bads }: ScoreCounts): NonNullable<Scorecard['validation']> {
  return { goods: bandsOf(goods), bads: bandsOf(bads) };
}

function bandsOf(counts: Float64Array): Record<string, number> {
  const bands: Record<string, number> = {};
  for (const [score, count] of counts.entries()) {
    if (count === 0) continue;
    const name = String(score - (score % VALIDATION_BAND_POINTS));
    bands[name] = (bands[name] ?? 0) + count;
  }
  return bands;
}

export interface TrainingFiles {
  readonly card: string;
  readonly report: string;
  readonly modelCard: string;
}

/** Writes the card, the report (HTML) and the model card (Markdown) into a folder; returns their paths. */
export async function writeTraining(
  card: Pick<Scorecard, 'version'> & { readonly kind: string },
  texts: { readonly report: string; readonly modelCard: string },
  folder: string,
): Promise<TrainingFiles> {
  const name = `${card.kind}-${card.version}`;
  const files = {
    card: path.join(folder, `${name}.json`),
    report: path.join(folder, `${name}.html`),
    modelCard: path.join(folder, `${name}.md`),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(files.card, `${JSON.stringify(card, undefined, 2)}\n`);
  await writeFile(files.report, texts.report);
  await writeFile(files.modelCard, texts.modelCard);
  return files;
}
