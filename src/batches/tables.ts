import type { TableClasses } from '../platform/db/distribution.ts';

export const BATCHES_TABLES: TableClasses = { batches: 'distributed', batch_chunks: 'distributed' };
