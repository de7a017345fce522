import { createWireTime, systemClock } from '../../platform/base/clock.ts';
import { newId } from '../../platform/base/ids.ts';
import { requirePerson } from '../../platform/base/person.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { countedNow } from '../../payments/overview/figures.ts';
import { requireSameMasterKey } from '../../parties/keys.ts';
import { permissionsOf } from '../../parties/people/permissions.ts';
import { COMMAND_LINE, mayActAlone } from '../../proposals/actors.ts';
import type { AnyAction, AnyView } from '../../staff/definition.ts';
import type { StaffDeps } from '../../staff/deps.ts';
import { arrivedFile } from '../../staff/forms.ts';
import { progressText } from '../../staff/job-schema.ts';
import { perform } from '../../staff/perform.ts';
import type { By } from '../../staff/perform.ts';
import { ALL_OF_STAFF } from '../../staff/viewer.ts';
import type { Viewer } from '../../staff/viewer.ts';
import { SCHEMA } from '../../schema.ts';
import type { Cli } from '../cli.ts';
import type { Session } from '../session.ts';
import { mustSignIn, requireStaff, signIn } from '../parties/as-person.ts';
import { noted } from '../parties/noted.ts';
import { formatOf, WAIT_SECONDS } from './mount.ts';
import type { Called } from './mount.ts';
import { saved } from './saved.ts';
import { shownAnswer } from './shown.ts';
import { shownAtEnd } from './ending.ts';

type Values = Called['input'];

/**
 * Runs a definition with the database: the way in when the service is down. The audit log tells that it was a command.
 */
export async function runInProcess(cli: Cli, called: Called): Promise<void> {
  const { of, options } = called;
  if (of.kind === 'view' && of.needsNothing === true) return await runAlone(cli, called, of);
  await cli.run(options, async (session) => {
    const { wireTime } = session;
    const { file, input } = givenOf(called);
    const deps = { ...depsOf(cli, session), file };
    const by = async (viewer: Viewer): Promise<By> => ({
      ...{ viewer, deps, channel: 'command', address: COMMAND_LINE.name, requestId: newId() },
    });
    const how = { wireTime, wide: options.wide === true };
    switch (of.kind) {
      case 'stream':
        throw new Error(`${of.name} is for pages only`);
      case 'download': {
        const { notedDownload } = await import('../../staff/files.ts');
        const made = await notedDownload(of, input, await by(NOBODY));
        return await saved(cli.surroundings, made, options.out);
      }
      case 'view': {
        const format = formatOf(called);
        if (format === undefined) {
          return shownAnswer(of, await perform(of, input, await by(NOBODY)), how);
        }
        const { fileOf } = await import('../../staff/files.ts');
        const rows = await fileOf(of, input, await by(NOBODY), { format });
        return await saved(cli.surroundings, rows, options.out);
      }
      case 'action': {
        const who = await by(await actorIn(cli, session, of, called.by));
        const answer = await perform(of, input, who);
        const { wait = false } = options;
        if (wait === false || of.ends === undefined) return shownAnswer(of, answer, how);
        const seconds = wait === true ? WAIT_SECONDS : wait;
        const look = async (view: AnyView, asked: Values) => await perform(view, asked, who);
        return await shownAtEnd(of, of.ends, answer, {
          ...how,
          seconds,
          look,
          progress: cli.progress,
        });
      }
    }
  });
}

/** What is about the program is shown without a database. */
async function runAlone(cli: Cli, { input, options }: Called, of: AnyView): Promise<void> {
  const deps = { progress: progressIn(cli) } as StaffDeps;
  const by = { viewer: NOBODY, deps, channel: 'command' } as const;
  const how = { wireTime: createWireTime('UTC'), wide: options.wide === true };
  await cli.runAlone(options, async () => {
    const from = { address: COMMAND_LINE.name, requestId: '' };
    return shownAnswer(of, await perform(of, input, { ...by, ...from }), how);
  });
}

/** A file is where the command names it. */
function givenOf({ of, input: given }: Called): Pick<Called, 'input'> & Pick<StaffDeps, 'file'> {
  const { [of.file?.name ?? '']: named, ...input } = given;
  if (of.file === undefined || typeof named !== 'string') return { input: given };
  return { input, file: arrivedFile(of.file, named, named) };
}

