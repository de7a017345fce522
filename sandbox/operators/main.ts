import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { openProviders } from '../providers/providers.ts';
import { Book } from './book.ts';
import type { Entry } from './book.ts';
import { createCallbackSender } from './callbacks.ts';
import { followCommands } from './control.ts';
import { OperatorSimulator } from './simulator.ts';
import { openJournal } from './journal.ts';
import { createRequestListener } from './listener.ts';
import { readOptions } from './options.ts';
import type { OperatorOptions } from './options.ts';

/** Longer than callers keep idle connections, so that the callers close them. */
const KEEP_ALIVE_MS = 75_000;

try {
  await run(readOptions(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(
    `simulated operators: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
}

/** Starts the simulated operators; they run until a signal, or until the parent is gone. */
async function run(options: OperatorOptions): Promise<void> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
  // The port comes before the journal: a second process started by mistake fails here, before it
  // touches the file.
  await listen(server, options.port);
  // From here to `resume` nothing waits, so no request is served before the journal was read.
  mkdirSync(options.dataDir, { recursive: true });
  const book = new Book();
  const journal = openJournal(path.join(options.dataDir, 'operators.jsonl'), (entry) => {
    book.apply(entry as Entry);
  });
  const callbacks = createCallbackSender(options.key);
  const receiver = new OperatorSimulator({ book, journal, callbacks, delays: options });
  const { key, holdMs } = options;
  const listener = createRequestListener({ receiver, book, key, holdMs });
  server.on('request', withProviders(options, listener));
  receiver.resume();
  followCommands(receiver, book);
  stopWhenAsked();
  announce((server.address() as AddressInfo).port);
}

/** The emulated providers as well, if they are wanted. */
function withProviders(options: OperatorOptions, operators: RequestListener): RequestListener {
  const { providers: callbackBase, darajaId: originalId, darajaLoses = 0 } = options;
  if (callbackBase === undefined) return operators;
  const daraja = { ...(originalId && { originalId }), lostResults: darajaLoses / 100 };
  const providers = openProviders({ ...options, callbackBase, daraja });
  return (request, response) => {
    const isProviders = request.url?.startsWith('/providers') ?? false;
    return isProviders ? providers(request, response) : operators(request, response);
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `port ${port} is in use by another program. Stop it, or choose another port with --port. In the sandbox it is OPERATOR_PORT, by default PORT + 1: setting PORT changes both.`,
      { cause: error },
    );
  }
}

function stopWhenAsked(): void {
  process.once('SIGTERM', stop);
  // Ctrl-C reaches the whole group at once: with a parent, the parent says when it is our turn.
  process.on('SIGINT', () => {
    if (!process.connected) stop();
  });
  process.once('disconnect', stop);
}

/** Everything is in the journal already, so a stop has nothing to save. */
function stop(): never {
  process.exit(0);
}

function announce(port: number): void {
  process.stdout.write(`ready: simulated operators on http://127.0.0.1:${port}\n`);
  process.send?.({ ready: true, port });
}
