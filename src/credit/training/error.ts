import { PlainError } from '../../platform/base/plain-error.ts';

/** Samples that no card can be made from. */
export class TrainingError extends PlainError {
  constructor(message: string) {
    super(message);
    this.name = 'TrainingError';
  }
}
