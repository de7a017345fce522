// node balance.mts
import { malipo } from './shop.mts';

const { floatCents, reservedCents } = await malipo.getBalance();
console.log(`${floatCents} cents in the float, ${reservedCents} reserved`);
