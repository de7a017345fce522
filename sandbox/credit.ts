import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createRegistryBureau } from '../src/credit/bureaus/registry.ts';
import { createEnquiryService } from '../src/credit/enquiries/service.ts';
import type { EnquiryService } from '../src/credit/enquiries/service.ts';
import { readCardsInForce } from '../src/credit/governance/cards.ts';
import { importFile } from '../src/credit/importing/import.ts';
import type { ImportResult } from '../src/credit/importing/import.ts';
import type { ReportOptions } from '../src/credit/reports/subject-report.ts';
import { createWireTime } from '../src/platform/base/clock.ts';
import { isoDay } from '../src/platform/base/days.ts';
import { LANE_DEADLINE_MS } from '../src/platform/db/lane.ts';
import { MOBILE_HEADER } from './population/mobile-template.ts';

/** The documented examples come first in the population; nothing is changed about them. */
export const EXAMPLES = 5;

/** Answers enquiries as the service does, without its lane. */
export async function openEnquiryService(options: ReportOptions): Promise<EnquiryService> {
  const { pool, vault, clock } = options;
  const inForce = await readCardsInForce(pool);
  return createEnquiryService({
    ...{ pool, vault, clock, lanePool: pool, laneConnections: 1, laneDeadlineMs: LANE_DEADLINE_MS },
    bureau: createRegistryBureau({ ...options, cards: () => inForce }),
    missesPerHour: 0,
  });
}

/** Imports a mobile lender’s file with these lines. */
export async function importMobileFile(
  { pool, vault, clock, timeZone }: ReportOptions,
  of: {
    readonly name: string;
    readonly lender: string;
    readonly lines: readonly string[];
    readonly asOf: Date;
    readonly by: string;
  },
): Promise<ImportResult> {
  const { name, lender, lines, asOf, by } = of;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'malipo-sandbox-'));
  try {
    const file = path.join(folder, name);
    await writeFile(file, `${[MOBILE_HEADER, ...lines].join('\n')}\n`);
    return await importFile({
      ...{ pool, vault, clock, wireTime: createWireTime(timeZone), file, by },
      ...{ template: 'mobile', lender, sector: 'mobile_lender' },
      ...{ asOf: isoDay(asOf), corrects: false },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
