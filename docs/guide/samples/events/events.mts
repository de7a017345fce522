// MALIPO_WEBHOOK_SECRET=whsec_… node events.mts
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { WebhookInvalid, WebhookVerifier } from '@malipo/client';

const webhooks = new WebhookVerifier(process.env.MALIPO_WEBHOOK_SECRET ?? '');

/** The status of the response. */
async function receive(request: IncomingMessage): Promise<number> {
  try {
    const event = await webhooks.verify(await buffer(request), request.headers);
    // Here: store the event under event.id. The same id again is the same event.
    if (event.payment !== null)
      console.log(event.type, event.payment.merchantReference, event.payment.status);
    return 204;
  } catch (error) {
    return error instanceof WebhookInvalid ? 401 : 500;
  }
}

createServer(async (request, response) => {
  response.writeHead(await receive(request)).end();
}).listen(3000, '127.0.0.1');
