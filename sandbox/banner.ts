import { createSecretKey } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../src/config.ts';
import { VARIABLES } from '../src/environment.ts';
import { sign } from '../src/parties/signature.ts';
import { canonicalText } from '../src/platform/base/canonical.ts';
import { DEMO_COLLECTOR, DEMO_PASSWORD, DEMO_PEOPLE, DEMO_VENDORS } from './data.ts';
import { PAYBILL } from './provider-data.ts';
import { PROVIDER_OPERATORS } from './provider-operators.ts';

interface Operators {
  readonly origin: string;
  readonly hasProviders: boolean;
}

/** The text that `npm start` prints when everything runs. */
export function banner(config: Config, origin: string, operators: Operators): string {
  const [demo] = DEMO_VENDORS;
  const [admin] = DEMO_PEOPLE;
  const lines = createLines(config, origin);
  return `
Malipo sandbox   ${origin}
  console        ${origin}${config.consolePath}/   login=${admin.login}   password=${DEMO_PASSWORD}
  documentation  ${origin}/docs
  operators      ${operators.origin}/truth   (what was really paid)
  vendor         vid=${demo.vid}   key=${demo.key}   (and ${DEMO_VENDORS[1].vid} / ${DEMO_VENDORS[1].key})
  collector      ${DEMO_COLLECTOR.collector}   key=${DEMO_COLLECTOR.key}
  data           ${config.databaseUrl === undefined ? config.dataDir : 'the database of DATABASE_URL'}

Fund the float and pay a bill (one line, paste it into another terminal):
${lines.fundAndPay('first', { biller_name: 'kplc_prepaid', account: '14234569901' })}

Then look at it:  ${settingsOfCommands(config)}npm run -s malipo -- payment find ${lines.referenceOf('first')}
${operators.hasProviders ? providersText(config, lines, operators) : ''}Ctrl-C stops everything; the data stays.${config.databaseUrl === undefined ? '' : '\nCommands need the same DATABASE_URL.'}
`;
}

type Lines = ReturnType<typeof createLines>;

function providersText(config: Config, lines: Lines, { origin }: Operators): string {
  const codes = Object.keys(PROVIDER_OPERATORS).join(', ');
  return `
Emulated providers, with their real protocols: ${codes}
  truth          ${origin}/providers/<provider>/truth   (what each really paid)

Pay a water bill through Daraja, which reports the result by callback:
${lines.fundAndPay('daraja', { biller_name: 'water_bills', account: '1423459905' })}

Pay for electricity: JamboPay says that our float with it is empty, so DT One pays:
${lines.fundAndPay('failover', { biller_name: 'power_tokens', account: '1423459925' })}

A customer pays to our pay bill number; the next fund moves it into the float:
curl -s ${origin}/providers/paybill/customer -d '{"account":"${PAYBILL.account}","amount":"250.00"}' && echo

Watch them:  ${settingsOfCommands(config)}npm run -s malipo -- payment find ${lines.referenceOf('daraja')}
             ${settingsOfCommands(config)}npm run -s malipo -- receipts show <receipt>

`;
}

/** Lines for pasting. */
function createLines(config: Config, origin: string) {
  const [demo] = DEMO_VENDORS;
  const fundUrl = `${origin}${config.basePath}/payments/v2/billing/fund`;
  const createUrl = `${origin}${config.billingPath}/transaction/create`;
  const time = String(Math.floor(Date.now() / 1000));
  const referenceOf = (name: string): string => `${name}-${time}`;
  return {
    referenceOf,
    fundAndPay: (
      name: string,
      bill: { readonly biller_name: string; readonly account: string },
    ): string => {
      const fund = { vid: demo.vid, time, currency: 'KES' };
      const create = {
        vid: demo.vid,
        biller_name: bill.biller_name,
        amount: '100.00',
        account: bill.account,
        merchant_reference: referenceOf(name),
      };
      return `curl -s ${fundUrl} ${formArguments(fund, demo.key)} && echo && curl -s ${createUrl} ${formArguments(create, demo.key)} && echo`;
    },
  };
}

/** The environment variables with which a command uses the same data, for a shell. */
function settingsOfCommands(config: Config): string {
  if (config.dataDir === path.resolve(VARIABLES.DATA_DIR.default)) return '';
  return `DATA_DIR='${config.dataDir.replaceAll(`'`, `'\\''`)}' `;
}

function formArguments(fields: Readonly<Record<string, string>>, key: string): string {
  const hash = sign(canonicalText(new Map(Object.entries(fields))), createSecretKey(key, 'utf8'));
  return Object.entries({ ...fields, hash })
    .map(([name, value]) => `-d ${name}=${value}`)
    .join(' ');
}
