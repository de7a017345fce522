import type { Static, TObject } from 'typebox';
import type { ActionLimit } from '../parties/people/audited.ts';
import type { Permission } from '../parties/people/permissions.ts';
import type { ErrorCode } from '../platform/base/errors.ts';
import type { ReadPart } from '../platform/base/long-reads.ts';
import type { StaffDeps } from './deps.ts';
import type { FileAnswer, LiveAnswer, SentFile } from './forms.ts';
import type { Viewer } from './viewer.ts';

/**
 * Something that staff can see (a view) or do (an action), defined once. The mounts make of it a route of
 * the console, a route of the staff API with its OpenAPI operation, a command, and a file. A definition
 * names no surface.
 */
interface Declared<Input extends TObject> {
  /** Noun and verb, such as `case.propose`: of the audit log, the command and OpenAPI. */
  readonly name: `${string}.${string}`;
  /** One sentence about what it does. */
  readonly summary: string;
  /**
   * A name in the path is an argument of the command. The rest of the input is the query string of a GET, and the body of
   * a POST. A view that is asked with personal data is a POST, because proxies log URLs. Undefined: `onMachine`.
   */
  readonly route?: `${'GET' | 'POST'} /${string}`;
  /** It needs files or keys of the machine on which it runs: a command there, and nothing else. */
  readonly onMachine?: true;
  /** It needs a browser, and whoever is signed in there: pages have it, and nothing else. */
  readonly onPages?: true;
  readonly permission: Permission;
  /** The usual one of its noun: the verb may be left out. */
  readonly isUsual?: true;
  /** True: a vendor's people may, too; the handler limits it to `viewer.vendor`. A `vid` in the path must be their own. */
  readonly ownVendor?: true;
  readonly input: Input;
  /** At least one of these properties is given. */
  readonly needsOne?: readonly string[];
  /** The view that shows what an action would do. The command has it as `--dry-run`. */
  readonly trial?: () => Definition;
  /** The file that comes with the input, always of a POST. Its handler finds it as `deps.file`, until it answers. */
  readonly file?: SentFile;
  /** Refusals that are the result of an action that was carried out: it is noted as done, and counts. */
  readonly outcomes?: readonly ErrorCode[];
}

interface Handler<Core, Input extends TObject, Answer> {
  handle(asked: Asked<Core, Static<Input>>): Promise<Answer>;
}

/** Everything that a handler gets. It imports none of the wings: a remote command would load them. */
export interface Asked<Core, Input> {
  readonly core: Core;
  readonly input: Input;
  readonly viewer: Viewer;
  readonly deps: StaffDeps;
  /** Runs each part of long work in its turn, and tells whether the caller has disconnected. */
  readonly turns: { readonly inTurn: ReadPart; readonly isClosed: () => boolean };
}

export interface View<Core, Input extends TObject, Output extends TObject>
  extends Declared<Input>, Handler<Core, Input, Static<Output>> {
  /** What every surface answers, under the same names. */
  readonly output: Output;
  /**
   * The property with the rows: the table of a command and of a file. A list that has pages takes `cursor` and `limit`
   * and answers `next`, so that a file never ends early.
   */
  readonly rows?: keyof Static<Output> & string;
  /** The property with the row before all others, such as an opening balance; null: it has none. */
  readonly first?: keyof Static<Output> & string;
  /** The property with the sums of all rows: the last row of the table, and of a file; null: it has none. */
  readonly total?: keyof Static<Output> & string;
  /** The table's text without rows, such as `no cases`. */
  readonly empty?: string;
  /** It reads much: its readers take turns, or only a vendor’s people do. */
  readonly isLong?: true | 'for vendors';
  /** Each look is in the audit log. */
  readonly isNoted?: true;
  /** How often, if each look is noted. */
  readonly limit?: ActionLimit;
  /** What the audit log keeps of the input of a file: no personal data. Default: the whole input. */
  filterOf?(input: Static<Input>, answer: Static<Output>): object;
  /** It is about the program, or files, and not the service: a command needs no database. */
  readonly needsNothing?: true;
  /** People ask again and again: `--watch`. */
  readonly isWatched?: true;
  /** True: what a check found makes the command end with 1. */
  failed?(answer: Static<Output>): boolean;
}

