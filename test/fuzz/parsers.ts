import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseSenderTime, createWireTime } from '../../src/platform/base/clock.ts';
import { readCsv } from '../../src/platform/csv-file.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { parseMoney } from '../../src/platform/base/money.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import {
  readAccountAnswer,
  readBalanceAnswer,
  readPaymentAnswer,
} from '../../src/connectors/operators/http-json/answers.ts';
import {
  readAccounts,
  readHead,
  readProfile,
  readScore,
} from '../../src/credit/bureaus/metropol/answers.ts';
import { createValidator } from '../../src/credit/importing/validate.ts';
import { readScorecard } from '../../src/credit/scorecards/scorecard.ts';
import { TrainingError } from '../../src/credit/training/error.ts';
import { readDefinition } from '../../src/credit/training/definition.ts';
import type { Definition } from '../../src/credit/training/definition.ts';
import { readSamples } from '../../src/credit/training/read-samples.ts';
import { readTable } from '../../src/credit/training/read-table.ts';
import { readTableCard } from '../../src/credit/training/table-card.ts';
import { readXml } from '../../src/connectors/operators/http/xml.ts';
import { createStatementFormat } from '../../src/connectors/operators/http-json/statement.ts';
import { readC2bPayment, readPulled } from '../../src/connectors/sources/daraja/payment.ts';
import { readStatement } from '../../src/connectors/sources/statements/read.ts';
import { findProblems, reportOf } from '../../src/payments/receipts/statements/report.ts';
import { readStatementSettings } from '../../src/connectors/sources/statements/settings.ts';
import { readFields } from '../../src/platform/http/wire/request.ts';
import { readStatementFile } from '../../src/payments/reconciliation/read-statement.ts';
import { readHeaderSignature } from '../../src/parties/header-signature.ts';
import { csvOf, rightLine, placesOf } from '../support/credit-files.ts';
import { OPERATIONS, usualParams } from '../support/operation-samples.ts';
import { statementText } from '../support/reconciliation-fixture.ts';
import { parametersOf } from '../support/parameters.ts';

export interface FuzzedParser {
  readonly name: string;
  /** A good input. */
  readonly seed: Buffer;
  /** Rejects only with what the parser documents for bad input, which `isDocumented` knows. */
  readonly read: (bytes: Buffer) => unknown;
}

/** Errors that are an answer to bad input. */
export function isDocumented(error: unknown): boolean {
  return [Refusal, PlainError, ConfigError, TrainingError].some((kind) => error instanceof kind);
}

const wireTime = createWireTime('Africa/Nairobi');
const names = parametersOf(OPERATIONS.flatMap((name) => Object.keys(usualParams(name, 'demo'))));
const STATEMENT_PERIOD = { from: new Date('2026-03-01'), to: new Date('2026-03-02') };
const statementFormat = createStatementFormat({
  absenceIsProof: false,
  acceptanceWindowMs: 0,
  payDeadlineMs: 0,
});
const validator = createValidator(placesOf('mobile'), '2026-10-31');

const TABLE_DEFINITION: Definition = {
  outcome: { column: 'result', good: ['paid'], bad: ['lost'] },
  columns: [{ name: 'income', type: 'number', better: 'higher' }],
};
const TABLE_CARD = {
  ...{ id: 'any', kind: 'table', version: 1, about: {}, basePoints: 400 },
  columns: [
    { name: 'income', type: 'number', missing: [], bins: [{ points: 9 }], unknown: 3 },
    {
      name: 'town',
      type: 'category',
      missing: [],
      bins: [{ values: ['a'], points: 1 }],
      unknown: 0,
    },
  ],
};

const ANSWER = {
  status: 'paid',
  reference: 'REF',
  operator_reference: 'OP-1',
  amount: '100.00',
  currency: 'KES',
  message: 'Paid',
  paid_at: '2026-03-01T10:00:00Z',
  details: { token: '1' },
};
const BUREAU = {
  trx_id: 'T1',
  api_code: '100',
  has_error: false,
  first_name: 'Amani',
  last_name: 'Baraka',
  other_name: 'Wanjiru',
  dob: '1990-01-31',
  gender: 'F',
  credit_score: 620,
  account_info: [
    {
      account_number: 'A1',
      account_status: 'open',
      current_balance: '10.50',
      date_opened: '2024-01-31',
      days_in_arrears: 0,
      delinquency_code: '001',
      highest_days_in_arrears: 0,
      is_your_account: false,
      last_payment_amount: '5.00',
      last_payment_date: '2026-01-31',
      loaded_at: '2026-02-01',
      original_amount: '100.00',
      overdue_balance: '0.00',
      product_type_id: 15,
    },
  ],
};

