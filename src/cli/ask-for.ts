import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Readable } from 'node:stream';
import type { Cli } from './cli.ts';

/** One line of the input for each question; on a terminal nothing of it is shown. */
export async function askFor(
  { surroundings: { stdin, stderr } }: Cli,
  questions: readonly string[],
): Promise<string[]> {
  const terminal = 'isTTY' in stdin && stdin.isTTY === true;
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: stdin, output: hidden, terminal });
  const lines = reader[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const question of questions) {
      if (terminal) stderr.write(question);
      const { value, done } = await lines.next();
      if (terminal) stderr.write('\n');
      if (done === true) break;
      answers.push(value);
    }
    return answers;
  } finally {
    reader.close();
  }
}

const MAX_KEY_LENGTH = 16_384;

/** The first line of the input. What follows stays for whoever signs in. */
export async function readFirstLine(stdin: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes('\n') || text.length > MAX_KEY_LENGTH) break;
  }
  const [first = '', ...rest] = text.split('\n');
  if (rest.length > 0 && !stdin.readableEnded) stdin.unshift(rest.join('\n'));
  return first.trim();
}
