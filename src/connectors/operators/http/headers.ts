import { compileExpression, textOf } from './expression.ts';
import type { Expression } from './expression.ts';
import type { HttpSettings } from './settings.ts';

export type HeaderTemplate = (input: object) => Promise<Readonly<Record<string, string>>>;

/** Throws: `Error` naming the setting. */
export function compileHeaders(
  where: string,
  settings: HttpSettings['headers'] = {},
): HeaderTemplate {
  const headers = Object.entries(settings).map(
    ([name, text]) =>
      [
        name.toLowerCase(),
        compileExpression(`${where}.${name}`, text),
        `${where}.${name}`,
      ] as const,
  );
  return async (input) => {
    const given = headers.map(
      async ([name, one, place]) => [name, await headerOf(place, one, input)] as const,
    );
    return Object.fromEntries(await Promise.all(given));
  };
}

/** Rejects with an `Error` that names the setting, not the value, which may be secret. */
export async function headerOf(
  where: string,
  expression: Expression,
  input: object,
): Promise<string> {
  const text = textOf(await expression.evaluate(input));
  if (text === undefined || !/^[\x20-\x7e]+$/.test(text)) {
    throw new Error(`${where} yields no text of a header`);
  }
  return text;
}
