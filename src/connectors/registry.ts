import { PlainError } from '../platform/base/plain-error.ts';
import type { PROTOCOL_NAMES } from './operator.ts';
import type {
  ConfiguredOperator,
  Connector,
  Declaration,
  Protocol,
  Secret,
  StatementOperator,
} from './operator.ts';
import type { StatementFormat } from './operator-statements.ts';
import { africastalking } from './operators/africastalking/protocol.ts';
import { darajaB2b } from './operators/daraja-b2b/protocol.ts';
import { darajaB2c } from './operators/daraja-b2c/protocol.ts';
import { dtOne } from './operators/dt-one/protocol.ts';
import { http } from './operators/http/protocol.ts';
import { httpJson } from './operators/http-json/protocol.ts';
import { jambopay } from './operators/jambopay/protocol.ts';
import { reloadly } from './operators/reloadly/protocol.ts';
import { tingg } from './operators/tingg/protocol.ts';
import { STATEMENT_SOURCE } from './source.ts';
import type { SOURCE_KINDS, SourceProtocol } from './source.ts';
import { daraja } from './sources/daraja/protocol.ts';
import { bankStatements } from './sources/statements/read.ts';
import type { BankStatements } from './source-statements.ts';

/** The protocols. To add one, add a folder, its name to `PROTOCOL_NAMES`, and a line here. */
const PROTOCOLS: Readonly<Record<(typeof PROTOCOL_NAMES)[number], Protocol>> = {
  'http-json': httpJson,
  'daraja-b2b': darajaB2b,
  'dt-one': dtOne,
  jambopay,
  reloadly,
  africastalking,
  tingg,
  http,
  'daraja-b2c': darajaB2c,
};
const BY_NAME: Readonly<Record<string, Protocol>> = PROTOCOLS;

/** Each protocol's declaration about itself, by its name. */
export const DECLARATIONS: Readonly<Record<string, Declaration>> = Object.fromEntries(
  Object.entries(BY_NAME).map(([name, { declaration }]) => [name, declaration]),
);

/**
 * Returns the reader of the operator's statements. Undefined: its protocol has none. Throws an `Error`
 * naming the operator and the invalid setting.
 */
export function statementFormatOf(operator: StatementOperator): StatementFormat | undefined {
  return BY_NAME[operator.connector]?.statementFormat?.(operator);
}

/** The format of the protocol's secrets. */
export function secretFormOf(
  connector: string,
): Pick<Protocol, 'exampleSecret' | 'inventsSecret'> | undefined {
  return BY_NAME[connector];
}

/** Throws: `PlainError` while the operator has no key, an `Error` if its settings are invalid. */
export function createConnector(operator: ConfiguredOperator, callbackUrl: string): Connector {
  const { operatorCode, connector } = operator;
  const protocol = BY_NAME[connector];
  if (protocol === undefined) {
    throw new Error(`operator ${operatorCode}: no connector ${connector}`);
  }
  const [newest] = operator.secrets;
  if (newest === undefined) {
    // Reports invalid settings before a missing key.
    void protocol.create({ ...operator, secret: protocol.exampleSecret }, callbackUrl).close();
    throw new PlainError(
      `operator ${operatorCode} has no key yet: malipo operator set-key ${operatorCode}`,
    );
  }
  return protocol.create({ ...operator, secret: newest.secret }, callbackUrl);
}

/**
 * Creates and closes the operator's connector, to check that it could be used. Throws an `Error`
 * naming the operator and the invalid setting.
 */
export async function checkOperator(operator: ConfiguredOperator): Promise<void> {
  await createConnector(operator, `https://localhost/callbacks/${operator.operatorCode}`).close();
}

/** A made-up secret in the format of the protocol, for an operator that has none. Empty without such a protocol. */
export function exampleSecrets(connector: string): readonly Secret[] {
  const secret = BY_NAME[connector]?.exampleSecret;
  return secret === undefined ? [] : [{ secret, validUntil: null }];
}

/** The sources that report by themselves. To add one, add a folder, its kind to `SOURCE_KINDS`, and a line here. */
const SOURCES: Readonly<
  Record<Exclude<(typeof SOURCE_KINDS)[number], typeof STATEMENT_SOURCE>, SourceProtocol>
> = { daraja };

/** Undefined: sources of this kind do not report by themselves. */
export function sourceProtocolOf(kind: string): SourceProtocol | undefined {
  return (SOURCES as Readonly<Record<string, SourceProtocol>>)[kind];
}

/**
 * The reader of a source's statements: of a bank account, or those of the provider's portal. Throws an `Error` naming
 * the source and the invalid setting.
 */
export function statementsOf({
  kind,
  sourceCode,
  settings,
}: {
  readonly kind: string;
  readonly sourceCode: string;
  readonly settings: Readonly<Record<string, unknown>>;
}): BankStatements | undefined {
  return kind === STATEMENT_SOURCE
    ? bankStatements(sourceCode, settings)
    : sourceProtocolOf(kind)?.statements(sourceCode, settings);
}
