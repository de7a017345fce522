import { pino } from 'pino';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Registered } from '../../connectors/source.ts';
import { requireSource } from './administer.ts';
import { openSource } from './sources.ts';
import type { OpenSource } from './sources.ts';

export interface AskingSource {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly publicUrl: string;
}

/** The result of questions that people ask a provider. Throws: `PlainError` if the source does not exist, or has no key. */
export async function askSource<Result>(
  { pool, masterKeys, publicUrl }: AskingSource,
  sourceCode: string,
  ask: (source: OpenSource) => Promise<Result>,
): Promise<Result> {
  const row = await requireSource(pool, sourceCode);
  const options = { pool, masterKeys, callbackBase: `${publicUrl}/receipts`, log: QUIET };
  const source = await openSource(options, row);
  if (source === undefined) throw new PlainError(`Source ${row.sourceCode} has no key yet.`);
  try {
    return await ask(source);
  } finally {
    await source.provider.close();
  }
}

/** Whoever asks is told what is wrong. */
const QUIET = pino({ level: 'silent' });

/** The provider's answer to a registration. The pull is null where it lists no payments. */
export interface RegisteredSource {
  readonly urls: Registered;
  readonly pull: Registered | null;
}

/** Registers our URLs, and the pull, with the provider. */
export async function registerSource({ provider }: OpenSource): Promise<RegisteredSource> {
  const { signal } = new AbortController();
  const urls = await provider.register(signal);
  return { urls, pull: (await provider.registerPull?.(signal)) ?? null };
}
