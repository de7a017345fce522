import { describeConformance } from './suite.ts';
import { httpJson } from './subjects/http-json.ts';

for (const subject of [httpJson]) describeConformance(subject);
