import { setTimeout as delay } from 'node:timers/promises';
import type { AnyAction, AnyView } from '../../staff/definition.ts';
import type { Row } from '../../staff/present.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import type { Answer } from '../output.ts';
import { shownAnswer } from './shown.ts';
import type { ShownHow } from './shown.ts';

const LOOK_EVERY_MS = 200;
const CODES = { done: EXIT.done, failed: EXIT.failed } as const;

interface Waiting extends ShownHow, Pick<Cli, 'progress'> {
  readonly seconds: number;
  readonly look: (of: AnyView, input: Row) => Promise<Row>;
}

/** What an action has come to, once it has ended or the time is over. */
export async function shownAtEnd(
  of: AnyAction,
  ends: NonNullable<AnyAction['ends']>,
  first: Row,
  { seconds, look, progress, ...how }: Waiting,
): Promise<Answer> {
  const until = performance.now() + seconds * 1000;
  for (let answer = first; ;) {
    const input = ends.inputOf(answer);
    const { text, end } = ends.stateOf(answer);
    const named = Object.values(input).join(' ');
    if (end === null && performance.now() < until) {
      progress.show(`${named} is ${text}`);
      await delay(LOOK_EVERY_MS);
      answer = { ...answer, ...(await look(ends.seenIn, input)) };
      continue;
    }
    const shown = shownAnswer(of, answer, how);
    if (end !== null) return { ...shown, exitCode: CODES[end] };
    const command = `${ends.seenIn.name.replace('.', ' ')} ${named}`;
    const later = `\nIt has no final result yet. Is a service running on this database? Look later with: malipo ${command}\n`;
    return { ...shown, text: shown.text + later, exitCode: EXIT.notEnded };
  }
}
