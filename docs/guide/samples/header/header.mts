// node header.mts
import { createHash, createHmac, randomBytes } from 'node:crypto';

const base = process.env.MALIPO_URL ?? 'http://127.0.0.1:8080';
const key = 'demo-security-key';

/** Signs and sends one request. Every retry must be signed again. */
async function send(method: string, path: string, body = ''): Promise<Response> {
  const time = Math.floor(Date.now() / 1000);
  const nonce = randomBytes(16).toString('hex');
  const digest = createHash('sha256').update(body).digest('hex');
  const text = ['v2', method, path, digest, time, nonce].join('\n');
  const sig = createHmac('sha256', key).update(text).digest('hex');
  const headers: Record<string, string> = {
    'X-Signature': `v2,t=${time},nonce=${nonce},sig=${sig}`,
  };
  if (body !== '') headers['Content-Type'] = 'application/json';
  return await fetch(base + path, { method, headers, ...(body !== '' && { body }) });
}

const payment = {
  vid: 'demo',
  biller_name: 'safaricom',
  amount: '10.00',
  account: '254722000000',
  merchant_reference: 'INV-2031-8',
};
const answer = await send('POST', '/transaction/create', JSON.stringify(payment));
console.log(await answer.text());
