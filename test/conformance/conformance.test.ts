import { describeConformance } from './suite.ts';
import { darajaB2b } from './subjects/daraja-b2b.ts';
import { httpJson } from './subjects/http-json.ts';

const SUBJECTS = [httpJson, darajaB2b('code_25'), darajaB2b('silence')];

for (const subject of SUBJECTS) describeConformance(subject);
