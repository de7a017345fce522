import type { Command } from 'commander';
import { setEnquiryRetention } from '../../credit/enquiries/retention.ts';
import { acceptSchema } from '../../platform/db/migrate.ts';
import { TURNS } from '../../platform/db/migration-turns.ts';
import { prepareDatabase } from '../../platform/db/prepare.ts';
import { SCHEMA } from '../../schema.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';

export function addMigrateCommand(program: Command, cli: Cli): void {
  command(
    program,
    'migrate',
    'Upgrade the database to this version; creates the embedded one if it does not exist.',
  )
    .option(
      '--accept-schema',
      'accept constraints, indexes and functions that were deliberately changed',
    )
    .action(async (options: { json?: boolean; acceptSchema?: boolean }) => {
      await cli.run(
        options,
        async (session) => {
          if (options.acceptSchema === true) {
            const accepted = await acceptSchema(await session.ownerPool());
            return {
              json: { accepted },
              text: `${accepted.map((line) => `${line}\n`).join('')}The schema is accepted as it is.`,
            };
          }
          const owner = await session.ownerPool();
          const { applied, asOwner, roleProblems } = await prepareDatabase(
            owner,
            session.pool,
            SCHEMA,
            // Shown without a terminal, too: somebody has to see what a deployment waits for.
            {
              ...TURNS,
              onWait: (sessions) =>
                cli.surroundings.stderr.write(`Waiting for a lock: ${sessions.join('; ')}\n`),
            },
          );
          if (asOwner) await setEnquiryRetention(owner, session.config.creditEnquiryRetentionDays);
          const done =
            applied.length === 0
              ? 'The database is at this version.'
              : `Applied ${applied.join(', ')}.`;
          const warning =
            roleProblems.length === 0
              ? ''
              : `\nThe role of DATABASE_URL is not restricted as the runtime role should be: ${roleProblems.slice(0, 5).join('; ')}.`;
          return { json: { applied, role_problems: roleProblems }, text: `${done}${warning}` };
        },
        { unmigrated: true },
      );
    });
}
