/**
 * A process that starts the embedded database, prints `{"url","pid"}` and stays until it is killed,
 * or prints `{"error"}` and ends. Argument: the folder.
 */
import { startEmbedded } from '../../src/platform/embedded/embedded.ts';

const [, , folder = ''] = process.argv;
try {
  const database = await startEmbedded({ folder, log: () => undefined });
  console.log(JSON.stringify({ url: database.url, pid: database.pid }));
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }));
}
