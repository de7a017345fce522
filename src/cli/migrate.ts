import type { Command } from 'commander';
import { migrate } from '../db/migrate.ts';
import { command } from './arguments.ts';
import type { Cli } from './cli.ts';

export function addMigrateCommand(program: Command, cli: Cli): void {
  command(
    program,
    'migrate',
    'Bring the database to this version; makes the embedded one when there is none.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(
      options,
      async (session) => {
        const applied = await migrate(session.pool);
        return {
          json: { applied },
          text:
            applied.length === 0
              ? 'The database is at this version.'
              : `Applied ${applied.join(', ')}.`,
        };
      },
      { unmigrated: true },
    );
  });
}
