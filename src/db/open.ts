import path from 'node:path';
import { findRunningEmbedded, startEmbedded } from './embedded/embedded.ts';
import { locateData } from './embedded/folder.ts';

export interface OpenDatabase {
  /** For `createPool`. Holds a password: never log it. */
  readonly url: string;
  /** PostgreSQL's data folder when it is the embedded one. */
  readonly data: string | undefined;
  /** Calls the listener when the embedded server ends by itself; an external one is not watched. */
  onUnexpectedExit(listener: (reason: string) => void): void;
  /** True when this call started the embedded server, so that it ends with us. */
  readonly started: boolean;
  /** Stops the embedded server if this call started it. */
  close(): Promise<void>;
}

/**
 * The database the configuration names: an external one by its URL, or the embedded one in the data
 * folder.
 * @param share true: use the server of a service that runs on the folder (commands); false: be that
 *   service, and fail when there is another.
 */
export async function openDatabase(options: {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly share: boolean;
  readonly log: (line: string) => void;
}): Promise<OpenDatabase> {
  if (options.databaseUrl !== undefined) return opened(options.databaseUrl, undefined);
  const folder = path.join(options.dataDir, 'postgres');
  const running = options.share ? await findRunningEmbedded(folder) : undefined;
  if (running !== undefined) return opened(running, await locateData(folder));
  // Ctrl-C in a terminal reaches a whole process group: the server has to outlive our own last work.
  const server = await startEmbedded({ folder, log: options.log, ownProcessGroup: true });
  return {
    url: server.url,
    data: await locateData(folder),
    started: true,
    onUnexpectedExit: (listener) => server.onUnexpectedExit(listener),
    close: () => server.stop(),
  };
}

function opened(url: string, data: string | undefined): OpenDatabase {
  return { url, data, started: false, onUnexpectedExit: () => {}, close: async () => {} };
}
