/** Objects and lists inside each other, in any JSON that others write. */
const MAX_DEPTH = 32;

/** Thrown by `readJson` for text that it refuses. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  /** The name that occurs twice in one object; undefined: the text is refused for another reason. */
  readonly repeated: string | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly repeated?: string }) {
    super(message, { cause: options.cause });
    this.repeated = options.repeated;
  }
}

/** Return type of numbers: `text` keeps every digit of a number that is too long for `number`. */
export type Numbers = 'number' | 'text';

/**
 * Reads JSON that others have written. Receivers differ in which of two equal names of an object
 * they use, so a repeated name is refused, and so is a text that is nested deeply enough to exhaust
 * the stack of a function that visits it. Throws: `JsonProblem`.
 */
export function readJson(text: string, numbers: Numbers = 'number'): unknown {
  const repeated = firstRepeatedName(text);
  if (repeated !== undefined) {
    throw new JsonProblem(`the name ${JSON.stringify(repeated)} occurs twice in one object`, {
      repeated,
    });
  }
  return parse(text, numbers);
}

/**
 * Reads JSON in which names may repeat; the last one counts, as for `JSON.parse`. Only to find out
 * what a text that `readJson` refused is about: nothing may be decided by its values.
 * Throws: `JsonProblem`.
 */
export function readContradictoryJson(text: string, numbers: Numbers = 'number'): unknown {
  firstRepeatedName(text);
  return parse(text, numbers);
}

const parsed = {
  number: (text: string): unknown => JSON.parse(text),
  text: (text: string): unknown =>
    JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value,
    ),
} as const;

function parse(text: string, numbers: Numbers): unknown {
  try {
    return parsed[numbers](text);
  } catch (cause) {
    throw new JsonProblem((cause as Error).message, { cause });
  }
}

/** A string, or a bracket. Whatever is between them does not matter here. */
const TOKEN = /["{}[\]]/g;
const AFTER_NAME = /\s*:/y;

/** In valid JSON; in any other text it may find anything. Throws: `JsonProblem` for deep nesting. */
function firstRepeatedName(text: string): string | undefined {
  // The names of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [token] = found;
    if (token === '{' || token === '[') {
      if (open.length === MAX_DEPTH) {
        throw new JsonProblem(`more than ${MAX_DEPTH} objects and lists are inside each other`, {});
      }
      open.push(token === '{' ? new Set() : undefined);
    } else if (token === '"') {
      const end = endOfString(text, found.index);
      TOKEN.lastIndex = end;
      AFTER_NAME.lastIndex = end;
      const names = open.at(-1);
      if (names !== undefined && AFTER_NAME.test(text)) {
        const name = unescaped(text.slice(found.index, end));
        if (names.has(name)) return name;
        names.add(name);
      }
    } else {
      open.pop();
    }
  }
  return undefined;
}

/** The position behind the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let quote = start;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

/** `"\u0061"` and `"a"` are the same name. */
function unescaped(quoted: string): string {
  return quoted.includes('\\') ? String(parse(quoted, 'number')) : quoted.slice(1, -1);
}
