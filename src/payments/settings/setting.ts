import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static, TObject } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import { newId } from '../../platform/base/ids.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import { withinTransaction } from '../../platform/db/pool.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { onTrial } from '../../platform/db/trial.ts';
import { lockTopic } from '../../platform/db/settings-watch.ts';
import type { SettingsTopic } from '../../platform/db/settings-watch.ts';
import type { Permission } from '../../parties/people/permissions.ts';
import { mayActAlone } from '../../proposals/actors.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind, Line } from '../../proposals/kind.ts';

/** The stored values in words for people, by name. */
export type Fields = Readonly<Record<string, string>>;

/** A setting that decides what is booked or who is paid. One line of a table makes it need two people. */
export interface Setting<Key extends TObject = TObject, Change extends TObject = TObject> {
  /** In the content of its proposals, such as `fee`. */
  readonly name: string;
  /** Shown to people, such as `Fee`. */
  readonly label: string;
  /** Which one it is. */
  readonly key: Key;
  /** As JSON: cents and times are text. Nothing secret, nothing personal: it is kept for good. */
  readonly change: Change;
  /** Changes of one topic wait for each other. */
  readonly topic: SettingsTopic;
  /** Which one it is, for people: `water for shop`. */
  target(key: Static<Key>): string;
  vendorId?(key: Static<Key>): number | null;
  /** Lines about a part of the change that no field shows. */
  says?(change: Static<Change>): readonly Line[];
  /** Reads the fields that a change may affect; null: the thing does not exist yet. */
  read(db: Queryable, key: Static<Key>, tools: Tools): Promise<Fields | null>;
  /** In the caller's database transaction. Throws: `PlainError` with the problem. */
  apply(
    db: Queryable,
    change: {
      readonly key: Static<Key>;
      readonly change: Static<Change>;
      readonly by: string;
      /** The proposal; another id while the change is tried. */
      readonly id: string;
    },
    tools: Tools,
  ): Promise<unknown>;
  /** Facts for whoever decides that may change at any time. */
  remarks?(
    db: Queryable,
    key: Static<Key>,
    change: Static<Change>,
  ): Promise<readonly Line[]> | readonly Line[];
}

/** Dependencies that some settings need. */
export interface Tools {
  readonly ledgerMac: Mac;
  /** Undefined: nothing secret can be set. */
  readonly masterKeys?: MasterKeys | undefined;
}

export type AnySetting = Setting;

/** Keeps the types of one setting, and forgets them in lists. */
export function setting<Key extends TObject, Change extends TObject>(
  declared: Setting<Key, Change>,
): AnySetting {
  return declared;
}

interface Content {
  readonly setting: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly change: Readonly<Record<string, unknown>>;
  /** The fields at the time of the proposal; null: there were none. */
  readonly before: Fields | null;
}

interface Facts {
  readonly before: Fields | null;
  /** The fields after the change; null: there will be none, or there is a problem. */
  readonly after: Fields | null;
  readonly problem: PlainError | null;
  readonly remarks: readonly Line[];
}

interface Plan {
  readonly content: Content;
  readonly lines: readonly Line[];
}

/** Days after which what was proposed has to be proposed again. */
const EXPIRES_DAYS = 7;

/** Settings that the same people may change. They are one kind of proposal. */
export interface Family {
  /** Name of the kind of proposal. */
  readonly name: string;
  /** The proposal's title for people. */
  readonly title: string;
  /** Permission of those who propose and decide. */
  readonly permission: Permission;
  readonly settings: readonly AnySetting[];
}

export function settingKind(family: Family, tools: Tools): AnyKind {
  const { name, title, permission, settings } = family;
  const byName = new Map(settings.map((one) => [one.name, one]));
  const of = (content: Content): AnySetting => {
    const found = byName.get(content.setting);
    if (found === undefined) throw new Error(`no setting ${content.setting}`);
    return found;
  };
  return kind<Content, Facts, Plan>({
    ...{ name, title },
    content: compiled(contentOf(settings)),
    ...{ proposedBy: permission, decidedBy: permission, expiresAfterDays: EXPIRES_DAYS },
    // A changed mind is a new proposal.
    ...{ replaces: true, actsAlone: mayActAlone },
    about: (content) => `${content.setting} ${of(content).target(content.key)}`,
    vendorId: (content) => of(content).vendorId?.(content.key) ?? null,
    describe: (content) => headOf(of(content), content),
    read: async (db, content, { lock }) =>
      await readFacts(db, { of: of(content), content, lock, tools }),
    check: (facts, content) => {
      requireBefore(facts, of(content), content);
      if (facts.problem !== null) throw facts.problem;
    },
    plan: (facts, { content }) => ({
      content,
      lines: [...headOf(of(content), content), ...differences(facts.before, facts.after)],
    }),
    show: ({ lines }) => lines,
    remarks: ({ remarks }) => remarks,
    apply: async (db, { content }, { proposal }) => {
      const { key, change } = content;
      const { proposalId: id, proposedBy: by } = proposal;
      await of(content).apply(db, { key, change, by, id }, tools);
    },
  });
}

function contentOf(settings: readonly AnySetting[]) {
  const before = Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]);
  return Type.Union(
    settings.map(({ name, key, change }) =>
      strict({ setting: Type.Literal(name), key, change, before }),
    ),
  );
}

const headOf = (of: AnySetting, { key, change }: Content): Line[] => [
  { label: of.label, text: of.target(key) },
  ...(of.says?.(change) ?? []),
];

/** The content of a proposal: with what is stored now, so that it is not decided after that has changed. */
export async function contentNow(
  db: Queryable,
  of: AnySetting,
  { key, change }: Pick<Content, 'key' | 'change'>,
  tools: Tools,
): Promise<Content> {
  return { setting: of.name, key, change, before: await of.read(db, key, tools) };
}

/**
 * Carries the change out, reads what is stored then, and takes everything back. So what is shown is what the same
 * code will do.
 */
async function readFacts(
  db: Queryable,
  given: {
    readonly of: AnySetting;
    readonly content: Content;
    readonly lock: boolean;
    readonly tools: Tools;
  },
): Promise<Facts> {
  const { of, lock, tools } = given;
  const { key, change } = given.content;
  return await withinTransaction(db, async (client) => {
    if (lock) await lockTopic(client, of.topic);
    const before = await of.read(client, key, tools);
    const remarks = (await of.remarks?.(client, key, change)) ?? [];
    try {
      const after = await onTrial(client, async (tried) => {
        await of.apply(tried, { key, change, by: 'trial', id: newId() }, tools);
        return await of.read(tried, key, tools);
      });
      return { before, after, problem: null, remarks };
    } catch (error) {
      if (!(error instanceof PlainError)) throw error;
      return { before, after: null, problem: error, remarks };
    }
  });
}

/** Thrown when the stored values are no longer those of the time of the proposal. */
export class ChangedMeanwhile extends PlainError {}

function requireBefore(facts: Facts, of: AnySetting, { key, before }: Content): void {
  if (jsonText(facts.before) === jsonText(before)) return;
  throw new ChangedMeanwhile(
    `${of.label} ${of.target(key)} was changed meanwhile. Look at what is in force now, and propose it again.`,
  );
}

function differences(before: Fields | null, after: Fields | null): Line[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((label) => {
    const [was = '', is = ''] = [before?.[label], after?.[label]];
    if (was === is) return [];
    return [{ label, text: before === null ? is : `${was || 'none'} → ${is || 'none'}` }];
  });
}
