import { Argument } from 'commander';
import type { Command } from 'commander';
import { DECLARATIONS, PROTOCOL_NAMES } from '../../connectors/registry.ts';
import type { Declaration } from '../../connectors/operator.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { bullets } from '../output.ts';

export function addProtocols(operator: Command, cli: Cli): void {
  command(
    operator,
    'protocols',
    'The protocols that operators can speak, and what proves in each that nothing was executed.',
  )
    .addArgument(new Argument('[name]', 'one of them').choices(PROTOCOL_NAMES))
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const shown = Object.entries(DECLARATIONS).filter(
        ([one]) => name === undefined || one === name,
      );
      await cli.runAlone(options, async () => ({
        json: { protocols: shown.map(([one, declaration]) => ({ name: one, ...declaration })) },
        text: shown.map(([one, declaration]) => textOf(one, declaration)).join('\n\n'),
      }));
    });
}

function textOf(name: string, declaration: Declaration): string {
  return [
    `${name}: ${declaration.title}`,
    `  documented in   ${declaration.source}`,
    `  our reference   ${declaration.callerKey}`,
    `  result          ${declaration.result}`,
    `  asked by        ${declaration.statusBy}`,
    `  callbacks       ${declaration.callbackTrust}`,
    `  movements       ${declaration.movements}`,
    '  What proves that nothing was executed:',
    bullets(declaration.proofOfNonExecution).trimEnd(),
    '  What proves nothing:',
    bullets(declaration.notProof).trimEnd(),
  ].join('\n');
}
