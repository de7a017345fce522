import { randomUUID } from 'node:crypto';
import { formatMoney } from '../platform/base/money.ts';
import type { AccountAnswer, Connector } from './operator.ts';

/** The amount of queries that need one. */
const PROBED_CENTS = 100_00n;
const GIVE_ACCOUNT = 'give --biller and --account to ask about one';

/** The result of a query to the operator. */
export interface Finding {
  readonly question: string;
  readonly isEstablished: boolean;
  readonly detail: string;
}

export interface ProbeOptions {
  readonly billerCode: string | null;
  readonly account: string | null;
}

/**
 * Makes every call to the operator that moves no money, to find out whether address, credentials and
 * configuration work. Never pays.
 */
export async function probe(connector: Connector, options: ProbeOptions): Promise<Finding[]> {
  const float = await probeBalance(connector);
  const unknown = await probeUnknownReference(connector, options);
  const account = await probeAccount(connector, options);
  const others = [
    await probeQuote(connector, options),
    await probeProducts(connector),
    await probeStatement(connector),
  ].filter((finding) => finding !== null);
  const answered = [float, unknown, account, ...others].filter((one) => one.isEstablished);
  return [
    probeAccess(connector, answered),
    float,
    unknown,
    account,
    ...others,
    probeCallbacks(connector),
  ];
}

/** Any answer to a query proves that the address and the credentials are right. */
function probeAccess(connector: Connector, answered: readonly Finding[]): Finding {
  const question = 'address and credentials';
  const [first] = answered;
  if (first !== undefined) return established(question, `it answered about ${first.question}`);
  const { balance, validate, products, pullStatement } = connector;
  const canAsk = [balance, validate, products, pullStatement].some((one) => one !== null);
  return canAsk
    ? notEstablished(question, 'no question was answered')
    : notEstablished(question, 'nothing can be asked without a payment');
}

async function probeBalance(connector: Connector): Promise<Finding> {
  const question = 'our float';
  if (connector.balance === null) return notEstablished(question, 'the protocol has no such query');
  const answer = await connector.balance(limitOf(connector));
  switch (answer.kind) {
    case 'balance':
      return established(question, formatMoney(answer.balanceCents));
    case 'asked':
      return established(question, 'the question was taken; the answer comes by callback');
    case 'unknown':
      return notEstablished(question, answer.reason);
  }
}

/** A reference that was never used: the answer shows how the operator reports "not found". */
async function probeUnknownReference(
  connector: Connector,
  { billerCode, account }: ProbeOptions,
): Promise<Finding> {
  const question = 'an instruction that was never sent';
  if (connector.status === null) return notEstablished(question, 'the operator cannot be queried');
  const reference = `TEST${randomUUID().replaceAll('-', '').slice(0, 28)}`.toUpperCase();
  const query = {
    reference,
    attemptNumber: 1,
    billerCode: billerCode ?? 'test',
    account: account ?? '0',
    phone: null,
    amountCents: PROBED_CENTS,
  };
  // The handle that an instruction would have; to prepare one moves no money.
  const outcome = await connector.status(
    { ...query, operatorHandle: reference },
    limitOf(connector),
  );
  const detail = 'reason' in outcome ? outcome.reason : outcome.kind;
  if (outcome.kind === 'not_found') return established(question, notFoundText(connector));
  return outcome.kind === 'unknown' && outcome.answered
    ? notEstablished(question, detail)
    : notEstablished(question, `${detail}; check address and credentials`);
}

function notFoundText({ acceptanceWindowMs }: Connector): string {
  if (acceptanceWindowMs === null) return 'not found, which proves nothing with this operator';
  const windowS = acceptanceWindowMs / 1_000;
  return windowS === 0
    ? 'not found, which is proof that nothing was executed'
    : `not found, which is proof ${windowS} s after the last moment of sending`;
}

async function probeAccount(
  connector: Connector,
  { billerCode, account }: ProbeOptions,
): Promise<Finding> {
  const question = 'an account';
  if (connector.validate === null)
    return notEstablished(question, 'the protocol has no such query');
  if (billerCode === null || account === null) return notEstablished(question, GIVE_ACCOUNT);
  const answer = await connector.validate({ billerCode, account, phone: null }, limitOf(connector));
  switch (answer.kind) {
    case 'valid':
      return established(question, accountText(answer));
    case 'invalid':
      return established(question, `not valid: ${answer.message}`);
    case 'unknown':
      return notEstablished(question, answer.reason);
  }
}

function accountText(answer: Extract<AccountAnswer, { kind: 'valid' }>): string {
  const { name, amountDueCents, dueDate } = answer;
  return [
    'valid',
    ...(name === null ? [] : [name]),
    ...(amountDueCents === null ? [] : [`${formatMoney(amountDueCents)} due`]),
    ...(dueDate === null ? [] : [`until ${dueDate}`]),
  ].join(', ');
}

/** Null: it pays out in our own currency. */
async function probeQuote(
  connector: Connector,
  { billerCode, account }: ProbeOptions,
): Promise<Finding | null> {
  if (connector.quote === null) return null;
  const question = `what a recipient gets for ${formatMoney(PROBED_CENTS)}`;
  if (billerCode === null || account === null) return notEstablished(question, GIVE_ACCOUNT);
  const about = { billerCode, account, amountCents: PROBED_CENTS };
  const answer = await connector.quote(about, limitOf(connector));
  return answer.kind === 'quote'
    ? established(question, `${answer.amount} ${answer.currency}`)
    : notEstablished(question, answer.reason);
}

/** Null: it has no such list. */
async function probeProducts({ products, ...connector }: Connector): Promise<Finding | null> {
  if (products === null) return null;
  const question = 'its products';
  const page = await products(null, limitOf(connector));
  if (page.kind === 'unknown') return notEstablished(question, page.reason);
  return established(question, `${page.products.length}${page.next === null ? '' : ' and more'}`);
}

/** Null: statements are imported, not pulled. */
async function probeStatement({ pullStatement, ...connector }: Connector): Promise<Finding | null> {
  if (pullStatement === null) return null;
  const question = 'its statement of the last hour';
  const to = new Date();
  const from = new Date(to.getTime() - 3_600_000);
  const page = await pullStatement({ from, to, cursor: null }, limitOf(connector));
  return page.kind === 'unknown'
    ? notEstablished(question, page.reason)
    : established(question, `${page.movements.length} movements on its first page`);
}

function probeCallbacks({ declaration }: Connector): Finding {
  const question = 'callbacks';
  return declaration.callbackTrust === 'no_callbacks'
    ? notEstablished(question, 'the protocol has none, or none are configured')
    : notEstablished(question, 'only a payment shows whether they arrive');
}

function limitOf(connector: Pick<Connector, 'payDeadlineMs'>): AbortSignal {
  return AbortSignal.timeout(connector.payDeadlineMs + 1_000);
}

function established(question: string, detail: string): Finding {
  return { question, isEstablished: true, detail };
}

function notEstablished(question: string, detail: string): Finding {
  return { question, isEstablished: false, detail };
}
