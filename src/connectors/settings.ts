import type { Static, TSchema } from 'typebox';
import { compiled } from '../platform/base/compiled.ts';
import { readJson } from '../platform/base/json.ts';
import { problemText } from '../platform/base/problem-text.ts';
import type { Secret, UsableOperator } from './operator.ts';

/** All of an operator's secrets that are valid, newest first; the example while it has none. */
export function secretsOf({ secret, secrets }: UsableOperator): readonly Secret[] {
  return secrets.length > 0 ? secrets : [{ secret, validUntil: null }];
}

/**
 * A reader of settings, or of a secret with several parts. It throws an `Error` naming the operator
 * and the invalid field, without the value, which may be secret.
 * @param kind what the settings are of.
 */
export function createSettingsReader<Schema extends TSchema>(
  schema: Schema,
  kind = 'operator',
): (operatorCode: string, given: unknown, what?: string) => Static<Schema> {
  const check = compiled(schema);
  return (operatorCode, given, what = 'settings') => {
    if (check.fits(given)) return given;
    const problems = check.problems(given).map((error) => {
      const unknown =
        error.keyword === 'additionalProperties' ? ` ${JSON.stringify(error.params)}` : '';
      return `${what}${error.instancePath} ${problemText(error, schema)}${unknown}`;
    });
    throw new Error(`${kind} ${operatorCode}: ${problems.slice(0, 5).join('; ')}`);
  };
}

/**
 * A secret of several parts. Throws an `Error` naming its owner, without the secret.
 * @param about.owner such as `operator kplc`.
 * @param about.parts what it consists of, for the message.
 */
export function readSecretJson(
  secret: string,
  { owner, parts }: { readonly owner: string; readonly parts?: string },
): unknown {
  try {
    return readJson(secret);
  } catch {
    // The reader's own message would quote the secret.
    const form = `a JSON object${parts === undefined ? '' : ` with ${parts}`}`;
    throw new Error(`${owner}: the secret must be ${form}, each name once`);
  }
}

/**
 * A reader of an operator's secret of several parts, which throws like a reader of settings.
 * @param parts what it consists of, for the message.
 */
export function createSecretReader<Schema extends TSchema>(
  schema: Schema,
  parts?: string,
): (operator: Pick<UsableOperator, 'operatorCode' | 'secret'>) => Static<Schema> {
  const read = createSettingsReader(schema);
  return ({ operatorCode, secret }) => {
    const about = { owner: `operator ${operatorCode}`, ...(parts === undefined ? {} : { parts }) };
    return read(operatorCode, readSecretJson(secret, about), 'secret');
  };
}
