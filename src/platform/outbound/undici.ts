import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/**
 * undici, which is loaded at the first use. It is 110 modules, and makes Node load its own copy of undici too.
 * Commands and processes that call nobody, such as those with the role `api` alone, do without both.
 */
export function undici(): typeof Undici {
  return require('undici') as typeof Undici;
}
