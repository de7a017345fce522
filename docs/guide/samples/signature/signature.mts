// node signature.mts
import { createHmac } from 'node:crypto';

function sign(params: Record<string, string | null>, key: string): string {
  const names = Object.keys(params).filter((name) => name !== 'hash' && params[name] !== null);
  const text = names
    .toSorted()
    .map((name) => `${name}=${params[name]}`)
    .join('&');
  return createHmac('sha256', key).update(text).digest('hex');
}

const payment = {
  vid: 'demo',
  biller_name: 'kplc_prepaid',
  amount: '100',
  account: '37200009901',
  merchant_reference: 'order-1001',
};
console.log(sign(payment, 'demo-security-key'));
