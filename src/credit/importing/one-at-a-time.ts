import { Refusal } from '../../platform/base/errors.ts';

let isBusy = false;

/**
 * Until the end of its file, a trial holds one of the few connections of its surface, and the registry, for which the
 * next file would wait with another. Throws: `too_many_requests`.
 */
export async function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  if (isBusy) {
    const text = 'Another file is being tried or imported. Wait until it is done.';
    throw new Refusal('too_many_requests', { retryAfterSeconds: 5, text });
  }
  isBusy = true;
  try {
    return await work();
  } finally {
    isBusy = false;
  }
}
