import type { Callbacks, SentPayment } from '../../operator-callbacks.ts';
import type { FinalOutcome } from '../../operator-outcomes.ts';
import type { SecretPath, SecretPaths } from '../../secret-path.ts';
import { contradictory, NOTHING, refused, reported, unreadable } from '../../outcomes.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { centsOf, objectOf, readContradictory, readJson, textOf } from '../../values.ts';
import { formatHandle, isTransactionId, parseHandle } from './handle.ts';
import { isSameAccount } from './streams.ts';
import type { Stream } from './streams.ts';

/** The kind of callback URL. */
export const RESULT = 'r';

/** The documented body. */
interface Report {
  readonly transactionId: string;
  readonly meterNumber: string;
  readonly amountCents: bigint | undefined;
  readonly status: string;
  readonly receipt: string;
  readonly action: string;
}

/**
 * Callbacks are not signed and there is no status query. They count because nobody else knows their URL
 * and every field matches. “Completed” is kept, and settles when the answer to the commit can no longer
 * come, because only that answer has the electricity token.
 */
export function createCallbacks(
  paths: SecretPaths,
  options: { readonly streamOf: (billerCode: string) => Stream | undefined },
): Callbacks {
  return {
    acceptedBody: {},
    keepsHandles: false,
    read: async (request, find) => {
      const about = paths.read(request.path);
      if (about === undefined) return refused('the path is not one of ours');
      if (readContradictory(request.body) !== undefined) return contradictory(about.reference);
      const report = readReport(request.body);
      if (report === undefined) return unreadable('the body is not a callback', about.reference);
      const sent = await find.byReference(about.reference);
      const says = outcomeOf(report);
      if (says === null) {
        return report.amountCents === undefined && report.status === 'completed'
          ? unreadable('it is completed, and its amount cannot be read', about.reference)
          : NOTHING;
      }
      const misfit = sent && misfitOf(report, { about, sent, stream: options.streamOf });
      if (misfit !== undefined) {
        return reported(about.reference, { kind: 'mismatch', reason: misfit, says });
      }
      if (says.kind === 'reversed') return reported(about.reference, says);
      const { transactionId, receipt } = report;
      // The first report counts: repeats must not put off the result.
      const earlier = parseHandle(sent?.operatorHandle ?? null)?.completed;
      const completed = earlier ?? { receipt: receipt || transactionId, atMs: Date.now() };
      const operatorHandle = formatHandle({ transactionId, completed });
      return reported(about.reference, { kind: 'hint', operatorHandle, says });
    },
  };
}

function readReport(body: Buffer): Report | undefined {
  const given = objectOf(readJson(body));
  const transactionId = textOf(given?.['TransactionId']);
  if (given === undefined || !isTransactionId(transactionId)) return undefined;
  return {
    transactionId,
    meterNumber: textOf(given['MeterNumber']) ?? '',
    amountCents: centsOf(textOf(given['Amount'])),
    status: (textOf(given['TransactionStatus']) ?? '').toLowerCase(),
    receipt: cleanMessage(textOf(given['ThirdPartyRef']) ?? '')
      .trim()
      .slice(0, 100),
    action: (textOf(given['Action']) ?? '').toLowerCase(),
  };
}

/** Null: it has no final result. */
function outcomeOf(report: Report): FinalOutcome | null {
  const { status, action, amountCents, receipt, transactionId } = report;
  if (status === 'cancelled' && action === 'agent refunded') {
    return { kind: 'reversed', message: 'Not delivered; the operator gave the money back' };
  }
  if (status !== 'completed' || action === 'agent refunded' || amountCents === undefined) {
    return null;
  }
  const operatorReference = receipt || transactionId;
  return { kind: 'paid', operatorReference, amountCents, message: 'Paid', details: {} };
}

function misfitOf(
  report: Report,
  by: {
    readonly about: SecretPath;
    readonly sent: SentPayment;
    readonly stream: (billerCode: string) => Stream | undefined;
  },
): string | undefined {
  const { about, sent } = by;
  const stream = by.stream(sent.billerCode);
  if (about.attemptNumber !== sent.attemptNumber) return 'it is about another attempt';
  if (parseHandle(sent.operatorHandle)?.transactionId !== report.transactionId) {
    return 'it names another TransactionId';
  }
  if (stream === undefined || !isSameAccount(stream, report.meterNumber, sent.account)) {
    return 'it names another account';
  }
  return report.amountCents === sent.amountCents ? undefined : 'it names another amount';
}
