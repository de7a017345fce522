import { sha256 } from './crypto.ts';
import type {
  BatchCustomer,
  Enquiry,
  GenericScore,
  IdDecision,
  MobileLoanScore,
  ScoreBatch,
  ScoreBatchResult,
  ScoreEnquiry,
  Watch,
} from './credit.ts';
import * as decode from './decode.ts';
import { fileOf } from './file.ts';
import type { Parameters } from './sign.ts';
import { Vendor } from './vendor.ts';
import type { UploadFile } from './types.ts';

/** The credit operations of a vendor. A repeated `requestReference` gets the first answer. */
export abstract class Credit extends Vendor {
  async idDecision(enquiry: Enquiry): Promise<IdDecision> {
    return await this.#enquire<IdDecision>('/id-decision', enquiry);
  }

  async genericScore(enquiry: ScoreEnquiry): Promise<GenericScore> {
    return await this.#enquire<GenericScore>('/generic-score', enquiry);
  }

  async mobileLoanScore(enquiry: ScoreEnquiry): Promise<MobileLoanScore> {
    return await this.#enquire<MobileLoanScore>('/mobile-loan-score', enquiry);
  }

  async #enquire<Shape>(path: string, enquiry: Enquiry): Promise<Shape> {
    const texts = Object.entries(enquiry).map(([name, value]) => [
      name,
      typeof value === 'number' ? String(value) : (value as string | undefined),
    ]);
    const parameters = Object.fromEntries(texts) as Parameters;
    return await this.call(
      { path, effect: 'write', parameters },
      (body) => decode.asSpecified(body) as Shape,
    );
  }

  /** Asks for the scores of up to 10,000 customers with one file: rows, or a file as you have it. */
  async batchScore(request: {
    readonly batchReference: string;
    readonly product: 'generic-score' | 'mobile-loan-score';
    readonly reportReason: number;
    readonly reportSector: number;
    readonly customers: readonly BatchCustomer[] | UploadFile;
  }): Promise<ScoreBatch> {
    const { batchReference, product, reportReason, reportSector, customers } = request;
    const file = 'bytes' in customers ? customers : fileOf(customers);
    const parameters = {
      batchReference,
      product,
      reportReason: String(reportReason),
      reportSector: String(reportSector),
      sha256: await sha256(file.bytes),
    };
    return await this.call({ path: '/batch-score', effect: 'write', parameters, file }, (body) =>
      decode.scoreBatch(decode.part(body, 'msg')),
    );
  }

  async batchScoreStatus(batchReference: string): Promise<ScoreBatch> {
    const parameters = { batchReference };
    return await this.call({ path: '/batch-score/status', effect: 'read', parameters }, (body) =>
      decode.scoreBatch(decode.part(body, 'msg')),
    );
  }

  async batchScoreResult(batchReference: string): Promise<ScoreBatchResult> {
    const parameters = { batchReference, format: 'json' };
    return await this.call(
      { path: '/batch-score/result', effect: 'read', parameters },
      decode.scoreBatchResult,
    );
  }

  /** Reports changes about the customer of one of your enquiries to your webhook. */
  async watch(request: {
    readonly requestReference: string;
    readonly scoreDrop: number;
  }): Promise<Watch> {
    const { requestReference, scoreDrop } = request;
    const parameters = { requestReference, scoreDrop: String(scoreDrop) };
    return await this.call({ path: '/watch', effect: 'write', parameters }, decode.watch);
  }

  async unwatch(requestReference: string): Promise<Watch> {
    const parameters = { requestReference };
    return await this.call({ path: '/unwatch', effect: 'write', parameters }, decode.watch);
  }
}
