import { openOperatorKeys } from '../../parties/keys.ts';
import { operatorOf } from './catalogue.ts';
import { findOperator } from './store.ts';
import { createConnector } from '../../connectors/registry.ts';
import type { Connector } from '../../connectors/operator.ts';
import { PlainError } from '../../platform/base/plain-error.ts';

/**
 * The operator's connector, for questions that people ask; the caller closes it. Throws: `PlainError` with what keeps the
 * operator from being used.
 */
export async function openConnector(
  operatorCode: string,
  by: {
    readonly pool: Parameters<typeof findOperator>[0];
    readonly masterKeys: Parameters<typeof openOperatorKeys>[1];
    readonly publicUrl: string;
  },
): Promise<Connector> {
  const row = await findOperator(by.pool, operatorCode);
  if (row === undefined) throw new PlainError(`Operator ${operatorCode} does not exist.`);
  const secrets = (await openOperatorKeys(by.pool, by.masterKeys)).get(operatorCode) ?? [];
  try {
    return createConnector(
      { ...operatorOf(row), secrets },
      `${by.publicUrl}/callbacks/${operatorCode}`,
    );
  } catch (error) {
    throw new PlainError((error as Error).message, { cause: error });
  }
}

/** The result of questions to the operator; the connector is closed. Throws as `openConnector` does. */
export async function askConnector<Result>(
  operatorCode: string,
  by: Parameters<typeof openConnector>[1],
  ask: (connector: Connector) => Promise<Result>,
): Promise<Result> {
  const connector = await openConnector(operatorCode, by);
  try {
    return await ask(connector);
  } finally {
    await connector.close();
  }
}
