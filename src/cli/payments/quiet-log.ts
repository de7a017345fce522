import { pino } from 'pino';

/** Silences parts of the service that log: a command prints its result instead. */
export const quietLog = pino({ level: 'silent' });
