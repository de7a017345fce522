import { PlainError } from '../../platform/base/plain-error.ts';

/** Why a file cannot be imported at all; for people. */
export class ImportError extends PlainError {}
