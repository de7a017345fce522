import { describeConformance } from './suite.ts';
import { darajaB2b } from './subjects/daraja-b2b.ts';
import { httpJson } from './subjects/http-json.ts';
import { jambopay } from './subjects/jambopay.ts';
import { vtpass } from './subjects/vtpass.ts';

const SUBJECTS = [
  httpJson,
  darajaB2b('code_25'),
  darajaB2b('silence'),
  jambopay({ errors: 'code_field', secondCommit: 'refused' }),
  jambopay({ errors: 'http_400', secondCommit: 'executes' }),
  vtpass,
];

for (const subject of SUBJECTS) describeConformance(subject);
