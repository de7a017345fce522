import { readFileSync } from 'node:fs';
import { JsonProblem, readJson } from '../../platform/base/json.ts';
import { PlainError } from '../../platform/base/plain-error.ts';

/** Samples that no card can be made from. */
export class TrainingError extends PlainError {
  constructor(message: string) {
    super(message);
    this.name = 'TrainingError';
  }
}

/** Throws: `TrainingError`; the error of the file system. */
export function readJsonFile(file: string): unknown {
  try {
    return readJson(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof JsonProblem) throw new TrainingError(`${file}: ${error.message}`);
    throw error;
  }
}
