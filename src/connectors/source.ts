import type { Secret } from './operator.ts';
import type { BankStatements } from './source-statements.ts';

/**
 * The interface between receipts and whoever tells us of money in: a provider that reports payments itself, or a bank
 * whose statements people import. A source decides nothing about money, and does not know whose an account number is.
 */

/** The kind of a bank account whose statements people import. */
export const STATEMENT_SOURCE = 'statement';
/** Sources of receipts that report by themselves, by their folders, and bank accounts. */
export const SOURCE_KINDS = ['daraja', STATEMENT_SOURCE] as const;

/** An account of ours at a provider that reports payments to it. */
export interface ReceiptSource {
  /** Who numbers its receipts: one number of an issuer is one receipt, whatever the source. */
  readonly issuer: string;
  /** Confirmations of at least this amount are credited only when another channel has them too. Null: none. */
  readonly confirmFromCents: bigint | null;
  /** The URLs that `register` registers. */
  readonly urls: { readonly confirmation: string; readonly validation: string };
  /** Reads what was received on a URL of the source. Nothing in it is trusted before. */
  read(call: ReceivedCall): SourceReading;
  /** Registers the URLs with the provider. */
  register(signal: AbortSignal): Promise<Registered>;
  /** Asks the provider to allow `pull`. Null: it lists no payments. */
  readonly registerPull: ((signal: AbortSignal) => Promise<Registered>) | null;
  /**
   * Lists payments of the period, from the given row on. Rejects with an `Error` if the provider gives none. Null: it
   * lists no payments, or people switched it off.
   */
  readonly pull: ((period: PullPeriod, signal: AbortSignal) => Promise<PulledPage>) | null;
  /** Sends a phone a prompt to pay. Null: the provider has none, or we have no key for them. */
  readonly sendPush: ((prompt: PromptRequest, signal: AbortSignal) => Promise<PromptSent>) | null;
  readonly queryPush: ((checkoutId: string, signal: AbortSignal) => Promise<PromptState>) | null;
  /** Frees connections. */
  close(): Promise<void>;
}

/** A call as received over HTTP. */
export interface ReceivedCall {
  /** Behind the source's code. */
  readonly path: string;
  /** The caller's address, as the trusted proxies report it. */
  readonly address: string;
  readonly body: Buffer;
}

export type SourceReading =
  /** Not from the provider. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** From the provider, and perhaps about money that we do not learn of otherwise: it is kept for people. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly body: object }
  /** Nothing to take. */
  | { readonly kind: 'acknowledged'; readonly body: object }
  /** The provider asks if the customer may pay to this account number. */
  | {
      readonly kind: 'question';
      readonly account: string | null;
      answer(isPayable: boolean): object;
    }
  | {
      readonly kind: 'payment';
      readonly payment: ReportedPayment;
      /** A name occurs twice: what the body says depends on the reader, so people decide. */
      readonly isContradictory: boolean;
      readonly body: object;
    };

/** A customer's payment to our account, as the provider describes it. */
export interface ReportedPayment {
  /** As `readReceiptNumber` returns it. */
  readonly receipt: string;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  /** The provider gave no time that can be read, so `paidAt` is the time at which its message arrived. */
  readonly isArrivalTime?: boolean;
  /** As the customer wrote it. Null: none was given, as for goods that are bought at a till. */
  readonly account: string | null;
  /** Name and masked number, for people. */
  readonly payer: string | null;
  /** It takes money back, and is never credited. */
  readonly isReversal: boolean;
  /** The provider's word for it, if nobody knows whether it means a payment. */
  readonly unknownType?: string;
}

export interface Registered {
  readonly isDone: boolean;
  /** The provider's answer, for people. */
  readonly message: string;
}

export interface PullPeriod {
  readonly from: Date;
  readonly to: Date;
  readonly offset: number;
}

export interface PulledPage {
  readonly payments: readonly ReportedPayment[];
  /** Rows that could not be read. They are kept for people. */
  readonly unreadable: readonly UnreadableRow[];
  /** Movements of money of ours, in words: they are no payments. */
  readonly others?: readonly string[];
  /** Equal only for a page with the same rows, also with those that could not be read. */
  readonly digest?: string;
  /** The provider may not know our account: it answers so also if there is nothing. */
  readonly mayBeUnknown?: true;
}

export interface UnreadableRow {
  readonly problem: string;
  readonly body: Buffer;
}

/** The payment that a prompt on a phone asks for. */
export interface PromptRequest {
  /** 12 digits. */
  readonly phone: string;
  readonly amountCents: bigint;
  /** The vendor's account number, so that the receipt is credited to it. */
  readonly account: string;
}

/** `unknown`: it may have been sent; it is never sent again. */
export type PromptSent =
  | { readonly kind: 'sent'; readonly checkoutId: string }
  | { readonly kind: 'refused' | 'unknown'; readonly reason: string };

export type PromptState =
  | { readonly kind: 'paid' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'open'; readonly reason: string };

/** A kind of source that reports by itself, as the registry uses it. Its folder in `sources/` exports one such object. */
export interface SourceProtocol {
  /** A made-up secret in the right format, to check a source that has none yet. */
  readonly exampleSecret: string;
  /** True: it can send phones prompts to pay. */
  readonly sendsPrompts: boolean;
  /** Throws an `Error` naming the source, without the secret. */
  checkSecret(sourceCode: string, secret: string): void;
  /** Throws an `Error` naming the source and what is invalid. */
  create(source: ConfiguredSource): ReceiptSource;
  /** The statements that people export from the provider's portal. Throws an `Error` naming the source and what is invalid. */
  statements(sourceCode: string, settings: Readonly<Record<string, unknown>>): BankStatements;
}

export interface ConfiguredSource {
  readonly sourceCode: string;
  readonly settings: unknown;
  /** From the provider. */
  readonly secret: string;
  /** Ours, for the callback URLs, newest first. */
  readonly pathSecrets: readonly Secret[];
  /** The source's own URL, without a trailing slash. */
  readonly callbackUrl: string;
}

/** The issuer of all receipts of M-PESA. */
export const MPESA = 'mpesa';

const RECEIPT_PATTERN = /^[A-Z0-9]{6,40}$/;

/** A provider's receipt number in capitals, without separators; undefined if it cannot be one. */
export function readReceiptNumber(text: string): string | undefined {
  const number = text.toUpperCase().replaceAll(/[\s./_-]/g, '');
  return RECEIPT_PATTERN.test(number) ? number : undefined;
}
