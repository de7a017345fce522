import type { Logger } from 'pino';
import { openKeys } from '../../parties/keys.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Secret } from '../../connectors/operator.ts';
import { sourceProtocolOf } from '../../connectors/registry.ts';
import type { ReceiptSource } from '../../connectors/source.ts';
import { listSources } from './sources-store.ts';
import type { SourceRow } from './sources-store.ts';

/** A source that reports by itself. */
export interface OpenSource {
  readonly row: Pick<SourceRow, 'sourceCode' | 'collector' | 'bank'>;
  readonly provider: ReceiptSource;
}

/** The active sources in memory, replaced when a command changes them. */
export interface ReceiptSources {
  source(sourceCode: string): OpenSource | undefined;
  sources(): readonly OpenSource[];
  readonly reload: () => Promise<void>;
  close(): Promise<void>;
}

/** Holders of keys: what the provider gave us, and what our callback URLs are made with. */
export function keyHolders(sourceCode: string): {
  readonly provider: string;
  readonly paths: string;
} {
  return { provider: sourceCode, paths: `${sourceCode}|paths` };
}

/** The keys of all sources in plain text, newest first, by holder. */
async function openSourceKeys(
  pool: Pool,
  masterKeys: MasterKeys,
): Promise<ReadonlyMap<string, readonly Secret[]>> {
  const keys = new Map<string, Secret[]>();
  for (const { holder, secret, validUntil } of await openKeys(pool, ['source'], masterKeys)) {
    keys.set(holder, [...(keys.get(holder) ?? []), { secret, validUntil }]);
  }
  return keys;
}

interface SourceOptions {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  /** Callbacks of a source go to `<callbackBase>/<source code>`. */
  readonly callbackBase: string;
  readonly log: Logger;
}

/** One source, which the caller closes. Undefined: it has no key yet, or cannot be used. */
export async function openSource(
  options: SourceOptions,
  row: SourceRow,
): Promise<OpenSource | undefined> {
  return openWith(
    options,
    row,
    keysOf(await openSourceKeys(options.pool, options.masterKeys), row),
  );
}

/** The provider's keys, then those of our callback URLs. */
type SourceKeys = readonly [readonly Secret[], readonly Secret[]];

function keysOf(
  keys: ReadonlyMap<string, readonly Secret[]>,
  { sourceCode }: SourceRow,
): SourceKeys {
  const holders = keyHolders(sourceCode);
  return [keys.get(holders.provider) ?? [], keys.get(holders.paths) ?? []];
}

function openWith(
  { callbackBase, log }: SourceOptions,
  row: SourceRow,
  [[newest], pathSecrets]: SourceKeys,
): OpenSource | undefined {
  const { sourceCode } = row;
  const protocol = sourceProtocolOf(row.kind);
  if (protocol === undefined) return undefined;
  if (newest === undefined || pathSecrets.length === 0) {
    log.warn({ sourceCode }, 'a source of receipts has no key yet');
    return undefined;
  }
  try {
    const provider = protocol.create({
      ...row,
      secret: newest.secret,
      pathSecrets,
      callbackUrl: `${callbackBase}/${sourceCode}`,
    });
    return { row, provider };
  } catch (error) {
    // One source must not stop the others.
    log.error({ err: error }, 'a source of receipts cannot be used');
    return undefined;
  }
}

export function createReceiptSources(options: SourceOptions): ReceiptSources {
  const { pool, masterKeys } = options;
  let sources = new Map<string, { readonly source: OpenSource; readonly made: string }>();
  const closing = new Set<Promise<void>>();
  const retire = ({ provider }: OpenSource): void => {
    const done = provider.close().finally(() => closing.delete(done));
    closing.add(done);
  };
  return {
    source: (sourceCode) => sources.get(sourceCode)?.source,
    sources: () => [...sources.values()].map(({ source }) => source),
    reload: async () => {
      const [rows, keys] = [await listSources(pool), await openSourceKeys(pool, masterKeys)];
      const next: typeof sources = new Map();
      for (const row of rows) {
        if (row.status !== 'active' || sourceProtocolOf(row.kind) === undefined) continue;
        const given = keysOf(keys, row);
        const made = JSON.stringify([row.settings, row.collector, row.bank, given]);
        const known = sources.get(row.sourceCode);
        const source = known?.made === made ? known.source : openWith(options, row, given);
        if (source !== undefined) next.set(row.sourceCode, { source, made });
      }
      for (const [sourceCode, { source }] of sources) {
        if (next.get(sourceCode)?.source !== source) retire(source);
      }
      sources = next;
    },
    close: async () => {
      for (const { source } of sources.values()) retire(source);
      sources = new Map();
      await Promise.all(closing);
    },
  };
}
