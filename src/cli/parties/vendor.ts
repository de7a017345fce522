import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { listAllBalances } from '../../payments/ledger/store.ts';
import { changeVendor } from '../../parties/administer.ts';
import { addVendor } from '../../payments/ledger/add-vendor.ts';
import { listKeys, listVendors } from '../../parties/store.ts';
import {
  DUPLICATE_CHECKS,
  DUPLICATE_WINDOWS,
  ENQUIRY_POLICIES,
  LONG_DUPLICATE_WINDOW,
  SECTORS,
  STATUS_TEXTS,
} from '../../parties/vendor.ts';
import type {
  DuplicateCheck,
  DuplicateWindow,
  EnquiryPolicy,
  Sector,
  SignatureVersion,
  StatusText,
} from '../../parties/vendor.ts';
import { addVendorFloats } from '../payments/vendor-floats.ts';
import { command, displayName, requireSome, signerName, wideOption } from '../arguments.ts';
import { table } from '../output.ts';
import { keysOf, keysText, newKeyText, signatureOption } from './signer-keys.ts';
import { addRotation, KEY_ROTATION } from './rotate-secret.ts';
import type { Cli } from '../cli.ts';
import { present } from '../../payments/settings/fields.ts';
import { VENDOR } from '../../payments/settings/vendors.ts';
import { changeSetting, withSetter } from './setting.ts';
import type { SetterOptions } from './setting.ts';
import { requireVendorId } from './vendors.ts';

interface VendorOptions {
  readonly json?: boolean;
  readonly name?: string;
  readonly sector?: Sector;
  readonly duplicateCheck?: DuplicateCheck;
  readonly duplicateWindow?: DuplicateWindow;
  readonly requireReference?: boolean;
  readonly openEnquiries?: boolean;
  readonly enquiryPolicy?: EnquiryPolicy;
  readonly statusText?: StatusText;
  readonly signature?: SignatureVersion;
}

interface AddOptions extends VendorOptions {
  readonly name: string;
  readonly sector: Sector;
  readonly optionalReference?: true;
}

export function addVendorCommands(program: Command, cli: Cli): void {
  const vendor = program.command('vendor').description('Vendors: the merchants that pay bills.');
  addAdd(vendor, cli);
  addList(vendor, cli);
  addSet(vendor, cli);
  addRotation(vendor, cli, KEY_ROTATION);
  addStatus(vendor, cli, 'suspend', 'Refuse the vendor’s requests. Open payments continue.');
  addVendorFloats(vendor, cli);
  addStatus(vendor, cli, 'resume', 'Accept a suspended vendor’s requests again.');
}

const sectorOption = (): Option =>
  new Option('--sector <sector>', 'its sector in credit information').choices(SECTORS);
const duplicateOption = (): Option =>
  new Option(
    '--duplicate-check <when>',
    'when a create that equals a payment of the last seconds is refused (initially without_reference)',
  ).choices(DUPLICATE_CHECKS);
const windowOption = (): Option =>
  new Option(
    '--duplicate-window <seconds>',
    'how many seconds that are (initially 30; 120 where references are optional)',
  )
    .choices(DUPLICATE_WINDOWS.map(String))
    .argParser(duplicateWindow);

function duplicateWindow(text: string): DuplicateWindow {
  const found = DUPLICATE_WINDOWS.find((seconds) => String(seconds) === text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`Allowed choices are ${DUPLICATE_WINDOWS.join(', ')}.`);
}

const statusTextOption = (): Option =>
  new Option(
    '--status-text <form>',
    'msg.text of a status response: an object with the payment’s fields, or a sentence (initially object)',
  ).choices(STATUS_TEXTS);

function addAdd(vendor: Command, cli: Cli): void {
  command(vendor, 'add', 'Add a vendor. Its security key is printed once.')
    .argument('<vid>', 'vendor ID', signerName)
    .requiredOption('--name <name>', 'name for people', displayName)
    .addOption(sectorOption().makeOptionMandatory())
    .addOption(duplicateOption())
    .addOption(windowOption())
    .option('--require-reference', 'refuse creates without merchant_reference (the default)')
    .addOption(
      new Option(
        '--optional-reference',
        'accept creates without merchant_reference; a repeat of one may be paid twice',
      ).conflicts('requireReference'),
    )
    .option(
      '--open-enquiries',
      'accept enquiries without consent, and identity decisions without names; report when names do not agree',
    )
    .addOption(statusTextOption())
    .addOption(signatureOption())
    .action(async (vid: string, options: AddOptions) => {
      await cli.run(options, async ({ pool, sealing }) => {
        const { name, sector, duplicateCheck, statusText, signature } = options;
        const isOptional = options.optionalReference === true;
        const added = await addVendor(
          pool,
          {
            vid,
            name,
            sector,
            duplicateCheck,
            duplicateWindowSeconds:
              options.duplicateWindow ?? (isOptional ? LONG_DUPLICATE_WINDOW : undefined),
            referenceRequired: !isOptional,
            enquiryPolicy: options.openEnquiries === true ? 'open' : 'strict',
            statusText,
            signature,
          },
          await sealing(),
        );
        return {
          json: { vid, vendor_id: added.vendorId, security_key: added.securityKey },
          text: newKeyText('vendor', vid, added.securityKey),
        };
      });
    });
}

