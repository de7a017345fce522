import { readCsv } from '../../platform/base/csv.ts';
import type { Sector } from '../../parties/vendor.ts';
import { isNonPerforming } from '../scorecards/standing.ts';
import { ImportError } from './import.ts';
import type { SubmittedAccount } from './record.ts';
import { headerProblem } from './template.ts';
import type { TemplateName } from './template.ts';
import { createValidator } from './validate.ts';

/**
 * The accounts of a lender's file that would be in default once it is imported, so that their
 * holders are notified first. Lines with errors are left out: an import reports them.
 * Throws: `ImportError` if nothing can be read at all.
 */
export async function* readDefaults(
  file: string,
  {
    template,
    sector,
    asOf,
  }: {
    readonly template: TemplateName;
    readonly sector: Sector;
    readonly asOf: string;
  },
): AsyncGenerator<SubmittedAccount> {
  const validator = createValidator(template, asOf);
  let hasHeader = false;
  for await (const { line, values, problem } of readCsv(file)) {
    if (!hasHeader) {
      const wrong = headerProblem(values, template);
      if (wrong !== undefined) throw new ImportError(`The header is not the template’s: ${wrong}.`);
      hasHeader = true;
      continue;
    }
    const { account } = problem === undefined ? validator.validate(line, values) : {};
    const state = account?.states[0];
    if (account === undefined || state === undefined) continue;
    if (isNonPerforming({ product: account.terms.product, sector }, state)) yield account;
  }
  if (!hasHeader) throw new ImportError('The file is empty.');
}
