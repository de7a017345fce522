import path from 'node:path';
import { Type } from 'typebox';
import { DAY_MS } from '../platform/base/days.ts';
import { Refusal } from '../platform/base/errors.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import { requireMachine } from './deps.ts';
import { count, inputOf, moment, text, titled } from './fields.ts';
import { readMoment } from '../platform/base/times.ts';

const core = async () => await import('../payments/archive/archive.ts');

/** The default location of the files, within the data folder. */
const FOLDER = 'archive';

const folderOf = (option: 'to' | 'from') => ({
  folder: Type.Optional(
    text({
      ...{ minLength: 1, option, placeholder: 'folder' },
      description: `where the files are (default: ${FOLDER} in DATA_DIR)`,
    }),
  ),
});

export const ARCHIVE: Noun = {
  command: 'archive',
  summary: 'The archive of old payments.',
  definitions: [
    action(core, {
      name: 'archive.run',
      summary: `Move payments that were created and ended before a day into compressed files, while the service runs. The ledger does not change, and a merchant reference still creates no second payment. The day must be at least ${LIMITS.archiveMinAgeDays} days ago.`,
      onMachine: true,
      isUsual: true,
      permission: 'system.act',
      actsAlone: 'always',
      isJob: true,
      input: inputOf({
        before: moment({ description: 'first day that is not archived, YYYY-MM-DD' }),
        ...folderOf('to'),
      }),
      output: Type.Object({
        ...titled({ payments: count, files: count, bytes: count }),
        folder: text({ title: 'Folder: keep the files, and a copy elsewhere' }),
      }),
      handle: async ({ core: { archivePayments }, input, deps }) => {
        const { ownerPool, dataDir } = requireMachine(deps);
        const before = readMoment(input.before, 'before', deps.wireTime);
        if (deps.clock.now().getTime() - before.getTime() < LIMITS.archiveMinAgeDays * DAY_MS) {
          const says = `before must be at least ${LIMITS.archiveMinAgeDays} days ago, because operators may still report on younger payments`;
          throw new Refusal('invalid_field', { field: 'before', text: says });
        }
        const folder = path.resolve(input.folder ?? path.join(dataDir, FOLDER));
        const { files, payments, bytes } = await archivePayments(await ownerPool(), {
          ...{ before, folder },
          onFile: (now) => deps.progress?.({ done: now.payments, of: null, what: 'payments' }),
        });
        const result = { payments, files, bytes, folder };
        return { result, audit: { after: result } };
      },
    }),
    view(core, {
      name: 'archive.verify',
      summary:
        'Verify that every archived file exists, is unchanged and agrees with the database. Fails when one does not.',
      onMachine: true,
      permission: 'system.read',
      input: inputOf(folderOf('from')),
      output: Type.Object({
        files: count({ title: 'Files' }),
        faults: Type.Array(Type.Object(titled({ file: text, problem: text }))),
      }),
      rows: 'faults',
      empty: 'every file is as it was',
      failed: ({ faults }) => faults.length > 0,
      handle: async ({ core: { verifyArchive }, input, deps }) => {
        const folder = path.resolve(
          input.folder ?? path.join(requireMachine(deps).dataDir, FOLDER),
        );
        const { files, faults } = await verifyArchive(deps.pool, folder, (done, of) =>
          deps.progress?.({ done, of, what: 'files' }),
        );
        return { files, faults: faults.map(({ file, detail: problem }) => ({ file, problem })) };
      },
    }),
  ],
};
