import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * undici, which is loaded at the first use. It has 110 modules, and makes Node load its own copy of undici too.
 * A process that calls nobody, such as one with the role `api` alone, does without both.
 */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}
