import { Type } from 'typebox';
import type { Problem } from '../payments/moving/problem.ts';
import { periodOfDay } from '../platform/base/clock.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { formatMoney } from '../platform/base/money.ts';
import { action } from './definition.ts';
import type { AnyAction } from './definition.ts';
import { requireFile } from './deps.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { count, inputOf, moment, orNull, text, titled } from './fields.ts';
import { proposalView } from './proposal-schema.ts';
import { settingReason } from './signer-schema.ts';
import { readMoment } from '../platform/base/times.ts';

const core = async () => ({
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('../payments/moving/references.ts')),
  ...(await import('../payments/moving/vendors-file.ts')),
  ...(await import('../payments/settings/moving.ts')),
  ...(await import('../platform/csv-file.ts')),
  ...(await import('./setting-core.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

/** Problems in an answer; the others are counted. */
const SHOWN_PROBLEMS = 200;

const problemsOf = (title: string) => ({
  problem_count: count({ title: 'Refused lines' }),
  problems: Type.Array(Type.Object({ ...titled({ line: count, field: text, text }) }), { title }),
});
const shownProblems = (problems: readonly Problem[], all = problems.length) => ({
  problem_count: all,
  problems: problems.slice(0, SHOWN_PROBLEMS).map((each) => ({ ...each })),
});
const hasProblems = ({ problem_count: found }: { readonly problem_count: number }) => found > 0;

const tried = Type.Object({
  ...titled({ vendors: count, collected: fields.money, float: fields.money }),
  ...problemsOf('Nothing would be imported. Correct the lines first.'),
});
const proposed = Type.Object({
  proposal: orNull(proposalView, { title: 'Proposal' }),
  ...problemsOf('Nothing was proposed. Correct the lines first.'),
});

const vendorsFile = {
  ...{ name: 'file', maxBytes: LIMITS.consoleFileBytes },
  description:
    'CSV with the columns vid, name, sector, key, collected, float, references (yes or no) and, if you like, reference_required',
};
const referencesFile = {
  ...{ name: 'file', maxBytes: LIMITS.consoleFileBytes },
  description:
    'CSV with the columns vid, reference and status and, if they are known, time, biller, account, amount, fee and phone',
};

/** The end of a day, or now while it lasts; or a moment. Throws: `invalid_field`. */
function endOf(given: string, { wireTime, clock }: StaffDeps): Date {
  const day = periodOfDay(given, wireTime);
  if (day === undefined) return readMoment(given, 'at', wireTime);
  const nowMs = Math.max(clock.now().getTime(), day.from.getTime());
  return new Date(Math.min(day.to.getTime() - 1, nowMs));
}

async function readVendorsFile(loaded: Core, deps: StaffDeps) {
  const existing = [...(await loaded.readVids(deps.pool)).values()];
  const lines = loaded.readCsv(requireFile(deps).path);
  return await loaded.readVendors(lines, new Set(existing.map((vid) => vid.toLowerCase())));
}

const TRY_VENDORS = action(core, {
  name: 'vendor.try-import',
  summary: 'Read a file of vendors of another system, and change nothing.',
  route: 'POST /vendor-imports/trial',
  permission: 'vendors.act',
  actsAlone: 'always',
  file: vendorsFile,
  input: inputOf({}),
  output: tried,
  failed: hasProblems,
  handle: async ({ core: loaded, deps }) => {
    const { vendors, problems } = await readVendorsFile(loaded, deps);
    const sum = (column: 'collectedCents' | 'floatCents') =>
      formatMoney(vendors.reduce((cents, vendor) => cents + vendor[column], 0n));
    const figures = {
      ...{ vendors: vendors.length, collected: sum('collectedCents'), float: sum('floatCents') },
    };
    const audit = { after: { ...figures, problems: problems.length } };
    return { result: { ...figures, ...shownProblems(problems) }, audit };
  },
});

const triedReferences = Type.Object({
  references: count({ title: 'References' }),
  sha256: text({ title: 'SHA-256 of the file' }),
  vendors: Type.Array(Type.Object({ ...titled({ vid: text, references: count }) }), {
    title: 'Vendors',
  }),
  ...problemsOf('Nothing would be imported. Correct the lines first.'),
});

async function checkSent(loaded: Core, deps: StaffDeps) {
  return await loaded.checkReferences(referenceDeps(deps), requireFile(deps).path);
}

const referenceDeps = (deps: StaffDeps) => ({
  ...{ pool: deps.pool, wireTime: deps.wireTime, now: deps.clock.now() },
  onLines: (done: number) => deps.progress?.({ done, of: null, what: 'lines' }),
});

const TRY_REFERENCES = action(core, {
  name: 'vendor.try-references',
  summary: 'Read a file of references that vendors used at another system, and change nothing.',
  route: 'POST /vendor-references/trial',
  permission: 'vendors.act',
  actsAlone: 'always',
  file: referencesFile,
  input: inputOf({}),
  output: triedReferences,
  failed: hasProblems,
  handle: async ({ core: loaded, deps }) => {
    const { sha256, references, counts, problems, problemCount } = await checkSent(loaded, deps);
    const vendors = [...counts].map(([vid, { references: of }]) => ({ vid, references: of }));
    return {
      result: { references, sha256, vendors, ...shownProblems(problems, problemCount) },
      audit: { after: { references, sha256, problems: problemCount } },
    };
  },
});

/** How a running company brings its vendors. */
export const MOVING_VENDORS: readonly AnyAction[] = [
  TRY_VENDORS,
  action(core, {
    name: 'vendor.import',
    summary:
      'Propose vendors of another system, with their keys and balances: all of a file, or nothing if a line is refused. They begin suspended.',
    route: 'POST /vendor-imports',
    permission: 'vendors.act',
    proposes: 'party_setting',
    actsAlone: true,
    file: vendorsFile,
    trial: () => TRY_VENDORS,
    input: inputOf({
      at: moment({ description: 'the day (its end) or time of the balances, by the other system' }),
      reason: settingReason,
    }),
    output: proposed,
    failed: hasProblems,
    handle: async ({ core: loaded, ...asked }) => {
      const { deps, input } = asked;
      const { vendors, problems } = await readVendorsFile(loaded, deps);
      if (problems.length > 0) return refused(problems, problems.length);
      const tools = { masterKeys: await deps.masterKeys() };
      const change = {
        valuedAt: endOf(input.at, deps).toISOString(),
        vendors: vendors.map((vendor) => loaded.movedJson(vendor, tools)),
      };
      const key = { vids: vendors.map(({ vid }) => vid) };
      const setting = loaded.MOVED_VENDORS;
      return answerOf(await loaded.changedSetting(asked, { setting, key, change }));
    },
  }),
  TRY_REFERENCES,
  action(core, {
    name: 'vendor.propose-references',
    summary:
      'Propose to import exactly this file of references that vendors used at another system, so that a request which is repeated here pays nothing.',
    route: 'POST /vendor-references',
    permission: 'vendors.act',
    proposes: 'party_setting',
    actsAlone: true,
    file: referencesFile,
    trial: () => TRY_REFERENCES,
    input: inputOf({
      last: Type.Boolean({
        default: false,
        description:
          'with this file, every reference that these vendors used is here: before, they cannot be resumed',
      }),
      reason: settingReason,
    }),
    output: proposed,
    failed: hasProblems,
    handle: async ({ core: loaded, ...asked }) => {
      const checked = await checkSent(loaded, asked.deps);
      if (checked.problemCount > 0) return refused(checked.problems, checked.problemCount);
      const vendors = [...checked.counts].map(([vid, each]) => ({ vid, ...each }));
      const { sha256 } = checked;
      const setting = loaded.USED_REFERENCES;
      const change = { vendors, isLast: asked.input.last };
      return answerOf(await loaded.changedSetting(asked, { setting, key: { sha256 }, change }));
    },
  }),
  action(core, {
    name: 'vendor.import-references',
    summary:
      'Import a file of references that two people approved, of any size. A repeat changes nothing, and after an interruption it continues.',
    onMachine: true,
    permission: 'vendors.act',
    actsAlone: true,
    isJob: true,
    file: referencesFile,
    input: inputOf({}),
    output: Type.Object({ references: count({ title: 'References' }), sha256: text() }),
    handle: async ({ core: loaded, deps }) => {
      const { path } = requireFile(deps);
      const { references, sha256 } = await loaded.importReferences(
        { ...referenceDeps(deps), ledgerMac: await deps.ledgerMac() },
        path,
      );
      return { result: { references, sha256 }, audit: { after: { references, sha256 } } };
    },
  }),
];

const refused = (problems: readonly Problem[], all: number) => ({
  result: { proposal: null, ...shownProblems(problems, all) },
  audit: { after: { problems: all } },
});

const answerOf = ({ result, ...rest }: Awaited<ReturnType<Core['changedSetting']>>) => ({
  result: { proposal: result, ...shownProblems([]) },
  ...rest,
});
