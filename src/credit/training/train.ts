import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Scorecard } from '../scorecards/scorecard.ts';
import { TrainingError, fitScorecard } from './fit.ts';
import type { CardIdentity, Fit } from './fit.ts';
import { modelCard } from './model-card.ts';
import { validationReport } from './report.ts';
import type { Samples } from './samples.ts';
import { splitSamples, validateScorecard } from './validation.ts';
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
  const validation = validateScorecard(fit.card, split, seed);
  const about = { ...identity.about, ...summaryOf(samples, validation) };
  return { fit: { ...fit, card: { ...fit.card, about } }, validation };
}

function summaryOf(
  samples: Samples,
  { parts, adverseImpactRatio }: Validation,
): Scorecard['about'] {
  const { auc, gini, ks } = parts.holdOut!.performance;
  const months = samples.months.toSorted((a, b) => a - b);
  return {
    samples: samples.count,
    badPercent: rounded((100 * samples.bad.reduce((sum, one) => sum + one, 0)) / samples.count),
    observedFrom: monthText(months[0]!),
    observedTo: monthText(months.at(-1)!),
    holdOutAuc: rounded(auc, 4),
    holdOutGini: rounded(gini, 4),
    holdOutKs: rounded(ks, 4),
    ...(parts.outOfTime ? { outOfTimeAuc: rounded(parts.outOfTime.performance.auc, 4) } : {}),
    ...(adverseImpactRatio === undefined
      ? {}
      : { adverseImpactRatio: rounded(adverseImpactRatio) }),
  };
}

export interface TrainingFiles {
  readonly card: string;
  readonly report: string;
  readonly modelCard: string;
}

/** Writes the card, the report (HTML) and the model card (Markdown) into a folder; returns their paths. */
export async function writeTraining(training: Training, folder: string): Promise<TrainingFiles> {
  const { kind, version } = training.fit.card;
  const name = `${kind}-${version}`;
  const files = {
    card: path.join(folder, `${name}.json`),
    report: path.join(folder, `${name}.html`),
    modelCard: path.join(folder, `${name}.md`),
  };
  await mkdir(folder, { recursive: true });
  await writeFile(files.card, `${JSON.stringify(training.fit.card, undefined, 2)}\n`);
  await writeFile(files.report, validationReport(training.fit, training.validation));
  await writeFile(files.modelCard, modelCard(training.fit, training.validation));
  return files;
}

function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

function monthText(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}
