import { audited, openEntry } from '../parties/people/audited.ts';
import type { Channel } from '../parties/people/audit-entry.ts';
import type { Noted } from '../parties/people/audited.ts';
import { Refusal } from '../platform/base/errors.ts';
import { partsInTurn, vendorReaderName } from '../platform/base/long-reads.ts';
import type { LongReader, ReadPart } from '../platform/base/long-reads.ts';
import { refusePlainErrors } from '../platform/http/errors.ts';
import type {
  AnyAction,
  AnyDownload,
  AnyStream,
  AnyView,
  Asked,
  Definition,
  Done,
} from './definition.ts';
import { propertiesOf, routeOf } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import type { FileAnswer, LiveAnswer } from './forms.ts';
import { asJob } from './job.ts';
import { readInput } from './read-input.ts';
import type { Viewer } from './viewer.ts';

type Values = Readonly<Record<string, unknown>>;

/** Who asks, where, and with what. */
export interface By {
  readonly viewer: Viewer;
  readonly deps: StaffDeps;
  /** The audit log tells a page from a program and from a command. */
  readonly channel: Channel;
  readonly address: string;
  readonly requestId: string;
  /** Default: always. True once nobody waits for the answer. */
  readonly isClosed?: () => boolean;
  /** True: the answer has begun, so its next part waits for its turn, however many wait. */
  readonly hasBegun?: boolean;
  /** True: nothing is changed. */
  readonly readOnly?: boolean;
}

/**
 * Every view and action goes through here, on all surfaces, so that they cannot differ: permission → input → audit log →
 * handler. Throws: `not_permitted`, `not_found`, `missing_field`, `unknown_field`, `invalid_field`,
 * `too_many_requests`, `console_read_only`, and what the handler throws.
 */
export async function perform(of: AnyView, given: Values, by: By): Promise<Values>;
export async function perform(of: AnyAction, given: Values, by: By): Promise<Values>;
export async function perform(of: AnyDownload, given: Values, by: By): Promise<FileAnswer>;
export async function perform(of: AnyStream, given: Values, by: By): Promise<LiveAnswer>;
export async function perform(of: Definition, given: Values, by: By): Promise<unknown>;
export async function perform(of: Definition, given: Values, by: By): Promise<unknown> {
  requireMay(of, given, by);
  const input = readInput(of, given);
  const { viewer, deps } = by;
  const turns = turnsOf(by);
  const handle = async (own: StaffDeps = deps) =>
    await refusePlainErrors(
      async () => await of.handle({ core: undefined, input, viewer, deps: own, turns }),
    );
  switch (of.kind) {
    case 'stream':
      return await handle();
    case 'download':
      return await handle();
    case 'view':
      return answerFor(of, viewer, await look(of, input, by, handle));
    case 'action':
      return answerFor(of, viewer, await act(of, input, by, handle as Handle));
  }
}

/** A program gets no secret: with a vendor’s key, for example, it would spend what nobody approved. */
function answerFor({ output }: AnyAction | AnyView, { token }: Viewer, answer: object): object {
  if (token === null) return answer;
  const secrets = propertiesOf(output).filter(([, { secret }]) => secret === true);
  return { ...answer, ...Object.fromEntries(secrets.map(([name]) => [name, null])) };
}

/** Throws: `not_permitted`, `not_found`, `console_read_only`. */
export function requireMay(of: Definition, given: Values, { viewer, readOnly }: By): void {
  const { vendor, permissions, token } = viewer;
  if (!permissions.has(of.permission)) throw new Refusal('not_permitted');
  if (vendor !== undefined) {
    if (of.ownVendor !== true) throw new Refusal('not_permitted');
    const names = routeOf(of).names;
    if (names.includes('vid') && given['vid'] !== vendor.vid) {
      // For them, another vendor does not exist.
      throw new Refusal('not_found', { text: 'Unknown vendor' });
    }
  }
  if (of.kind !== 'action') return;
  if (readOnly === true) throw new Refusal('console_read_only');
  if (token === null) return;
  const may = of.decides !== true && (of.proposes !== undefined || of.programsMay === true);
  if (may) return;
  throw new Refusal('not_permitted', { text: 'A person does this, not a program' });
}

