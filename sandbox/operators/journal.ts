import { constants, openSync, readFileSync, writeSync } from 'node:fs';

/** An append-only file of one JSON object a line; open as long as the process lives. */
export interface Journal {
  /**
   * Writes one line. When it returns, the line is with the operating system, so it outlives a kill
   * of this process (not a power cut: there is no fsync, these are simulated operators).
   * Throws: the file system's error; nothing of the line counts then.
   */
  append(entry: object): void;
}

const NEWLINE = 0x0a;

/**
 * Opens or creates the journal and hands every complete line to `replay`, oldest first. A last line
 * without its newline was torn by a kill before any answer left; it is not replayed, and
 * overwritten by the next one.
 * Throws: an error naming the line when one in the middle cannot be read.
 */
export function openJournal(file: string, replay: (entry: unknown) => void): Journal {
  // Not O_APPEND, which would ignore the position of a write.
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  let length = replayLines(file, readFileSync(descriptor), replay);
  return {
    append(entry) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      // Synchronous on purpose: state and file change in one step, and a write to the page cache
      // takes microseconds. A failed write is overwritten by the next one.
      let written = 0;
      while (written < line.length) {
        written += writeSync(descriptor, line, written, line.length - written, length + written);
      }
      length += line.length;
    },
  };
}

/** Returns the length in bytes of the complete lines. */
function replayLines(file: string, content: Buffer, replay: (entry: unknown) => void): number {
  let start = 0;
  for (let lineNumber = 1; ; lineNumber += 1) {
    const end = content.indexOf(NEWLINE, start);
    if (end === -1) return start;
    try {
      replay(JSON.parse(content.toString('utf8', start, end)));
    } catch (error) {
      throw new Error(
        `${file} cannot be read from line ${lineNumber} on. Move the file away to start without the payments in it.`,
        { cause: error },
      );
    }
    start = end + 1;
  }
}
