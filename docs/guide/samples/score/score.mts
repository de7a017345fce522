// node score.mts enquiry1
import { malipo } from './shop.mts';

const { score } = await malipo.genericScore({
  requestReference: process.argv[2] ?? '', // your own: the same reference gets the same answer
  reportReason: 2,
  reportSector: 2,
  nationalID: '900000001',
  name1: 'Amani',
  name2: 'Baraka',
  name3: 'Wanjiru',
});
console.log(`score ${score.positiveScore}, grade ${score.grade}`);