async function look(
  of: AnyView,
  input: Values,
  by: By,
  handle: () => Promise<object>,
): Promise<object> {
  const { viewer, deps } = by;
  const { vendor } = viewer;
  const inTurn = async () =>
    deps.longReads !== undefined && (of.isLong === true || (of.isLong && vendor !== undefined))
      ? await deps.longReads(readerOf(by), handle)
      : await handle();
  if (of.isNoted !== true) return await inTurn();
  const noted = { ...entryOf(of.name, of, input, by), limit: of.limit };
  return await audited(noted, deps, async () => ({
    answer: await inTurn(),
  }));
}

/** All people of a vendor take turns as one. */
function readerOf({ viewer, isClosed = () => false, hasBegun = false }: By): LongReader {
  const { personId, vendor, token, login } = viewer;
  const name = vendor === undefined ? (token ?? personId ?? login) : vendorReaderName(vendor.vid);
  return { name, isClosed, isNeverRefused: hasBegun };
}

function turnsOf(by: By): Asked<unknown, unknown>['turns'] {
  const reader = readerOf(by);
  const { longReads } = by.deps;
  const inTurn: ReadPart =
    longReads === undefined ? async (part) => await part() : partsInTurn(longReads, reader);
  return { inTurn, isClosed: reader.isClosed };
}

type Handle = (deps: StaffDeps) => Promise<Done<object>>;

async function act(of: AnyAction, input: Values, by: By, handle: Handle): Promise<object> {
  const { limit, outcomes } = of;
  const noted = { ...entryOf(of.name, of, input, by), limit, outcomes };
  const work = async (deps: StaffDeps) => {
    const { result, audit } = await handle(deps);
    return { answer: result, change: audit };
  };
  if (of.isJob === true) return await asJob(of, noted, by, work);
  return await audited(noted, by.deps, async () => await work(by.deps));
}

/** The entry of a file, which is written before its first byte. */
export async function openFileEntry(of: Definition, input: Values, by: By, filter: object) {
  const [noun = '', verb = ''] = of.name.split('.');
  // A noun has several tables with names of their own, such as the reports.
  const isWhole = of.kind !== 'view' || /^(list|show|find)$/.test(verb);
  const name = isWhole ? noun : of.name;
  return await openEntry({ ...entryOf(`${name}.export`, of, input, by), filter }, by.deps);
}

function entryOf(action: string, of: Definition, input: Values, by: By): Noted {
  const { viewer, channel, address, requestId } = by;
  const { personId, login, role, vendor, token } = viewer;
  const { reason } = input;
  const isNamed = personId === null && login !== COMMAND_LINE;
  const why = [isNamed ? login : '', typeof reason === 'string' ? reason : '']
    .filter((part) => part !== '')
    .join(': ');
  return {
    ...{ personId, vendorId: vendor?.vendorId ?? null, role, action, token, channel },
    // A name that anybody can give is no login.
    login: personId === null ? COMMAND_LINE : login,
    target: targetOf(of, input),
    reason: why || null,
    ...{ address, requestId },
  };
}

/**
 * What the path names, and nothing else that a view is asked with: that may be personal data. An action without a name in
 * its path may have it among the arguments of its command.
 */
function targetOf(of: Definition, input: Values): string | null {
  const { names } = routeOf(of);
  const others = of.kind === 'action' ? argumentsOf(of) : [];
  const values = (names.length > 0 ? names : others).map((name) => input[name]);
  return values.filter((value) => typeof value === 'string').join(' ') || null;
}

const argumentsOf = ({ input }: Definition): string[] =>
  propertiesOf(input).flatMap(([name, { argument }]) => (argument === true ? [name] : []));

/** In the audit log, whoever runs commands on the machine of the service. */
export const COMMAND_LINE = 'command line';
