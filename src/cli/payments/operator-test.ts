import type { Command } from 'commander';
import { probe } from '../../connectors/probe.ts';
import type { Finding } from '../../connectors/probe.ts';
import type { Declaration } from '../../connectors/operator.ts';
import { code, command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { bullets, table } from '../output.ts';
import { openConnector } from '../../payments/billers/open-connector.ts';

interface TestOptions {
  readonly json?: boolean;
  readonly biller?: string;
  readonly account?: string;
}

export function addTest(operator: Command, cli: Cli): void {
  command(
    operator,
    'test',
    'Query the operator in every way that moves no money, and show the results. Never pays.',
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
            text: textOf(findings, declaration),
          };
        } finally {
          await connector.close();
        }
      });
    });
}

function textOf(findings: readonly Finding[], declaration: Declaration): string {
  const asked = (isEstablished: boolean): string =>
    table(
      [
        { title: isEstablished ? 'ESTABLISHED' : 'NOT ESTABLISHED' },
        { title: 'ANSWER', wrapped: true },
      ],
      findings
        .filter((one) => one.isEstablished === isEstablished)
        .map(({ question, detail }) => [question, detail]),
    );
  return [
    `${declaration.title}\n`,
    ...[true, false]
      .filter((one) => findings.some((finding) => finding.isEstablished === one))
      .map(asked),
    `What proves that nothing was executed:\n${bullets(declaration.proofOfNonExecution)}`,
  ].join('\n');
}
