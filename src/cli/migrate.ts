import type { Command } from 'commander';
import { acceptSchema, migrate } from '../db/migrate.ts';
import { command } from './arguments.ts';
import type { Cli } from './cli.ts';

export function addMigrateCommand(program: Command, cli: Cli): void {
  command(
    program,
    'migrate',
    'Bring the database to this version; makes the embedded one when there is none.',
  )
    .option(
      '--accept-schema',
      'constraints, indexes and functions were changed on purpose: take them as they are',
    )
    .action(async (options: { json?: boolean; acceptSchema?: boolean }) => {
      await cli.run(
        options,
        async (session) => {
          if (options.acceptSchema === true) {
            const accepted = await acceptSchema(session.pool);
            return {
              json: { accepted },
              text: `${accepted.map((line) => `${line}\n`).join('')}The schema is taken as it is.`,
            };
          }
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
