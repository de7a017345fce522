import { Option } from 'commander';
import type { Command } from 'commander';
import { PERMISSIONS } from '../../parties/people/permissions.ts';
import type { Permission } from '../../parties/people/permissions.ts';
import { familyOf } from '../../payments/settings/kinds.ts';
import { proposeSetting } from '../../payments/settings/propose.ts';
import type { SettingChange } from '../../payments/settings/propose.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { COMMAND_LINE, mayActAlone } from '../../proposals/actors.ts';
import type { Actor } from '../../proposals/kind.ts';
import { noteText } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import type { Answer } from '../output.ts';
import type { Session } from '../session.ts';
import { asPerson } from './as-person.ts';
import type { Act } from './as-person.ts';
import { openProposals, waitingAnswer } from './proposal.ts';

export interface SetterOptions {
  readonly by?: string;
  readonly note: string;
}

/** The reason, as long as nobody gives one. */
const NO_REASON = 'on the command line';

/** Adds `--by` and `--note` to a command that changes a setting. @param isRequired whether `--by` is. */
export function withSetter(added: Command, isRequired = false, who = 'who sets it'): Command {
  const by = new Option(
    '--by <name>',
    `${who}; where two people sign in, their login: another person approves it${isRequired ? '' : ' (default, while there is no second person: nobody is named)'}`,
  );
  return added
    .addOption(isRequired ? by.makeOptionMandatory() : by)
    .option('--note <text>', 'why, for the person who approves it', noteText, NO_REASON);
}

interface Asked extends SettingChange, SetterOptions {
  /** As the audit log calls it, such as `price.set`. */
  readonly action: string;
  /** A secret that the service made for the change. Its proposer sees it once. */
  readonly shownOnce?: Readonly<Record<string, string>> | undefined;
}

/**
 * Changes a setting at once where there is no second person, otherwise proposes it.
 * @param done answers once it is in force.
 */
export async function changeSetting(
  cli: Cli,
  session: Session,
  asked: Asked,
  done: (made: { readonly isNew: boolean }) => Promise<Answer> | Answer,
): Promise<Answer> {
  const { setting, key, by, note, action } = asked;
  const { pool } = session;
  const { permission } = familyOf(setting);
  const proposals = await openProposals(session);
  const ledgerMac = await session.ledgerMac();
  const { masterKeys } = await session.sealing();
  const act = { by, permission, action, target: setting.target(key), reason: note };
  const { row, isNew } = await asSetter(cli, session, act, async (actor) =>
    proposeSetting({ pool, proposals, ledgerMac, masterKeys }, { ...asked, by: actor }),
  );
  if (row.decision === 'approved') {
    sayAlone(cli);
    return await done({ isNew });
  }
  const answer = await waitingAnswer(session, proposals, row, nextStep(permission));
  return asked.shownOnce === undefined ? answer : withSecret(answer, asked.shownOnce);
}

function withSecret({ json, text }: Answer, secret: Readonly<Record<string, string>>): Answer {
  return {
    json: { ...(json as object), ...secret },
    text: `${text}The key is shown only once, and counts from the approval on: ${Object.values(secret).join()}\n`,
  };
}

const ALONE =
  'It is in force at once, without a second person: this is a sandbox, or fewer than two members of staff have signed in.\n';

/** For people. Programs read it from the audit log, or from `proposal show`. */
function sayAlone({ surroundings: { stderr } }: Cli): void {
  if (stderr.isTTY === true) stderr.write(ALONE);
}

function nextStep(permission: Permission): string {
  const roles = PERMISSIONS[permission].join(' or ');
  return `Nothing was changed yet: another person approves it, of the role ${roles}, in the console or with`;
}

/** Nobody claims a name without `--by`. */
async function asSetter<Result>(
  cli: Cli,
  session: Session,
  act: Omit<Act, 'by'> & { readonly by: string | undefined },
  work: (actor: Actor) => Promise<Result>,
): Promise<Result> {
  const { by } = act;
  if (by === undefined) {
    if (await mayActAlone(session.pool)) return await work(COMMAND_LINE);
    throw new PlainError('Give the login of the member of staff who sets it.', { field: 'by' });
  }
  return await asPerson(cli, session, { ...act, by }, async (_by, actor) => work(actor));
}
