// node status.mts order-1
import { malipo } from './shop.mts';

const payment = await malipo.status({ merchantReference: process.argv[2] ?? '' });
console.log(payment.status, payment.reference, payment.details.token ?? '');