const COLUMNS = [
  { title: 'VID' },
  { title: 'NAME' },
  { title: 'SECTOR' },
  { title: 'STATUS' },
  { title: 'DUPLICATE CHECK', wide: true },
  { title: 'REFERENCE' },
  { title: 'ENQUIRIES', wide: true },
  { title: 'SIGNATURE', wide: true },
  { title: 'STATUS TEXT', wide: true },
  { title: 'FLOAT', align: 'right' },
  { title: 'COLLECTED', align: 'right' },
  { title: 'KEYS' },
] as const;

function addList(vendor: Command, cli: Cli): void {
  command(vendor, 'list', 'All vendors with their settings and balances.')
    .addOption(wideOption())
    .action(async (options: { json?: boolean; wide?: boolean }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const balances = await listAllBalances(pool, ['float', 'collected']);
        const keys = await listKeys(pool, ['vendor']);
        const vendors = (await listVendors(pool)).map((row) => ({
          vid: row.vid,
          name: row.name,
          sector: row.sector,
          status: row.status,
          duplicate_check: row.duplicateCheck,
          duplicate_window_seconds: row.duplicateWindowSeconds,
          reference_required: row.referenceRequired,
          enquiry_policy: row.enquiryPolicy,
          status_text: row.statusText,
          signature: row.signature,
          float: formatMoney(balances.get(`${row.vendorId} float`) ?? 0n),
          collected: formatMoney(balances.get(`${row.vendorId} collected`) ?? 0n),
          keys: keysOf(keys, row.vid),
          created_at: row.createdAt.toISOString(),
        }));
        return {
          json: { vendors },
          text: table(
            COLUMNS,
            vendors.map((row) => [
              row.vid,
              row.name,
              row.sector,
              row.status,
              `${row.duplicate_check}, ${row.duplicate_window_seconds} s`,
              row.reference_required ? 'required' : 'optional',
              row.enquiry_policy,
              row.signature,
              row.status_text,
              row.float,
              row.collected,
              keysText(row.keys, (time) => wireTime.format(time)),
            ]),
            'no vendors',
            options.wide,
          ),
        };
      });
    });
}

function addSet(vendor: Command, cli: Cli): void {
  const set = command(vendor, 'set', 'Change settings of a vendor. Other settings stay.')
    .argument('<vid>', 'vendor ID', signerName)
    .option('--name <name>', 'name for people', displayName)
    .addOption(sectorOption())
    .addOption(duplicateOption())
    .addOption(windowOption())
    .option('--require-reference', 'refuse creates without merchant_reference')
    .option('--no-require-reference', 'accept creates without merchant_reference')
    .addOption(
      new Option(
        '--enquiry-policy <policy>',
        'strict: enquiries need names and consent, and a mismatch looks like an unknown subject; open: consent is optional, and a mismatch is reported',
      ).choices(ENQUIRY_POLICIES),
    )
    .addOption(statusTextOption())
    .addOption(signatureOption());
  withSetter(set).action(async (vid: string, options: VendorOptions & SetterOptions) => {
    requireSome(options, [
      'name',
      'sector',
      'duplicateCheck',
      'duplicateWindow',
      'requireReference',
      'enquiryPolicy',
      'statusText',
      'signature',
    ]);
    await cli.run(options, async (session) => {
      const vendorId = await requireVendorId(session.pool, vid);
      const change = present({
        name: options.name,
        sector: options.sector,
        duplicateCheck: options.duplicateCheck,
        duplicateWindowSeconds: options.duplicateWindow,
        referenceRequired: options.requireReference,
        enquiryPolicy: options.enquiryPolicy,
        statusText: options.statusText,
        signature: options.signature,
      });
      const asked = { ...options, change, key: { vendorId, vid }, action: 'vendor.set' };
      return await changeSetting(cli, session, { ...asked, setting: VENDOR }, () => ({
        json: { vid, changed: true },
        text: `Vendor ${vid} was changed.`,
      }));
    });
  });
}

function addStatus(vendor: Command, cli: Cli, verb: 'suspend' | 'resume', summary: string): void {
  const status = verb === 'suspend' ? 'suspended' : 'active';
  command(vendor, verb, summary)
    .argument('<vid>', 'vendor ID', signerName)
    .action(async (vid: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool }) => {
        await changeVendor(pool, vid, { status });
        return { json: { vid, status }, text: `Vendor ${vid} is ${status}.` };
      });
    });
}
