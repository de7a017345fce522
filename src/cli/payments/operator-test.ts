import type { Command } from 'commander';
import { probe } from '../../payments/connectors/probe.ts';
import { code, command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import { openConnector } from './open-connector.ts';

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
        const connector = await openConnector(operatorCode, {
          pool,
          masterKeys: (await sealing()).masterKeys,
          publicUrl: config.publicUrl,
        });
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
