import { hostname } from 'node:os';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { programVersion } from './program-version.ts';

/**
 * JSON lines on stdout (stderr in the sandbox, where stdout is for people). Every logged field is
 * chosen explicitly, and none holds a key, a hash, a name or a full account number. Errors are
 * reduced to what locates them, because a database error's detail can repeat a row.
 */
export function createLog(options: {
  readonly level: string;
  /** Roles of the process, which every line names, like the host and the version. Default: not known. */
  readonly roles?: ReadonlySet<string>;
  /** A file descriptor, or a stream that receives the lines. */
  readonly destination: 1 | 2 | DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level,
      base: {
        host: hostname(),
        ...(options.roles === undefined ? {} : { roles: [...options.roles].join(',') }),
        version: programVersion(),
      },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    typeof options.destination === 'number'
      ? pino.destination({ dest: options.destination, sync: false })
      : options.destination,
  );
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: 'a value other than an error was thrown' };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
