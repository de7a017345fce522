import { describeConformance } from './suite.ts';
import { africastalking } from './subjects/africastalking.ts';
import { airtel } from './subjects/airtel.ts';
import { coopPesalink } from './subjects/coop-pesalink.ts';
import { darajaB2b, darajaB2c } from './subjects/daraja-b2b.ts';
import { dtOne } from './subjects/dt-one.ts';
import { exampleForms } from './subjects/example-forms.ts';
import { exampleXml } from './subjects/example-xml.ts';
import { flutterwave } from './subjects/flutterwave.ts';
import { httpJson } from './subjects/http-json.ts';
import { jambopay } from './subjects/jambopay.ts';
import { kopokopo } from './subjects/kopokopo.ts';
import { mtnMomo } from './subjects/mtn-momo.ts';
import { reloadly } from './subjects/reloadly.ts';
import { tingg } from './subjects/tingg.ts';
import { vtpass } from './subjects/vtpass.ts';

const SUBJECTS = [
  httpJson,
  darajaB2b({ originalId: 'originator', unknownId: 'code_25' }),
  darajaB2b({ originalId: 'originator', unknownId: 'silence' }),
  darajaB2b({ originalId: 'conversation', unknownId: 'code_25' }),
  darajaB2b({ originalId: 'conversation', unknownId: 'silence' }),
  darajaB2b(
    { originalId: 'originator', unknownId: 'silence', tillIdentifier: '4' },
    { till: '5001234' },
  ),
  darajaB2b(
    { originalId: 'conversation', unknownId: 'code_25', tillIdentifier: '2' },
    { till: '5001234', identifier_type: '2' },
  ),
  darajaB2c({ originalId: 'originator', unknownId: 'code_25' }),
  darajaB2c({ originalId: 'originator', unknownId: 'silence' }),
  darajaB2c({ originalId: 'conversation', unknownId: 'code_25' }),
  darajaB2c({ originalId: 'conversation', unknownId: 'silence' }),
  dtOne({ mode: 'async', confirm: 'two_step', lateLookups: 0 }),
  dtOne({ mode: 'sync', confirm: 'two_step', lateLookups: 2 }),
  dtOne({ mode: 'async', confirm: 'at_once', lateLookups: 100 }),
  dtOne({ mode: 'sync', confirm: 'at_once', lateLookups: 1, windowMs: 200_000 }),
  jambopay({ errors: 'code_field', secondCommit: 'refused' }),
  jambopay({ errors: 'http_400', secondCommit: 'executes' }),
  africastalking({ wrapsFound: false }),
  africastalking({ wrapsFound: true }),
  tingg({ usedId: 'refused', acceptanceWindowMs: null, requiresOwnId: true }),
  tingg({ usedId: 'executes', acceptanceWindowMs: 60_000, requiresOwnId: false }),
  reloadly({ network: 341, refusalUsesIdentifier: false }),
  reloadly({ network: 'by_number', refusalUsesIdentifier: true }),
  vtpass,
  airtel({ callsBack: true, usedId: 'similar_exists', lateLookups: 0 }),
  airtel({ callsBack: false, usedId: 'duplicate_id', lateLookups: 2 }),
  flutterwave({ statusBy: 'tx_ref', finds: 'accepted', usedReference: 'refused' }),
  flutterwave({ statusBy: 'reference', finds: 'paid', usedReference: 'executes' }, 'prepaid_power'),
  kopokopo,
  coopPesalink({ inProcess: 200 }),
  coopPesalink({ inProcess: 202 }),
  exampleXml,
  exampleForms,
  mtnMomo,
];

for (const subject of SUBJECTS) describeConformance(subject);