export interface Action<Core, Input extends TObject, Output extends TObject>
  extends Declared<Input>, Handler<Core, Input, Done<Static<Output>>> {
  readonly output: Output;
  /** The kinds of the proposal that it makes, which another person decides. A program may propose. */
  readonly proposes?: string | readonly string[];
  /**
   * The command line may do it without a name: true where there is no second person, `always` everywhere. `only`: where
   * there is a second person, no member of staff may do it at all.
   */
  readonly actsAlone?: true | 'always' | 'only';
  /** On the machine of the service, whoever may do this may do it as well. */
  readonly commandsMay?: Permission;
  /** True: a program may do it, too, although nobody decides about it afterwards. */
  readonly programsMay?: true;
  /** True: a step about what another person proposed. It names that by an id, not by what waits now. */
  readonly decides?: true;
  readonly limit?: ActionLimit;
  /**
   * It takes long: it goes on after the answer, which is a job (`job.show`), and never twice at once. A command waits for
   * the result. The handler calls `deps.progress` often; when the job has to stop, that throws.
   */
  readonly isJob?: true;
  /** True: what a trial found makes the command end with 1. */
  failed?(answer: Static<Output>): boolean;
  /** For an action that goes on after its answer: how a caller sees that it has ended. */
  readonly ends?: Ending<Static<Output>>;
}

/** The view in which an action that goes on is seen until it has ended. */
export interface Ending<Answer> {
  /** The view that answers the same as the action, or less. */
  readonly seenIn: AnyView;
  inputOf(answer: Answer): Readonly<Record<string, unknown>>;
  /** In words, and how it has ended; null: it has not. */
  stateOf(answer: Answer): { readonly text: string; readonly end: 'done' | 'failed' | null };
}

/** Makes a file of its own: a statement, a package of documents. A table is a view with `rows` instead. */
export interface Download<Core, Input extends TObject>
  extends Declared<Input>, Handler<Core, Input, FileAnswer> {}

/** A stream of events, while whoever listens may see it. Only for pages. */
export interface Stream<Core, Input extends TObject>
  extends Declared<Input>, Handler<Core, Input, LiveAnswer> {}

/** The answer of an action, and what the audit log keeps. A secret is in the first only. */
export interface Done<Result> {
  readonly result: Result;
  readonly audit: {
    /** The vendor, case or other object that was changed. Default: the names in the path. */
    readonly target?: string;
    readonly before?: object;
    readonly after?: object;
  };
}

/**
 * Keywords of a property, by which a mount shows or reads it. OpenAPI is made without them. The order of the
 * properties of a row is the order of its columns; one without a title is for programs only.
 */
export interface Keywords {
  /** What people call it, as in the header of a file: `Opened`. */
  readonly title?: string;
  /** `days`: a span such as `1-7`, which a spreadsheet would turn into a date. */
  readonly unit?: 'money' | 'time' | 'count' | 'days';
  /** What null is called. */
  readonly nullText?: string;
  /** Text for people that depends on the other properties of the row. A file has the value itself. */
  readonly text?: (value: never, row: never, time: (iso: string) => string) => string;
  /** An object, or a list of labelled values: each is a line among the facts, below the title if it is not empty. */
  readonly spread?: true;
  /** Null is no line among the facts, and no column of a table if every row has it. A file has the column. */
  readonly isOptional?: true;
  /** A column that a terminal shows only with `--wide`, or that only a file has. */
  readonly wide?: true;
  /** Sentences, in the last column: continued below, so that the table fits a usual terminal. */
  readonly wrapped?: true;
  /** A secret of an input: `-` stands for the first line of the standard input, which is in no list of processes. */
  readonly typed?: true;
  /** Shown once: never in a log, a file, a list, or a stored answer. */
  readonly secret?: true;
  /** Completes “It must be …”, in the words of every surface. */
  readonly form?: string;
  /** The command's option, if it is not called as the property. */
  readonly option?: string;
  /** What the value of the option is called in the help. Default: as the option. */
  readonly placeholder?: string;
  /** An argument of the command, though it is not in the path. */
  readonly argument?: true;
  /** Text that may be given in any case: handlers get it in lower case. */
  readonly anyCase?: true;
  /**
   * Options that stand for a value, with what they say: `--resolved` for `--state resolved`, or one that is not called as its
   * value. `no-` and the name of the property’s option is possible.
   */
  readonly shorthands?: Readonly<Record<string, string | Shorthand>>;
  /** Options that each add an item to a list, or a member to an object: `--debit account=amount`. */
  readonly spelt?: readonly Spelt[];
}