/** Whoever runs commands sees everything that staff see. */
const NOBODY: Viewer = {
  ...{ personId: null, login: COMMAND_LINE.name, role: null, vendor: undefined, token: null },
  permissions: ALL_OF_STAFF,
  actor: COMMAND_LINE,
};

const VENDORS_OWN =
  'Where two people sign in, only the vendor’s own people do this, with their logins in the console, and its programs with its security key through the API.';

/**
 * The person that `--by` names. Where staff sign in with one-time codes, a name is not enough: otherwise one person could
 * propose under a name here and approve with a login there. Throws: `PlainError` (field `by`), what `checkSignIn`
 * throws.
 */
async function actorIn(
  cli: Cli,
  session: Session,
  of: AnyAction,
  by: string | undefined,
): Promise<Viewer> {
  const { pool } = session;
  if (by === undefined) {
    const isAlone = of.actsAlone === 'always' || (await mayActAlone(pool));
    if (isAlone) return { ...NOBODY, permissions: new Set([...ALL_OF_STAFF, of.permission]) };
    if (of.actsAlone === 'only') throw new PlainError(VENDORS_OWN);
    throw new PlainError('Give the login of the member of staff who does it.', { field: 'by' });
  }
  if (!(await mustSignIn(session))) {
    const name = requirePerson(by);
    return { ...NOBODY, login: name, actor: { personId: null, name } };
  }
  const permission = of.commandsMay ?? of.permission;
  const { personId, login, role } = await requireStaff(session, { by, permission });
  try {
    await signIn(cli, session, login);
  } catch (error) {
    const failed = { personId, login, role, action: 'session.start', target: of.name };
    await noted(pool, failed, () => Promise.reject(error as Error));
  }
  const permissions = new Set([...permissionsOf(role), of.permission]);
  const actor = { personId, name: login };
  return { ...{ personId, login, role, permissions, actor }, vendor: undefined, token: null };
}

const progressIn =
  ({ progress }: Cli): NonNullable<StaffDeps['progress']> =>
  (now) =>
    progress.show(progressText(now));

/** What a definition asks for is loaded then: most commands need little of the service. */
function depsOf(cli: Cli, session: Session): StaffDeps {
  const { pool, wireTime, ledgerMac, findLedgerMac, config } = session;
  const masterKeys = async () => {
    const { masterKeys: keys, certain } = await session.sealing();
    await requireSameMasterKey(pool, keys, certain);
    return keys;
  };
  return {
    ...{ pool, wireTime, ledgerMac, findLedgerMac, masterKeys, schema: SCHEMA, clock: systemClock },
    ...{ timeZone: config.timeZone, publicUrl: config.publicUrl },
    consoleUrl: `${config.publicUrl}${config.consolePath}`,
    proposals: async () => {
      const { createProposals } = await import('../../proposal-kinds.ts');
      return createProposals({
        ...{ pool, wireTime, ledgerMac: await ledgerMac(), masterKeys: await masterKeys() },
      });
    },
    catalogue: async () => {
      const { readCatalogue } = await import('../../payments/operators.ts');
      return await readCatalogue(pool);
    },
    create: async (...asked) => {
      const { openCreate } = await import('../payments/open-create.ts');
      return await (
        await openCreate(session)
      )(...asked);
    },
    overview: async () => {
      const { OverviewFeed } = await import('../../payments/overview/feed.ts');
      return new OverviewFeed({ pool, wireTime, clock: systemClock });
    },
    activity: countedNow(pool, systemClock),
    credit: async () => await (await import('../desk.ts')).openDesk(session),
    machine: {
      ...{ dataDir: config.dataDir, ownerPool: session.ownerPool },
      newKeys: config.masterKey && {
        current: config.masterKey,
        previous: config.masterKeyPrevious,
      },
      hasFormerKeys: (config.masterKeyPrevious ?? config.creditIndexKeyPrevious) !== undefined,
    },
    progress: progressIn(cli),
  };
}
