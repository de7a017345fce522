import { createHash } from 'node:crypto';
import { newId } from '../../src/platform/base/ids.ts';
import { payloadLocation } from '../../src/credit/enquiries/record.ts';
import type { EnquiryRecord } from '../../src/credit/enquiries/record.ts';
import type { NewEnquiry } from '../../src/credit/enquiries/store.ts';
import type { Vault } from '../../src/credit/registry/vault.ts';

let references = 0;

/** An enquiry as the service stores it. Default: an answered generic score. */
export function newEnquiry(vault: Vault, change: Partial<EnquiryRecord> = {}): NewEnquiry {
  references += 1;
  const payload = JSON.stringify({ salt: 'salt', request: { vid: 'a' }, answer: '{}' });
  const record: EnquiryRecord = {
    vendorId: 7,
    enquiryId: newId(),
    enquiredAt: new Date('2026-11-01T08:00:00Z'),
    operation: 'generic-score',
    requestReference: `Made${references}`,
    reportReason: 2,
    reportSector: 2,
    consentReference: null,
    consentDate: null,
    keyId: '0123456789abcdef',
    documents: vault.index('document', 'nationalID|910000001').toString('hex'),
    outcome: 'answered',
    crn: '1000001',
    matchRule: 'document',
    matchScore: null,
    scorecard: 'generic@1',
    score: '666',
    grade: 'DD',
    probability: '9.14',
    source: 'registry',
    upstreamId: null,
    dataAsOf: '2026-11-01',
    durationMs: 3,
    payloadHash: createHash('sha256').update(payload, 'utf8').digest(),
    ...change,
  };
  return {
    record,
    sealedPayload: vault.seal(payload, payloadLocation(record.vendorId, record.enquiryId)),
    crns: record.crn === null ? [] : [BigInt(record.crn)],
    askedBy: 'A lender',
    sector: 'bank',
    challenger: null,
  };
}
