import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { record } from '../output.ts';
import { apiCommand, openApi } from './api.ts';
import type { ApiOptions } from './api.ts';

export function addTriggerCommand(program: Command, cli: Cli): void {
  apiCommand(
    program,
    'trigger',
    'Cause a real event of a type in the sandbox: transaction.succeeded, transaction.failed, transaction.corrected, float.low, float.recovered, credit.default, credit.enquiry, credit.score_drop, webhook.test.',
  )
    .argument('<type>', 'type of the event')
    .option('--reference <reference>', 'ipay_reference of the payment (default: a new one)')
    .action(async (type: string, options: ApiOptions & { readonly reference?: string }) => {
      await cli.runAlone(options, async () => {
        const { reference } = options;
        const body = { type, ...(reference === undefined ? {} : { reference }) };
        const json = await openApi(cli, options).control('POST', '/events/trigger', body);
        const pairs = Object.entries(json).map(
          ([name, value]) => [name, typeof value === 'string' ? value : ''] as const,
        );
        return { json, text: record(pairs) };
      });
    });
}
