import { createHash, createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Cluster, RunningService } from './cluster.ts';
import { personOf } from './population.ts';

export interface MeasuredBatch {
  readonly perSecond: number;
  readonly cpuUsService: number;
  readonly cpuUsDatabase: number;
}

/** Sends a file about this many people of the registry, and measures until the last one is answered. */
export async function measureBatch(
  service: RunningService,
  cluster: Cluster,
  { rows, round }: { readonly rows: number; readonly round: number },
): Promise<MeasuredBatch> {
  const file = fileOf(service, rows, round);
  const sha256 = createHash('sha256').update(file).digest('hex');
  const batchReference = `bench-${round}`;
  const before = { service: service.cpuSeconds(), database: cluster.cpuSeconds() };
  const startedMs = performance.now();
  const asked = { product: 'generic-score', reportReason: '3', reportSector: '2', sha256 };
  await call(service, '/batch-score', { batchReference, ...asked }, file);
  for (;;) {
    const msg = await call(service, '/batch-score/status', { batchReference });
    if (msg['batchStatus'] === 'DONE') {
      if (msg['answered'] !== rows)
        throw new Error(`${String(msg['answered'])} of ${rows} answered`);
      break;
    }
    await setTimeout(50);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const perRow = (cpuSeconds: number): number => Math.round((cpuSeconds / rows) * 1e6);
  return {
    perSecond: Math.round(rows / seconds),
    cpuUsService: perRow(service.cpuSeconds() - before.service),
    cpuUsDatabase: perRow(cluster.cpuSeconds() - before.database),
  };
}

function fileOf({ subjects }: RunningService, rows: number, round: number): string {
  const lines = Array.from({ length: rows }, (_, at) => {
    const person = personOf((at * 7919) % subjects);
    const [document] = person.documents;
    const { surname, forenames } = person.name;
    const reference = `Batch${round}x${at}`;
    const numbers = ['nationalID', 'passportNo', 'alienID', 'serviceID', 'taxID'].map((type) =>
      type === document?.type ? document.number : '',
    );
    return [reference, surname, forenames[0] ?? '', ...numbers].join(',');
  });
  const header = 'requestReference,name1,name2,nationalID,passportNo,alienID,serviceID,taxID';
  return `${[header, ...lines].join('\n')}\n`;
}

async function call(
  { http, vid, key }: RunningService,
  path: string,
  given: Readonly<Record<string, string>>,
  file?: string,
): Promise<Record<string, unknown>> {
  const params: Record<string, string> = { vid, ...given };
  const names = Object.keys(params).toSorted();
  const text = names.map((name) => `${name}=${params[name]}`).join('&');
  const hash = createHmac('sha256', key).update(text).digest('hex');
  const query = new URLSearchParams({ ...params, hash }).toString();
  const { statusCode, body } = await http.request({
    method: 'POST',
    path: `${path}?${query}`,
    ...(file === undefined ? {} : { headers: { 'content-type': 'text/csv' }, body: file }),
  });
  const answer = (await body.json()) as { msg: Record<string, unknown> };
  if (statusCode !== 200) throw new Error(JSON.stringify(answer));
  return answer.msg;
}
