import path from 'node:path';
import { embeddedRuntimeUrl, findRunningEmbedded, startEmbedded } from '../embedded/embedded.ts';
import { locateData } from '../embedded/folder.ts';
import { createPool } from './pool.ts';
import { ensureRole } from './runtime-role.ts';

export interface OpenDatabase {
  /** The URL of the runtime role, for `createPool`. Contains a password: never log it. */
  readonly url: string;
  /** The URL of the role that owns the schema. Contains a password: never log it. */
  readonly ownerUrl: string;
  /** PostgreSQL's data folder, if the server is the embedded one. */
  readonly data: string | undefined;
  /**
   * Calls the listener when the embedded server stops unexpectedly. An external server is not
   * watched.
   */
  onUnexpectedExit(listener: (reason: string) => void): void;
  /** True if this call started the embedded server, so that it ends with this process. */
  readonly started: boolean;
  /** Stops the embedded server if this call started it. */
  close(): Promise<void>;
}

/**
 * Opens the configured database: an external one by its URLs, or the embedded one in the data
 * folder, whose runtime role is created here.
 * @param share true (commands): use the server of a service that runs on the folder; false (the
 * service): fail if another service runs on it.
 */
export async function openDatabase(options: {
  readonly databaseUrl: string | undefined;
  /** Default: `databaseUrl`. */
  readonly databaseOwnerUrl: string | undefined;
  readonly dataDir: string;
  readonly share: boolean;
  readonly log: (line: string) => void;
}): Promise<OpenDatabase> {
  if (options.databaseUrl !== undefined) {
    const url = options.databaseUrl;
    return opened({ url, ownerUrl: options.databaseOwnerUrl ?? url }, undefined);
  }
  const folder = path.join(options.dataDir, 'postgres');
  const running = options.share ? await findRunningEmbedded(folder) : undefined;
  if (running !== undefined) {
    const urls = { url: embeddedRuntimeUrl(running), ownerUrl: running };
    return opened(urls, await locateData(folder));
  }
  // Ctrl-C in a terminal reaches the whole process group, but the server must outlive our last
  // work.
  const server = await startEmbedded({ folder, log: options.log, ownProcessGroup: true });
  const url = embeddedRuntimeUrl(server.url);
  try {
    await makeRole(server.url, url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    url,
    ownerUrl: server.url,
    data: await locateData(folder),
    started: true,
    onUnexpectedExit: (listener) => server.onUnexpectedExit(listener),
    close: () => server.stop(),
  };
}

async function makeRole(ownerUrl: string, url: string): Promise<void> {
  const owner = createPool({ url: ownerUrl, max: 1, name: 'start', patient: true });
  try {
    await ensureRole(owner, url);
  } finally {
    await owner.end();
  }
}

function opened(
  urls: Pick<OpenDatabase, 'url' | 'ownerUrl'>,
  data: string | undefined,
): OpenDatabase {
  return { ...urls, data, started: false, onUnexpectedExit: () => {}, close: async () => {} };
}
