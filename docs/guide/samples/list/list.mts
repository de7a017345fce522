// node list.mts 2026-11-01
import { malipo } from './shop.mts';

const from = process.argv[2];
for await (const payment of malipo.listPayments({ from, status: 'SUCCESS' })) {
  console.log(payment.reference, payment.amountCents);
}
