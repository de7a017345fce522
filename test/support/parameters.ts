import { KnownNames } from '../../src/platform/http/wire/parameters.ts';
import type { Parameters } from '../../src/platform/http/wire/parameters.ts';

/** The parameters of a signed operation, as if it were the only one. `hash` is optional. */
export function parametersOf(names: Iterable<string>): Parameters {
  return new KnownNames().signed(names);
}
