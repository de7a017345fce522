import type { VendorDirectory } from '../../parties/directory.ts';
import type { RowRules } from '../batches/chunk.ts';
import { REGISTRY_SOURCE } from '../bureaus/bureau.ts';
import { contextOf, enquiryOf } from './enquiry.ts';
import type { ScoringDeps, ScoringRequest } from './enquiry.ts';
import { presentGeneric } from './generic-score.ts';
import { presentMobile } from './mobile-loan-score.ts';

/** Makes each row of a batch the same enquiry, with the same answer, as the single operation. */
export function batchRules(
  deps: Pick<ScoringDeps, 'clock' | 'timeZone'> & { readonly directory: VendorDirectory },
): RowRules {
  return {
    enquiryOf: (content, { vendorId, operation, keyId }) => {
      const vendor = deps.directory.vendorById(vendorId);
      if (vendor === undefined || vendor.suspended) return undefined;
      // Validated as the row of a file, with the parameters that the file shares.
      const request = content as ScoringRequest;
      return enquiryOf(deps, operation, { request, vendor, keyId });
    },
    present: (finding, enquiry) => {
      const present = enquiry.operation === 'generic-score' ? presentGeneric : presentMobile;
      return present(finding, contextOf(deps, enquiry, REGISTRY_SOURCE));
    },
  };
}
