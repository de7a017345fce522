import type { Command } from 'commander';
import { openOperatorKeys } from '../../parties/keys.ts';
import { operatorOf } from '../../payments/billers/administer.ts';
import { findOperator } from '../../payments/billers/store.ts';
import { probe } from '../../payments/connectors/probe.ts';
import { createConnector } from '../../payments/connectors/registry.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { code, command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';

interface TestOptions {
  readonly json?: boolean;
  readonly biller?: string;
  readonly account?: string;
}

export function addTest(operator: Command, cli: Cli): void {
  command(
    operator,
    'test',
    'Ask the operator all that moves no money, and show what could be established. Never pays.',
  )
    .argument('<code>', 'operator code', code)
    .option('--biller <code>', 'biller of the account', code)
    .option('--account <account>', 'an account to ask about')
    .action(async (operatorCode: string, options: TestOptions) => {
      await cli.run(options, async ({ pool, config, sealing }) => {
        const row = await findOperator(pool, operatorCode);
        if (row === undefined) throw new PlainError(`Operator ${operatorCode} does not exist.`);
        const { masterKeys } = await sealing();
        const secrets = (await openOperatorKeys(pool, masterKeys)).get(operatorCode) ?? [];
        const connector = usable(() =>
          createConnector(
            { ...operatorOf(row), secrets },
            `${config.publicUrl}/callbacks/${operatorCode}`,
          ),
        );
        try {
          const { biller = null, account = null } = options;
          const findings = await probe(connector, { billerCode: biller, account });
          const { declaration } = connector;
          return {
            json: { operator_code: operatorCode, findings, declaration },
            text: [
              table(
                [{ title: 'ASKED' }, { title: 'ESTABLISHED' }, { title: 'ANSWER' }],
                findings.map((one) => [one.question, one.isEstablished ? 'yes' : 'no', one.detail]),
                'nothing',
              ),
              'What proves that nothing was executed:',
              ...declaration.proofOfNonExecution.map((evidence) => `  - ${evidence}`),
            ].join('\n'),
          };
        } finally {
          await connector.close();
        }
      });
    });
}

/** Throws: `PlainError` with what keeps the operator from being used. */
function usable<Value>(create: () => Value): Value {
  try {
    return create();
  } catch (error) {
    throw new PlainError((error as Error).message, { cause: error });
  }
}