export interface Shorthand {
  readonly value: unknown;
  readonly says: string;
}

export interface Spelt {
  readonly option: string;
  readonly placeholder: string;
  /** Default: the description of the property. */
  readonly says?: string;
  /** Undefined: it is not written so. */
  readonly read: (text: string) => unknown;
  /** Such as `account=amount, such as suspense=500.00`; completes “It must be …”. */
  readonly form: string;
}

export type AnyView = View<undefined, TObject, TObject> & { readonly kind: 'view' };
export type AnyAction = Action<undefined, TObject, TObject> & { readonly kind: 'action' };
export type AnyDownload = Download<undefined, TObject> & { readonly kind: 'download' };
export type AnyStream = Stream<undefined, TObject> & { readonly kind: 'stream' };
export type Definition = AnyView | AnyAction | AnyDownload | AnyStream;

/** Loads what a handler calls, at its first call. */
export type Loader<Core> = () => Promise<Core>;

export function view<Core, Input extends TObject, Output extends TObject>(
  core: Loader<Core>,
  of: View<Core, Input, Output>,
): AnyView {
  return { ...of, kind: 'view', handle: loading(core, of) } as unknown as AnyView;
}

export function action<Core, Input extends TObject, Output extends TObject>(
  core: Loader<Core>,
  of: Action<Core, Input, Output>,
): AnyAction {
  return { ...of, kind: 'action', handle: loading(core, of) } as unknown as AnyAction;
}

export function download<Core, Input extends TObject>(
  core: Loader<Core>,
  of: Download<Core, Input>,
): AnyDownload {
  return { ...of, kind: 'download', handle: loading(core, of) } as unknown as AnyDownload;
}

export function stream<Core, Input extends TObject>(
  core: Loader<Core>,
  of: Stream<Core, Input>,
): AnyStream {
  return { ...of, kind: 'stream', handle: loading(core, of) } as unknown as AnyStream;
}

function loading<Core, Input extends TObject>(
  core: Loader<Core>,
  of: Handler<Core, Input, unknown>,
): (asked: Omit<Asked<Core, Static<Input>>, 'core'>) => Promise<unknown> {
  return async (asked) => await of.handle({ ...asked, core: await core() });
}

/** A property of a schema's row or answer, with its keywords. */
export type Property = Keywords & {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Property[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Property;
  readonly properties?: Readonly<Record<string, Property>>;
};

/** The properties of a schema, in order: also of an object that may be null, or of the first of several kinds of objects. */
export function propertiesOf(schema: object): [name: string, property: Property][] {
  const { properties, anyOf = [] } = schema as Property;
  const found = properties ?? anyOf.find((each) => each.properties !== undefined)?.properties;
  return Object.entries(found ?? {});
}

/** The method, the path, and the names in the path. */
export function routeOf({ route }: Pick<Definition, 'route'>): {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly names: readonly string[];
} {
  const [method = 'POST', path = ''] = route?.split(' ') ?? [];
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
  return { method: method as 'GET' | 'POST', path, names };
}

export interface Noun {
  /** The group of commands: `case`, or `vendor payout`. */
  readonly command: string;
  /** What the group is about, in one or two sentences. */
  readonly summary: string;
  readonly definitions: readonly Definition[];
}
