import { CommanderError, InvalidArgumentError } from 'commander';
import { EXIT } from './exit.ts';

/** An invalid command line; the message names the option. */
export class UsageError extends Error {}

export interface Explanation {
  /** Written to stderr; empty if it has already been written. */
  readonly text: string;
  readonly exitCode: number;
}

/** The properties by which errors are recognised, so that `--help` need not load their modules. */
interface Shape {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly field?: unknown;
  readonly plain?: unknown;
  readonly severity?: unknown;
  readonly syscall?: unknown;
  readonly stack?: unknown;
}

const FIXABLE = new Set(['ConfigError', 'EmbeddedDatabaseError']);

/** An error in plain words. An unexpected one keeps its stack, for a report. */
export function explain(error: unknown): Explanation {
  // Thrown by a command, not by a parser of Commander's, which writes it with the argument's name.
  if (error instanceof InvalidArgumentError) {
    return { text: `error: ${error.message}`, exitCode: EXIT.usage };
  }
  if (error instanceof CommanderError) {
    return { text: '', exitCode: error.exitCode === 0 ? EXIT.done : EXIT.usage };
  }
  if (error instanceof UsageError) return { text: `error: ${error.message}`, exitCode: EXIT.usage };
  const shape = (typeof error === 'object' && error !== null ? error : {}) as Shape;
  return { text: `error: ${wordsOf(error, shape)}`, exitCode: EXIT.failed };
}

function wordsOf(error: unknown, shape: Shape): string {
  const message = String(shape.message ?? error);
  const option = typeof shape.field === 'string' ? `${optionOf(shape.field)}: ` : '';
  if (shape.name === 'Refusal') return `${option}${message} (${String(shape.code)})`;
  if (shape.plain === true || FIXABLE.has(String(shape.name))) return `${option}${message}`;
  const code = typeof shape.code === 'string' ? shape.code : '';
  if (shape.syscall === 'connect' || isConnectionFailure(code, message)) {
    return `The database cannot be reached${code === '' ? '' : ` (${code})`}, or closed the connection. Check DATABASE_URL and that the server is running.`;
  }
  if (code === '42501') {
    return `The role of the database connection may not do this: ${message}. Commands that change the schema, archive or re-encrypt need DATABASE_OWNER_URL, the role that owns the schema.`;
  }
  if (shape.severity !== undefined) return `The database reported an error: ${message} (${code})`;
  // About a file: the message names what failed, and usually the file.
  if (typeof shape.syscall === 'string') return message;
  return typeof shape.stack === 'string' ? shape.stack : message;
}

/** Class 08: connection exceptions; 57P: the server is going away; E…: the socket. */
function isConnectionFailure(code: string, message: string): boolean {
  if (code === '') return /^(Connection terminated|timeout exceeded)/.test(message);
  return (
    /^(08|57P)/.test(code) || /^(ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT|EPIPE)/.test(code)
  );
}

/** Where the option is not the parameter's name. */
const OPTIONS: Readonly<Record<string, string>> = {
  biller_name: '--biller',
  lines: '--debit, --credit',
};

/** The option that corresponds to a parameter of the API. */
function optionOf(field: string): string {
  return OPTIONS[field] ?? `--${field.replaceAll('_', '-')}`;
}
