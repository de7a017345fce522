import type {
  Declined,
  DeclineCode,
  PaymentContent,
  PaymentInstruction,
} from '../../operator-outcomes.ts';
import type { Connector } from '../../operator.ts';
import { MOBILE_NUMBER } from '../../../platform/base/mobile-number.ts';
import { declined } from '../../outcomes.ts';
import { declineOf } from '../daraja-b2b/codes.ts';
import { createPayingConnector } from '../daraja-b2b/paying.ts';
import type { PayingOptions } from '../daraja-b2b/paying.ts';
import type { CallbackUrls, Initiator } from '../daraja-b2b/requests.ts';
import { AMOUNTS, DARAJA_B2C } from './declaration.ts';

export const COMMAND_IDS = ['BusinessPayment', 'SalaryPayment', 'PromotionPayment'] as const;
export type CommandId = (typeof COMMAND_IDS)[number];

export interface B2cOptions extends PayingOptions {
  readonly commandId: CommandId;
}

/** Codes that say something about the phone here, and about our own short code elsewhere. */
const OF_PHONES: Readonly<Record<string, DeclineCode>> = {
  '2040': 'invalid_account',
  SFC_IC0003: 'invalid_account',
};

/** Daraja B2C v3: our own id of each attempt, by which it can be asked about, and which it takes once. */
export function createDarajaB2cConnector(options: B2cOptions): Connector {
  return createPayingConnector(options, {
    declaration: DARAJA_B2C,
    // Another one for each attempt: one that was declined is not taken again.
    ownId: originatorIdOf,
    declineOf: (code) => (Object.hasOwn(OF_PHONES, code) ? OF_PHONES[code] : declineOf(code)),
    path: '/mpesa/b2c/v3/paymentrequest',
    bodyOf: (instruction, urls) =>
      refusalOf(instruction) ?? { body: paymentRequest(options, instruction, urls) },
  });
}

/** At most 36 characters: a reference has 32, and the number of an attempt at most three. */
function originatorIdOf({
  reference,
  attemptNumber,
}: Pick<PaymentInstruction, 'reference' | 'attemptNumber'>): string {
  return `${reference}-${attemptNumber.toString(36)}`;
}

/** Why Daraja would not take it. */
function refusalOf({ account, amountCents }: PaymentContent): Declined | null {
  if (!MOBILE_NUMBER.test(account)) {
    return declined(
      'account',
      'invalid_account',
      'The operator pays to Kenyan mobile numbers only',
    );
  }
  const { minimumCents, maximumCents, stepCents } = AMOUNTS;
  if (amountCents % BigInt(stepCents) !== 0n) {
    return declined('cents', 'amount_not_allowed', 'The operator takes whole shillings only');
  }
  if (amountCents >= BigInt(minimumCents) && amountCents <= BigInt(maximumCents)) return null;
  return declined('amount', 'amount_not_allowed', 'The operator pays 10 to 250,000 at once');
}

/** The documented names: `InitiatorName` and `Occassion` are spelled so here. */
function paymentRequest(
  { initiator, commandId }: { readonly initiator: Initiator; readonly commandId: CommandId },
  instruction: PaymentInstruction,
  urls: CallbackUrls,
): object {
  return {
    OriginatorConversationID: originatorIdOf(instruction),
    InitiatorName: initiator.name,
    SecurityCredential: initiator.securityCredential,
    CommandID: commandId,
    Amount: String(instruction.amountCents / 100n),
    PartyA: initiator.shortCode,
    PartyB: instruction.account,
    Remarks: instruction.reference,
    QueueTimeOutURL: urls.timeout,
    ResultURL: urls.result,
    Occassion: instruction.reference,
  };
}
