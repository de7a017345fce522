import { queryOptions } from '@tanstack/react-query';
import type { VendorView } from '../../../../src/staff/vendor-view.ts';
import { get } from '../../api/client.ts';

const EVERY_MS = 10_000;

/** One vendor, read again every few seconds. */
export const vendorQuery = (vid: string) =>
  queryOptions({
    queryKey: ['vendor', vid, 'detail'],
    queryFn: ({ signal }) => get<VendorView>(`/vendors/${encodeURIComponent(vid)}`, {}, signal),
    refetchInterval: EVERY_MS,
  });
