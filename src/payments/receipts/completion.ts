import { Type } from 'typebox';
import type { Static } from 'typebox';
import { sourceProtocolOf, statementsOf } from '../../connectors/registry.ts';
import { readReceiptNumber } from '../../connectors/source.ts';
import { readVids } from '../../parties/read-vendors.ts';
import { cleanWhole, decodeText } from '../../platform/base/clean-text.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { compiled } from '../../platform/base/compiled.ts';
import { centsAboveZero, filledText, strict } from '../../platform/base/json-fields.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { requireFound } from '../../platform/base/proposal.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Approved, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { isFarAhead } from '../collections/collect.ts';
import { timeField } from '../house/fields.ts';
import { findMessage } from '../messages/read-messages.ts';
import type { MessageRow } from '../messages/read-messages.ts';
import { endMessage, lockMessage } from '../messages/store.ts';
import { isMessageAuthentic } from '../messages/unread.ts';
import { foresee, Preview } from './foresee.ts';
import type { Foreseen } from './foresee.ts';
import { reportedAccount } from './receipt.ts';
import type { ReceiptReport } from './receipt.ts';
import { findReceipt } from './read-receipts.ts';
import { findSource } from './sources-store.ts';
import { insertReceiptEvent } from './store.ts';
import { credit, record } from './take.ts';
import type { ReceiptDeps } from './take.ts';

export const UNREAD_MESSAGE = 'unread_message';

const content = strict({
  messageId: filledText(64),
  sha256: filledText(64),
  sender: filledText(64),
  /** The receipt that people read; null: the message is closed, as it is about no money, or about known money. */
  receipt: Type.Union([
    Type.Null(),
    strict({
      issuer: filledText(100),
      receipt: filledText(100),
      cents: centsAboveZero,
      paidAt: timeField,
      account: Type.Union([Type.Null(), filledText(40)]),
    }),
  ]),
});
type Content = Static<typeof content>;

interface Facts {
  readonly message: MessageRow | undefined;
  readonly isAuthentic: boolean;
  /** Null: it is closed, or cannot be a receipt. */
  readonly report: ReceiptReport | null;
  readonly foreseen: Foreseen | null;
  readonly vid: string | null;
}

interface Plan extends Pick<Facts, 'report' | 'foreseen' | 'vid'> {
  readonly of: Content;
}

/**
 * Completes a message of a source that could not be read as a receipt, or closes one. Both people see its bytes and what
 * would be booked. The receipt is taken like any other report of its number, so that one that can be read, before or
 * after it, credits nothing more. `afterwards` credits it, which `creditLeftClaims` can do as well.
 */
export const unreadMessageKind = (deps: ReceiptDeps & { readonly wireTime: WireTime }): AnyKind =>
  kind<Content, Facts, Plan>({
    name: UNREAD_MESSAGE,
    title: 'Message that could not be read',
    content: compiled(content),
    ...{ proposedBy: 'receipts.act', decidedBy: 'receipts.act' },
    replaces: true,
    about: ({ messageId }) => messageId,
    describe: (of) => describe(of, deps.wireTime),
    read: async (db, of, { lock }) => await readFacts(db, deps, of, lock),
    check: requireDecidable,
    plan: ({ report, foreseen, vid }, { content: of }) => ({ of, report, foreseen, vid }),
    show,
    remarks: ({ message }) => (message === undefined ? [] : messageLines(message)),
    isOver: ({ message }) => message !== undefined && message.state !== 'open',
    apply: async (db, plan, approval) => await apply(db, deps, plan, approval),
    afterwards: async ({ content: { receipt: asked } }) => {
      const row =
        asked === null ? undefined : await findReceipt(deps.pool, asked.issuer, asked.receipt);
      if (row?.state === 'claimed') await credit(deps, row);
    },
  });

/** The content that people read in a message. */
export interface ReadByPeople {
  readonly receipt: string;
  readonly amountCents: bigint;
  readonly account: string | null;
  readonly paidAt: Date;
}

/** Throws: `PlainError` with the problem. */
export async function proposeForMessage(
  { pool, proposals }: { readonly pool: Pool; readonly proposals: Proposals },
  request: {
    readonly messageId: string;
    /** Null: close it. */
    readonly read: ReadByPeople | null;
    readonly by: Actor;
    readonly note: string;
  },
): Promise<ProposalRow> {
  const { messageId, read, by, note } = request;
  const message = requireFound(await findMessage(pool, messageId), 'message');
  const receipt = read === null ? null : await receiptOf(pool, message, read);
  const { sender } = message;
  const made = { messageId, sha256: message.sha256.toString('hex'), sender, receipt };
  return await proposals.propose({ kind: UNREAD_MESSAGE, content: made, by, note });
}

async function receiptOf(
  db: Queryable,
  { senderKind, sender }: MessageRow,
  { receipt: written, amountCents, account, paidAt }: ReadByPeople,
): Promise<Content['receipt']> {
  const source = senderKind === 'source' ? await findSource(db, sender) : undefined;
  if (source === undefined || sourceProtocolOf(source.kind) === undefined) {
    const text =
      'It is not about a receipt. Look at the payment that it names, and close the message.';
    throw new PlainError(text);
  }
  const receipt = readReceiptNumber(written);
  if (receipt === undefined) {
    throw new PlainError('It must be the provider’s number: 6 to 40 letters and digits.', {
      field: 'receipt',
    });
  }
  const issuer = statementsOf(source)?.issuer ?? sender;
  const cents = String(amountCents);
  return {
    issuer,
    receipt,
    cents,
    paidAt: paidAt.toISOString(),
    account: reportedAccount(account),
  };
}

