import type { SecretPaths } from '../../secret-path.ts';
import type { ReceiptSource } from '../../source.ts';
import { readC2bPayment } from './payment.ts';
import type { C2bReport } from './payment.ts';
import type { OurNumbers } from './settings.ts';

/** Kinds of callback URLs. */
export const CONFIRMATION = 'confirm';
export const VALIDATION = 'validate';

const ACCEPTED = { ResultCode: '0', ResultDesc: 'Accepted' };

/** The smallest and largest amounts that validation accepts; null: any. */
interface Limits {
  readonly minimumCents: bigint | null;
  readonly maximumCents: bigint | null;
}

interface ReaderOptions extends Limits {
  readonly ours: OurNumbers;
  readonly paths: SecretPaths;
  readonly isAllowed: (address: string) => boolean;
}

/**
 * Reads what Daraja calls. It does not sign: a call counts only from an address of Safaricom, on a URL that nobody can
 * guess.
 */
export function createReader(options: ReaderOptions): ReceiptSource['read'] {
  const { ours, paths, isAllowed } = options;
  return ({ path, address, body }) => {
    const about = paths.read(path);
    if (about === undefined) return { kind: 'refused', reason: 'the URL is not ours' };
    if (!isAllowed(address)) return { kind: 'refused', reason: 'the address is not allowed' };
    if (about.kind !== CONFIRMATION && about.kind !== VALIDATION) {
      return { kind: 'acknowledged', body: ACCEPTED };
    }
    const report = readC2bPayment(body, ours, new Date());
    if (about.kind === VALIDATION) {
      // Nothing is paid yet.
      if (typeof report === 'string') {
        return { kind: 'acknowledged', body: refusal('C2B00016') };
      }
      const answer = (isPayable: boolean): object => validated(report, options, isPayable);
      return { kind: 'question', account: report.account, answer };
    }
    if (typeof report === 'string') {
      return { kind: 'unreadable', problem: report, body: ACCEPTED };
    }
    const { isOurs, isContradictory, ...payment } = report;
    if (!isOurs) {
      const problem = 'BusinessShortCode is another one, or missing';
      return { kind: 'unreadable', problem, body: ACCEPTED };
    }
    return { kind: 'payment', payment, isContradictory, body: ACCEPTED };
  };
}

/** The answer to the question whether to accept a customer's payment. */
function validated(
  { amountCents, isOurs, isContradictory }: C2bReport,
  { minimumCents, maximumCents }: Limits,
  isPayable: boolean,
): object {
  if (isContradictory) return refusal('C2B00016');
  if (!isOurs) return refusal('C2B00015');
  if (!isPayable) return refusal('C2B00012');
  const isTooSmall = minimumCents !== null && amountCents < minimumCents;
  const isTooLarge = maximumCents !== null && amountCents > maximumCents;
  return isTooSmall || isTooLarge ? refusal('C2B00013') : ACCEPTED;
}

function refusal(code: string): object {
  return { ResultCode: code, ResultDesc: 'Rejected' };
}
