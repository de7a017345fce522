import type { Command } from 'commander';
import { systemClock } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { ACCESS_PATH } from '../../credit/operations/subject-access.ts';
import { readSubject } from '../../credit/registry/store.ts';
import { makeAccessLink } from '../../credit/reports/access-links-store.ts';
import { displayName, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { asPerson } from '../parties/as-person.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { crnOf, subjectCommand } from './subject.ts';
import type { SubjectOptions } from './subject.ts';
import { openVault } from './vault.ts';

interface LinkOptions extends SubjectOptions {
  readonly evidence: string;
  readonly days: number;
  readonly by: string;
}

/** A subject access request: the person downloads the report by a one-time link. */
export function addAccessLinkCommand(credit: Command, cli: Cli): void {
  subjectCommand(
    credit,
    'access-link',
    'Make a one-time link to a person’s report. Check the person’s identity first, and give the link only to this person.',
  )
    .requiredOption('--evidence <text>', 'how the identity was checked', displayName)
    .option('--days <days>', 'days until the link expires, at most 30', wholeNumber(1, 30), 7)
    .option('--by <name>', 'who makes it', displayName, 'command line')
    .action(async (options: LinkOptions) => {
      await cli.run(options, async (session) => {
        const act = { permission: 'credit.reports', action: 'credit.access_link' } as const;
        return await asPerson(cli, session, { ...act, by: options.by }, async () =>
          makeLink(session, options),
        );
      });
    });
}

async function makeLink(session: Session, options: LinkOptions): Promise<Answer> {
  const { pool, config, wireTime } = session;
  const vault = await openVault(session);
  const crn = await crnOf(session, vault, options);
  if ((await readSubject(pool, vault, crn)) === undefined) {
    throw new PlainError('No subject has this reference.');
  }
  const at = systemClock.now();
  const expiresAt = new Date(at.getTime() + options.days * DAY_MS);
  const { evidence } = options;
  const deps = { pool, ledgerMac: await session.ledgerMac() };
  const token = await makeAccessLink(deps, { crn, evidence, at, expiresAt });
  const link = `${config.publicUrl}${config.scoringPath}${ACCESS_PATH}#${token}`;
  const expires = wireTime.format(expiresAt);
  return {
    json: { crn: String(crn), link, expires },
    text: `${link}\nIt works once, until ${expires}, with the birth date on file. It is not shown again.\n`,
  };
}
