import { randomUUID } from 'node:crypto';
import { formatMoney } from '../../platform/base/money.ts';
import type { Connector } from '../dispatch/connector.ts';

/** What a question to the operator showed. */
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
 * Asks the operator all that moves no money, to find out whether address, credentials and
 * configuration work. Never pays.
 */
export async function probe(connector: Connector, options: ProbeOptions): Promise<Finding[]> {
  return [
    await probeBalance(connector),
    await probeUnknownReference(connector, options),
    await probeAccount(connector, options),
    probeCallbacks(connector),
  ];
}

async function probeBalance(connector: Connector): Promise<Finding> {
  const question = 'our float with the operator';
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

/** A reference that nobody ever used: what "not found" looks like decides when it may be sent again. */
async function probeUnknownReference(
  connector: Connector,
  { billerCode, account }: ProbeOptions,
): Promise<Finding> {
  const question = 'the answer about an instruction that was never sent';
  if (connector.status === null) return notEstablished(question, 'the operator cannot be asked');
  const reference = `TEST${randomUUID().replaceAll('-', '').slice(0, 28)}`.toUpperCase();
  const query = {
    reference,
    attemptNumber: 1,
    billerCode: billerCode ?? 'test',
    account: account ?? '0',
    phone: null,
    amountCents: 100n,
  };
  // The handle that an instruction would have; to prepare one moves no money.
  const outcome = await connector.status(
    { ...query, operatorHandle: reference },
    limitOf(connector),
  );
  const detail = 'reason' in outcome ? outcome.reason : outcome.kind;
  if (outcome.kind === 'not_found') return established(question, 'not found');
  return outcome.kind === 'unknown' && outcome.answered
    ? notEstablished(question, detail)
    : notEstablished(question, `${detail}; check address and credentials`);
}

async function probeAccount(
  connector: Connector,
  { billerCode, account }: ProbeOptions,
): Promise<Finding> {
  const question = 'an account';
  if (connector.validate === null)
    return notEstablished(question, 'the protocol has no such query');
  if (billerCode === null || account === null) {
    return notEstablished(question, 'give --biller and --account to ask about one');
  }
  const answer = await connector.validate({ billerCode, account, phone: null }, limitOf(connector));
  switch (answer.kind) {
    case 'valid':
      return established(question, `valid${answer.name === null ? '' : `, ${answer.name}`}`);
    case 'invalid':
      return established(question, `not valid: ${answer.message}`);
    case 'unknown':
      return notEstablished(question, answer.reason);
  }
}

function probeCallbacks({ declaration }: Connector): Finding {
  const question = 'callbacks';
  return declaration.callbackTrust === 'no_callbacks'
    ? notEstablished(question, 'the protocol has none, or none are configured')
    : notEstablished(question, 'only a payment shows whether they arrive');
}

function limitOf(connector: Connector): AbortSignal {
  return AbortSignal.timeout(connector.payDeadlineMs + 1_000);
}

function established(question: string, detail: string): Finding {
  return { question, isEstablished: true, detail };
}

function notEstablished(question: string, detail: string): Finding {
  return { question, isEstablished: false, detail };
}