function describe({ sender, messageId, receipt }: Content, wireTime: WireTime): readonly Line[] {
  const about = [
    { label: 'Message', text: messageId },
    { label: 'From', text: sender },
  ];
  if (receipt === null) return [...about, { label: 'Receipt', text: 'none: it is closed' }];
  return [
    ...about,
    { label: 'Receipt', text: `${receipt.receipt} (${receipt.issuer})`, cents: receipt.cents },
    { label: 'Account number', text: receipt.account ?? 'none' },
    { label: 'Customer paid', text: wireTime.format(new Date(receipt.paidAt)) },
  ];
}

async function readFacts(
  db: Queryable,
  { ledgerMac }: ReceiptDeps,
  of: Content,
  lock: boolean,
): Promise<Facts> {
  const message = await (lock ? lockMessage : findMessage)(db, of.messageId);
  const isAuthentic =
    message !== undefined &&
    message.sha256.toString('hex') === of.sha256 &&
    (message.senderKind === 'operator' || isMessageAuthentic(ledgerMac, message));
  const report =
    message === undefined || of.receipt === null ? null : await reportOf(db, message, of.receipt);
  const foreseen = report === null ? null : await foresee(db, report, new Preview());
  const vid =
    foreseen?.kind === 'credited' ? ((await readVids(db)).get(foreseen.vendorId) ?? null) : null;
  return { message, isAuthentic, report, foreseen, vid };
}

/** Null: the source is gone. */
async function reportOf(
  db: Queryable,
  { sender, channel, body }: MessageRow,
  { issuer, receipt, cents, paidAt, account }: NonNullable<Content['receipt']>,
): Promise<ReceiptReport | null> {
  const source = await findSource(db, sender);
  if (source === undefined || channel === 'callback') return null;
  const { sourceCode, collector, bank } = source;
  return {
    ...{ issuer, receipt, sourceCode, collector, bank, channel, account, payer: null },
    ...{ amountCents: BigInt(cents), paidAt: new Date(paidAt) },
    isByHand: !plainText(body).includes(receipt),
  };
}

/** As `readReceiptNumber` reads a number. */
function plainText(body: Buffer): string {
  return decodeText(body)
    .toUpperCase()
    .replaceAll(/[\s./_-]/g, '');
}

/** Throws: `PlainError` with what stands against it. */
function requireDecidable(facts: Facts, of: Content): void {
  const { state } = requireFound(facts.message, 'message');
  if (state !== 'open') throw new PlainError(`The message is ${state}; nothing is left to decide.`);
  if (!facts.isAuthentic) throw new PlainError('The message was changed in the database.');
  if (of.receipt === null) return;
  if (facts.report === null) throw new PlainError('Its source does not exist any more.');
  if (isFarAhead(facts.report.paidAt, Date.now())) {
    throw new PlainError('It is more than a day in the future.', { field: 'paid_at' });
  }
  if (facts.foreseen?.kind === 'conflicts') {
    throw new PlainError(
      'A receipt with this number is known, with another amount, account or time. Correct what you read, or close the message.',
      { field: 'receipt' },
    );
  }
  if (facts.foreseen?.kind !== 'reversed') return;
  throw new PlainError(
    'The money of this receipt went back, or a statement lists a debit of its number and amount. Close the message, and decide about the receipt.',
    { field: 'receipt' },
  );
}

function show({ of: { receipt, messageId }, foreseen, vid }: Plan): readonly Line[] {
  if (receipt === null) return [{ label: 'Closed without a receipt', text: messageId }];
  const { cents, receipt: number } = receipt;
  if (foreseen?.kind === 'credited') {
    return [{ label: 'Credited as collected income', text: vid ?? '', cents }];
  }
  const label = foreseen?.kind === 'repeated' ? 'Known already' : 'Waits for people';
  return [{ label, text: number, cents }];
}

/** More would not fit on a page; `receipts message show` has all of it. */
const MAX_SHOWN = 4_000;

/** The message for people. It may have personal data, so it is kept only with the message. */
function messageLines({ problem, body, times }: MessageRow): readonly Line[] {
  return [
    { label: 'Could not be read, because', text: problem },
    { label: 'Received', text: `${times} times, ${body.length} bytes` },
    { label: 'Content', text: messageText(body).slice(0, MAX_SHOWN) },
  ];
}

/** Bytes that are not UTF-8 are replaced. */
export function messageText(body: Buffer): string {
  return cleanWhole(decodeText(body));
}

async function apply(
  db: Queryable,
  { ledgerMac }: ReceiptDeps,
  { of: { messageId }, report }: Plan,
  { proposal, by }: Approved<Content>,
): Promise<void> {
  if (report === null) {
    await endMessage(db, messageId, null);
    return;
  }
  // Two people, who saw the bytes, take the place of the other channel that large confirmations need.
  const { row } = await record(db, ledgerMac, report, null);
  await endMessage(db, messageId, row.receiptId);
  const detail = { decision: 'complete', message: messageId, proposal: proposal.proposalId };
  await insertReceiptEvent(db, row.receiptId, { action: 'approved', actor: by, detail });
}
