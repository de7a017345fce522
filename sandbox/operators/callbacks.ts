import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

interface Callback {
  readonly url: string;
  /** `webhook-id`: the same for every try and every repeat of one event. */
  readonly id: string;
  readonly body: string;
}

export interface CallbackSender {
  /**
   * Sends a callback until it is answered with 2xx, at most `TRY_AFTER_MS.length` times. Never
   * rejects: it resolves when the callback was delivered or given up.
   */
  deliver(callback: Callback): Promise<void>;
}

/** Time before each try: ten tries within about 30 s, enough for a receiver to be started again. */
const TRY_AFTER_MS = [0, 200, 400, 800, 1600, 3000, 4000, 5000, 6000, 9000] as const;

/** An attempt has failed if the receiver is silent for this long, without the wait for a free socket. */
const SILENCE_TIMEOUT_MS = 10_000;

const AGENT_OPTIONS = { keepAlive: true, maxSockets: 32 } as const;

/** @param key the Standard Webhooks secret that signs the callbacks. */
export function createCallbackSender(key: string): CallbackSender {
  const webhook = new Webhook(key);
  const httpAgent = new http.Agent(AGENT_OPTIONS);
  const httpsAgent = new https.Agent(AGENT_OPTIONS);

  const tryOnce = ({ url, id, body }: Callback): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const secure = url.startsWith('https:');
      const now = new Date();
      const request = (secure ? https : http).request(url, {
        method: 'POST',
        agent: secure ? httpsAgent : httpAgent,
        timeout: SILENCE_TIMEOUT_MS,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': webhook.sign(id, now, body),
        },
      });
      request.once('error', reject);
      request.once('timeout', () => request.destroy(new Error('the receiver is silent')));
      request.once('response', (response) => {
        const { statusCode = 0 } = response;
        // Only the status counts, even when the rest does not arrive; it is read so that the connection
        // can be used again.
        response.on('error', () => undefined).resume();
        resolve(statusCode >= 200 && statusCode < 300);
      });
      request.end(body);
    });

  return {
    async deliver(callback) {
      for (const waitMs of TRY_AFTER_MS) {
        if (waitMs > 0) await delay(waitMs);
        try {
          if (await tryOnce(callback)) return;
        } catch {
          // The receiver is down or answers incorrectly; the next attempt may succeed.
        }
      }
    },
  };
}
