import { ConfigError, readConfig } from './config.ts';
import type { Mode } from './config.ts';
import { EmbeddedDatabaseError } from './db/embedded-error.ts';
import { serve } from './serve.ts';

/** `main.ts sandbox` (npm start) or `main.ts serve` (npm run serve). */
const mode: Mode = process.argv[2] === 'serve' ? 'production' : 'sandbox';

try {
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
