// shop.mts: shared by the programs below
import { Malipo } from '@malipo/client';

export const malipo = new Malipo({
  url: process.env.MALIPO_URL ?? 'http://127.0.0.1:8080',
  vid: process.env.MALIPO_VID ?? 'demo',
  key: process.env.MALIPO_KEY ?? 'demo-security-key',
});
