/** The identity that a database server reports. Null: it does not report this part. */
export interface ServerIdentity {
  /** Given to a cluster when it is created; every copy of it has the same. */
  readonly systemIdentifier: string | null;
  /** Rises when a restore ends, and when a standby is promoted. */
  readonly timeline: number | null;
}

/** The state of the database's life at one moment. */
export interface Beat {
  /** Rises with every change that was noticed. */
  readonly epoch: number;
  /** Rises every few seconds. */
  readonly beats: bigint;
  /** By the database's clock. */
  readonly seenAt: Date;
}

/** The history row that the database stores. A restored database has an older one. */
export interface HistoryRecord extends ServerIdentity, Beat {
  /** The value of `beats` when the epoch began. */
  readonly epochBeats: bigint;
  /** The epoch began with a change in which nothing seemed to be lost. */
  readonly seemedComplete: boolean;
  /** At the last beat, the server acknowledged a commit only after a standby had it. */
  readonly synchronous: boolean;
}

/** The database is not as it was left. */
export interface HistoryChange {
  /** A text for people, such as `timeline 1 is now 2`. */
  readonly what: string;
  /** Everything done after this moment may be missing. */
  readonly lostFrom: Date;
  /** Nothing is known to be missing, and every commit was on a standby before it was acknowledged. */
  readonly seemsComplete: boolean;
  /** The epoch that begins with it. */
  readonly epoch: number;
}

/** A beat known outside the database proves something only about the time shortly after it. */
const FRESH_MS = 60_000;

const LOST = 2n ** 62n;

/**
 * Compares the server and its record with beats that are known outside of it. Pure. Undefined: it is
 * the database that was last used, and has everything that it had then.
 */
export function findChange(
  record: HistoryRecord,
  server: ServerIdentity,
  known: readonly Beat[],
): HistoryChange | undefined {
  const isOther = differs(record.systemIdentifier, server.systemIdentifier);
  const isBranch = differs(record.timeline, server.timeline);
  const missing = known.some((beat) => isMissing(beat, record));
  if (!isOther && !isBranch && !missing) return undefined;
  const fresh = known.some(
    (beat) =>
      beat.epoch === record.epoch &&
      Math.abs(beat.seenAt.getTime() - record.seenAt.getTime()) <= FRESH_MS,
  );
  const what = [
    ...(isOther ? ['it is in another cluster'] : []),
    ...(isBranch ? [`timeline ${record.timeline} is now ${server.timeline}`] : []),
    ...(missing ? ['it lacks what it had'] : []),
  ];
  return {
    what: what.join(', '),
    lostFrom: record.seenAt,
    seemsComplete: mayBeComplete(record, server) && !missing && fresh,
    epoch: Math.max(record.epoch, ...known.map(({ epoch }) => epoch)) + 1,
  };
}

/**
 * True if what a process remembers shows that the database was restored or replaced, although another
 * process has already acted on it. Pure. The record alone proves nothing, because anyone with write
 * access to the database can change it.
 */
export function wasReplaced(
  remembered: Beat & ServerIdentity,
  record: HistoryRecord,
  server: ServerIdentity,
): boolean {
  return (
    differs(remembered.systemIdentifier, server.systemIdentifier) ||
    differs(remembered.timeline, server.timeline) ||
    (record.epoch > remembered.epoch && remembered.beats > record.epochBeats)
  );
}

/** A standby was promoted, and no commit was acknowledged before a standby had it. */
export function mayBeComplete(record: HistoryRecord, server: ServerIdentity): boolean {
  const isOther = differs(record.systemIdentifier, server.systemIdentifier);
  return !isOther && record.synchronous && (server.timeline ?? 0) > (record.timeline ?? Infinity);
}

/**
 * That a process acknowledged something that the database lacks counts as a beat after all that the
 * database knows.
 */
export function lostAfter(last: Beat): Beat {
  return { ...last, beats: last.beats + LOST };
}

function differs<Value>(one: Value | null, other: Value | null): boolean {
  return one !== null && other !== null && one !== other;
}

function isMissing({ epoch, beats }: Beat, record: HistoryRecord): boolean {
  if (epoch > record.epoch) return true;
  if (epoch === record.epoch) return beats > record.beats;
  // What was lost with the change before is known, unless the change seemed to lose nothing.
  return epoch === record.epoch - 1 && record.seemedComplete && beats > record.epochBeats;
}
