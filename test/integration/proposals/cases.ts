import { globSync } from 'node:fs';
import path from 'node:path';
import type { Cases } from './case.ts';

const files = globSync('*-cases.ts', { cwd: import.meta.dirname }).toSorted();
const parts = await Promise.all(
  files.map(async (file) => {
    const part = (await import(path.join(import.meta.dirname, file))) as { readonly CASES: Cases };
    return Object.entries(part.CASES);
  }),
);

/** Every kind of proposal. Each `…-cases.ts` has a part of them. */
export const CASES: Cases = Object.fromEntries(parts.flat());
