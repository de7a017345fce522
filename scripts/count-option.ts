import { InvalidArgumentError } from 'commander';

/** A whole number from 1 to 999 999 999 on a command line. */
export function countOption(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number ≥ 1.');
  return Number(text);
}
