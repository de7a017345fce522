import type { Static, TSchema } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { readJson } from '../../platform/base/json.ts';
import { problemText } from '../../platform/base/problem-text.ts';
import type { Operator, OperatorSecret } from '../billers/biller.ts';
import type { Connector, Declaration } from '../dispatch/connector.ts';
import type { StatementFormat } from '../reconciliation/statement.ts';

/** A protocol as the registry uses it. Each protocol's folder exports one such object. */
export interface Protocol {
  readonly declaration: Declaration;
  /** A made-up secret in the right format, to check an operator that has none yet. */
  readonly exampleSecret: string;
  /**
   * True: we may generate the secret and give it to the operator. False: the operator gives it to
   * us.
   */
  readonly inventsSecret: boolean;
  /**
   * Throws an `Error` naming the operator and what is invalid.
   * @param callbackUrl of this operator, without a trailing slash.
   */
  create(operator: UsableOperator, callbackUrl: string): Connector;
  /** Reads statements that people import; null: not possible. */
  readonly statementFormat: ((operator: StatementOperator) => StatementFormat) | null;
}

/** An operator with at least one secret. */
export interface UsableOperator extends Operator {
  /** The newest one. */
  readonly secret: string;
}

/** All of an operator's secrets that are valid, newest first; the example while it has none. */
export function secretsOf({ secret, secrets }: UsableOperator): readonly OperatorSecret[] {
  return secrets.length > 0 ? secrets : [{ secret, validUntil: null }];
}

export type StatementOperator = Pick<Operator, 'operatorCode' | 'connector' | 'settings'>;

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