/** @param folder where files may be written. */
export function fuzzedParsers(folder: string): readonly FuzzedParser[] {
  const form = new URLSearchParams(usualParams('create', 'demo')).toString();
  return [
    field('a form', form, 'application/x-www-form-urlencoded'),
    field('JSON', JSON.stringify(usualParams('create', 'demo')), 'application/json'),
    {
      name: 'a query',
      seed: Buffer.from(form),
      read: (bytes) =>
        readFields(
          { contentType: undefined, body: undefined, query: bytes.toString('latin1') },
          names,
        ),
    },
    text(
      'a header signature',
      `v2,t=1795236000,nonce=0123456789abcdef,sig=${'0'.repeat(64)}`,
      (given) => readHeaderSignature(given),
    ),
    text('an amount', '100.00', (given) => parseMoney(given)),
    text('a reference', '0'.repeat(32), (given) => decodeReference(given)),
    text('a time', '2026-01-05 09:00:00', (given) => parseSenderTime(given, wireTime)),
    text('an ISO 8601 time', '2026-01-05T09:00:00+03:00', (given) =>
      parseSenderTime(given, wireTime),
    ),
    {
      name: 'an operator’s answer',
      seed: Buffer.from(JSON.stringify(ANSWER)),
      read: (bytes) => [
        readPaymentAnswer(bytes),
        readAccountAnswer(bytes),
        readBalanceAnswer(bytes),
      ],
    },
    text(
      'an operator’s answer in XML',
      '<?xml version="1.0"?><b:a xmlns:b="urn:b" c="1"><d>&amp;2</d><d><![CDATA[3]]></d></b:a>',
      readXml,
    ),
    text('a bureau’s answer', JSON.stringify(BUREAU), (given) => [
      readHead(given),
      readProfile(given, { type: 'nationalID', number: '900000001' }, '2026-10-31'),
      readScore(given),
      readAccounts(given, { mySector: 'bank', mobile: true, asOf: new Date('2026-10-31') }),
    ]),
    text(
      'the environment',
      'PORT=8080\nLANE_CONNECTIONS=2\nROLES=api,jobs\nTIME_ZONE=UTC',
      (given) => readConfig('sandbox', Object.fromEntries(given.split('\n').map(pairOf))),
    ),
    {
      name: 'a scorecard',
      seed: readFileSync(path.resolve(import.meta.dirname, '../../scorecards/generic-2.json')),
      read: async (bytes) => {
        const file = path.join(folder, 'scorecard.json');
        await writeFile(file, bytes);
        readScorecard(file);
      },
    },
    {
      name: 'a lender’s file',
      seed: Buffer.from(csvOf([rightLine(1), rightLine(2)])),
      read: async (bytes) => {
        const file = path.join(folder, 'lender.csv');
        await writeFile(file, bytes);
        for await (const { line, values, problem } of readCsv(file)) {
          if (problem === undefined) validator.validate(line, values);
        }
      },
    },
    {
      name: 'samples',
      seed: Buffer.from('asOf,bad,gender\n2026-01-31,0,F\n2026-01-31,1,M\n'),
      read: async (bytes) => {
        const file = path.join(folder, 'samples.csv');
        await writeFile(file, bytes);
        await readSamples(file);
      },
    },
    {
      name: 'a definition of a table',
      seed: Buffer.from(JSON.stringify(TABLE_DEFINITION)),
      read: async (bytes) => {
        const file = path.join(folder, 'definition.json');
        await writeFile(file, bytes);
        readDefinition(file);
      },
    },
    {
      name: 'a table',
      seed: Buffer.from('result,income\npaid,5\nlost,\n'),
      read: async (bytes) => {
        const file = path.join(folder, 'table.csv');
        await writeFile(file, bytes);
        await readTable(file, TABLE_DEFINITION);
      },
    },
    {
      name: 'a card of a table',
      seed: Buffer.from(JSON.stringify(TABLE_CARD)),
      read: async (bytes) => {
        const file = path.join(folder, 'card.json');
        await writeFile(file, bytes);
        readTableCard(file);
      },
    },
    {
      name: 'a confirmation of a payment, or a pull of several',
      seed: Buffer.from(
        '{"TransID":"UA51000001","TransAmount":"5","TransTime":"20260105101530","BillRefNumber":"A1","BusinessShortCode":"600100","ResponseCode":"1000","Response":[[{"transactionId":"UA51000001","amount":"5","trxDate":"2026-01-05 10:15:30"}]]}',
      ),
      read: (bytes) => {
        const ours = { shortCode: '600100', till: '5001234' };
        const at = new Date(0);
        return [readC2bPayment(bytes, ours, at), readPulled(bytes, ours, at)];
      },
    },
    ...['csv', 'mt940', 'camt053'].map((format) => bankStatement(format, folder)),
    {
      name: 'an operator’s statement',
      seed: Buffer.from(
        statementText([{}, { type: 'reversal' }, { reference: 'TB6L2' }], STATEMENT_PERIOD),
      ),
      read: async (bytes) => {
        const file = path.join(folder, 'statement.csv');
        await writeFile(file, bytes);
        await readStatementFile({
          file,
          format: statementFormat,
          complete: true,
          ...STATEMENT_PERIOD,
        });
      },
    },
  ];
}

function bankStatement(format: string, folder: string): FuzzedParser {
  const sample = (name: string): Buffer =>
    readFileSync(path.resolve(import.meta.dirname, '../../docs/guide/samples', name));
  const extension = { mt940: 'sta', camt053: 'xml' }[format] ?? format;
  const settings: unknown = JSON.parse(sample(`bank-${format}.json`).toString());
  const rules = readStatementSettings('bank', settings);
  return {
    name: `a bank statement, ${format}`,
    seed: sample(`bank-statement.${extension}`),
    read: async (bytes) => {
      const file = path.join(folder, `bank.${extension}`);
      await writeFile(file, bytes);
      const { lines } = await readStatement(file, rules, wireTime);
      const source = { sourceCode: 'bank', collector: 'bank', bank: 'bank' };
      const reported = lines.map((line) => ({
        line,
        report: reportOf(source, rules, line),
      }));
      return findProblems(reported, Date.now());
    },
  };
}

function pairOf(line: string): readonly [string, string] {
  const equals = line.indexOf('=');
  return [line.slice(0, Math.max(equals, 0)), line.slice(equals + 1)];
}

function text(name: string, seed: string, read: (given: string) => unknown): FuzzedParser {
  return { name, seed: Buffer.from(seed), read: (bytes) => read(bytes.toString('utf8')) };
}

function field(name: string, seed: string, contentType: string): FuzzedParser {
  const read = (body: Buffer): unknown => readFields({ contentType, body, query: '' }, names);
  return { name, seed: Buffer.from(seed), read };
}
