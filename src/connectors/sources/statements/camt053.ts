import type { WireTime } from '../../../platform/base/clock.ts';
import { parseIsoTime, startOfNamedDay } from '../../../platform/base/clock.ts';
import { CURRENCY } from '../../../platform/base/money.ts';
import { childrenOf, elementAt, textAt } from '../../../platform/base/xml.ts';
import type { XmlElement, XmlLimits, XmlProblem } from '../../../platform/base/xml.ts';
import { isSameAccount } from '../../source-statements.ts';
import { balanceProblem } from './account.ts';
import { unsignedAmount } from './amounts.ts';
import { readEntry } from './camt053-entry.ts';
import type { LineProblem, StatementLine } from '../../source-statements.ts';
import type { AccountRules } from './settings.ts';

export const CAMT053_LIMITS: XmlLimits = { depth: 32, nodes: 2_000_000 };

/** The message’s own element, and versions 2 to 14, in which what we read is the same. */
const MESSAGE = 'BkToCstmrStmt';
const NAMESPACE = /:camt\.053\.001\.(?:0[2-9]|1[0-4])$/;

/**
 * The entries of camt.053, the ISO 20022 statement of an account in XML.
 * @param root of the file, read within `CAMT053_LIMITS`.
 */
export function* readCamt053(
  root: XmlElement | XmlProblem,
  rules: AccountRules,
  wireTime: WireTime,
): Generator<StatementLine | LineProblem> {
  if ('problem' in root) return yield root;
  const statements = childrenOf(elementAt(root, MESSAGE), 'Stmt');
  const problem = messageProblem(root) ?? (statements.length === 0 ? 'it has no statement' : null);
  if (problem !== null) return yield { line: root.line, problem };
  for (const statement of statements) yield* readStatement(statement, rules, wireTime);
}

function messageProblem(root: XmlElement): string | null {
  const [message] = root.children;
  if (root.name !== 'Document' || message?.name !== MESSAGE) {
    return `it is not camt.053 but ${root.name}${message === undefined ? '' : `/${message.name}`}`;
  }
  const spaces = [...root.attributes].filter(([name]) => /^xmlns(?::|$)/.test(name));
  const named = spaces.map(([, value]) => value).filter((value) => value.includes('camt.'));
  const other = named.find((value) => !NAMESPACE.test(value));
  return other === undefined ? null : `${other} is not camt.053, versions 2 to 14`;
}

function* readStatement(
  statement: XmlElement,
  rules: AccountRules,
  wireTime: WireTime,
): Generator<StatementLine | LineProblem> {
  const { line } = statement;
  const account = elementAt(statement, 'Acct');
  const named = textAt(account, 'Id', 'IBAN') ?? textAt(account, 'Id', 'Othr', 'Id');
  if (rules.account !== undefined && !isSameAccount(named, rules.account)) {
    const problem = `the statement is of the account ${named ?? ''}, not of ${rules.account}`;
    return yield { line, problem };
  }
  const currency = textAt(account, 'Ccy') ?? CURRENCY;
  if (currency !== CURRENCY) {
    return yield { line, problem: `the currency is ${currency}, not ${CURRENCY}` };
  }
  const read = (element: XmlElement): Date | undefined => timeOf(element, wireTime);
  const lines = childrenOf(statement, 'Ntry').flatMap((entry) => [
    ...readEntry(entry, { identifiedBy: rules.identifiedBy, timeOf: read }),
  ]);
  yield* lines;
  const movements = lines.filter((each) => 'kind' in each);
  if (!rules.checksBalances || movements.length < lines.length) return;
  const [opening, closing] = [
    balanceOf(statement, ['OPBD', 'PRCD']),
    balanceOf(statement, ['CLBD']),
  ];
  if (opening === undefined || closing === undefined) {
    const text = 'the booked balance at the start (OPBD or PRCD) or at the end (CLBD) is missing';
    return yield { line, problem: text };
  }
  const problem = balanceProblem(line, { opening, closing, movements });
  if (problem !== undefined) yield problem;
}

/** The first balance of one of these types, in cents. */
function balanceOf(statement: XmlElement, types: readonly string[]): bigint | undefined {
  const balance = childrenOf(statement, 'Bal').find((one) =>
    types.includes(textAt(one, 'Tp', 'CdOrPrtry', 'Cd') ?? ''),
  );
  const cents = unsignedAmount(textAt(balance, 'Amt') ?? '');
  if (cents === undefined) return undefined;
  return textAt(balance, 'CdtDbtInd') === 'DBIT' ? -cents : cents;
}

/** Reads an element with a `Dt` or a `DtTm`. */
function timeOf(element: XmlElement, wireTime: WireTime): Date | undefined {
  const [day, time] = [textAt(element, 'Dt'), textAt(element, 'DtTm')];
  if (time === undefined) return startOfNamedDay((day ?? '').slice(0, 10), wireTime);
  const local = time.replace('T', ' ').replace(/\.\d+$/, '');
  return parseIsoTime(time) ?? wireTime.parse(local);
}
