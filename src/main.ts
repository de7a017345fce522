import { ConfigError, readConfig } from './config.ts';
import type { Mode } from './environment.ts';
import { EmbeddedDatabaseError } from './platform/embedded/error.ts';
import { StartError, serve } from './run.ts';

/** How it may be started: `npm start` and `npm run serve`. */
const MODES: ReadonlyMap<string | undefined, Mode> = new Map([
  ['sandbox', 'sandbox'],
  ['serve', 'production'],
]);

try {
  const mode = MODES.get(process.argv[2]);
  // Nobody gets a sandbox, whose keys are public, by a slip of the pen.
  if (mode === undefined) throw new StartError('Start it with: npm start, or: npm run serve');
  const config = readConfig(mode);
  if (mode === 'production') await serve(config);
  else {
    const { startSandbox } = await import('../sandbox/start.ts');
    await startSandbox(config);
  }
} catch (error) {
  // What a person can mend is said in plain words; the rest with its stack.
  const plain =
    error instanceof ConfigError ||
    error instanceof EmbeddedDatabaseError ||
    (error as { plain?: unknown } | null)?.plain === true;
  process.stderr.write(
    `${plain ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`,
  );
  process.exit(1);
}
