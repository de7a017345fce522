import { createHmac } from 'node:crypto';
import { Pool as HttpPool } from 'undici';
import { personOf } from './population.ts';

const OPERATIONS = ['generic-score', 'id-decision', 'mobile-loan-score'] as const;
const CONNECTIONS = 16;

/** A service and the vendor that enquires. */
export interface Asked {
  readonly http: HttpPool;
  readonly vid: string;
  readonly key: string;
  /** Number of people in its registry. */
  readonly subjects: number;
}

export function openHttp(origin: string): HttpPool {
  return new HttpPool(origin, { connections: CONNECTIONS, pipelining: 1 });
}

/**
 * Signed requests about people drawn evenly from the registry, a third for each operation.
 * @param round makes the references of each round new.
 */
export function signedRequests(
  asked: Asked,
  count: number,
  round: number,
): readonly { readonly path: string; readonly body: string }[] {
  return Array.from({ length: count }, (_, at) => {
    const operation = OPERATIONS[at % OPERATIONS.length] ?? 'generic-score';
    const person = personOf(Math.floor(Math.random() * asked.subjects));
    const [document] = person.documents;
    const params: Record<string, string> = {
      vid: asked.vid,
      requestReference: `Bench${round}x${at}`,
      reportReason: String(1 + (at % 12)),
      name1: person.name.surname,
      name2: person.name.forenames[0] ?? '',
      [document?.type ?? 'nationalID']: document?.number ?? '',
      ...(operation === 'id-decision' ? {} : { reportSector: '2' }),
    };
    const names = Object.keys(params).toSorted();
    const text = names.map((name) => `${name}=${params[name]}`).join('&');
    const hash = createHmac('sha256', asked.key).update(text).digest('hex');
    return { path: `/${operation}`, body: JSON.stringify({ ...params, hash }) };
  });
}

/** Sends them all, `CONNECTIONS` at a time. Returns requests per second. Throws at a refusal. */
export async function drive(
  { http }: Asked,
  requests: readonly { readonly path: string; readonly body: string }[],
): Promise<number> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let one = requests[next++]; one !== undefined; one = requests[next++]) {
      const { statusCode, body } = await http.request({
        method: 'POST',
        path: one.path,
        headers: { 'content-type': 'application/json' },
        body: one.body,
      });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`A request was refused: ${statusCode} ${text}`);
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return requests.length / ((performance.now() - startedMs) / 1000);
}
