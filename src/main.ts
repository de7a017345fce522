import { ConfigError, readConfig } from './config.ts';
import type { Mode } from './environment.ts';
import { EmbeddedDatabaseError } from './platform/embedded/error.ts';
import { StartError, serve } from './run.ts';

/** Option of the sandbox: with emulated providers. */
const PROVIDERS = '--providers';

/** The supported ways to start: `npm start` and `npm run serve`. */
const MODES: ReadonlyMap<string | undefined, Mode> = new Map([
  ['sandbox', 'sandbox'],
  ['serve', 'production'],
]);

try {
  const [name, ...options] = process.argv.slice(2);
  const mode = MODES.get(name);
  const isUnknown = options.some((option) => mode !== 'sandbox' || option !== PROVIDERS);
  // The sandbox, whose keys are public, must never start by a typing mistake.
  if (mode === undefined || isUnknown) {
    throw new StartError(`Start it with: npm start, npm start -- ${PROVIDERS}, or: npm run serve`);
  }
  const config = readConfig(mode);
  if (mode === 'production') await serve(config);
  else {
    const { startSandbox } = await import('../sandbox/start.ts');
    await startSandbox(config, { providers: options.includes(PROVIDERS) });
  }
} catch (error) {
  // A problem that the user can fix is printed as plain text, anything else with its stack.
  const plain =
    error instanceof ConfigError ||
    error instanceof EmbeddedDatabaseError ||
    (error as { plain?: unknown } | null)?.plain === true;
  process.stderr.write(
    `${plain ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`,
  );
  process.exit(1);
}
