import type { Sector } from '../../parties/vendor.ts';
import type { AmountUnit, State } from '../registry/account.ts';
import { applySuppression } from '../registry/suppression.ts';
import type { SuppressionRule } from '../registry/suppression.ts';
import { accountsOf } from '../registry/read-subjects.ts';
import { isInDefault } from '../scorecards/standing.ts';
import { openLenderFile } from './lender-file.ts';
import type { Finding, SubmittedAccount } from './record.ts';
import type { TemplateName } from './template.ts';
import { amountFormOf } from './unit.ts';
import { createValidator } from './validate.ts';

/** A line of the file that matters before it is submitted. */
export type Noticed =
  | { readonly account: SubmittedAccount; readonly state: State; readonly findings?: undefined }
  /** Nobody can say whether the line lists somebody: the lender corrects it first. */
  | { readonly account?: undefined; readonly findings: readonly Finding[] };

/**
 * The accounts of a lender's file that would be in default once it is imported, so that their
 * holders are notified first, and the lines with errors. An account that a suppression rule hides
 * is left out: nobody will be told about it.
 * Throws: `ImportError` if nothing can be read at all.
 */
export async function* readDefaults(
  file: string,
  of: {
    readonly template: TemplateName;
    readonly sector: Sector;
    readonly asOf: string;
    /** The unit of the amounts, if it is declared. */
    readonly amounts?: AmountUnit | undefined;
  },
  rules: readonly SuppressionRule[],
): AsyncGenerator<Noticed> {
  const { template, sector, asOf } = of;
  const content = await openLenderFile(file, template);
  const form = await amountFormOf(content, of.amounts);
  const validator = createValidator(content.places, asOf, form, content.columnCount);
  for await (const row of content.rows()) {
    const { line, problem } = row;
    if (problem !== undefined) {
      yield { findings: [{ line, field: '', rule: 'csv', text: problem }] };
      continue;
    }
    const validated = validator.validate(line, row.values, row.numbers);
    if (validated.account === undefined) {
      yield { findings: validated.findings };
      continue;
    }
    const { account } = validated;
    const state = account.states[0];
    // A guarantor is not listed with the default of another person.
    if (account.terms.isGuarantee === true) continue;
    if (state !== undefined && isListed(account, state, sector, rules)) yield { account, state };
  }
}

/** True if an answer would call the account non-performing. */
function isListed(
  { terms, accountNumber }: SubmittedAccount,
  state: State,
  sector: Sector,
  rules: readonly SuppressionRule[],
): boolean {
  const unsold = { soldInto: null, soldOn: null, disputed: false };
  const row = {
    accountId: 0n,
    lender: accountNumber,
    sector,
    ...unsold,
    ...terms,
    isGuarantee: false,
  };
  const file = {
    asOf: new Date(`${state.asOf}T00:00:00Z`),
    ...accountsOf([row], new Map([[0n, [{ ...state, accountId: 0n }]]])),
    enquiries: [],
  };
  return applySuppression(file, rules).accounts.some(isInDefault);
}
