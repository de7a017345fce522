import { randomBytes } from 'node:crypto';
import { createMac } from '../../platform/base/mac.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { deriveKey } from '../../platform/base/sealing.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { credentialsText } from './authenticity.ts';
import type { SignedPerson } from './read-people.ts';

/** A device on which somebody has signed in. */
export interface KnownDevice {
  readonly name: string;
  /** Identifies the password that was used: `credentialsText`. */
  readonly credentials: string;
}

const TOKEN = /^([A-Za-z0-9_-]{22})\.(\d+)\.([A-Za-z0-9_-]{43})$/;
const PURPOSE = 'malipo console devices';

/** A token for the browser in which the person has just signed in. */
export function newDeviceToken(
  person: Pick<SignedPerson, 'login' | 'credentialsAt'>,
  masterKeys: MasterKeys,
): string {
  const device = {
    name: randomBytes(16).toString('base64url'),
    credentials: credentialsText(person) ?? '0',
  };
  const mac = masterMac(masterKeys, PURPOSE).sign(deviceText(device, person.login));
  return `${device.name}.${device.credentials}.${mac.toString('base64url')}`;
}

/** The device that the token names; undefined: a stranger's, as far as we know. */
export function knownDevice(
  token: string,
  login: string,
  masterKeys: MasterKeys,
): KnownDevice | undefined {
  const [, name, credentials, mac] = TOKEN.exec(token) ?? [];
  if (name === undefined || credentials === undefined || mac === undefined) return undefined;
  const device = { name, credentials };
  const isOurs = masterMac(masterKeys, PURPOSE).verify(
    deviceText(device, login),
    Buffer.from(mac, 'base64url'),
  );
  return isOurs ? device : undefined;
}

/** True if the person signed in there with the present password. */
export function isKnownTo(
  device: KnownDevice,
  person: Pick<SignedPerson, 'credentialsAt'>,
): boolean {
  return device.credentials === credentialsText(person);
}

function deviceText({ name, credentials }: KnownDevice, login: string): string {
  return JSON.stringify(['devices', name, login, credentials]);
}

/**
 * Codes under a key derived from the master key. What was signed under the previous master key stays valid as long
 * as that is known.
 */
export function masterMac({ current, previous }: MasterKeys, purpose: string): Mac {
  const of = (key: Buffer): Mac => createMac(deriveKey(key, purpose));
  const own = of(current);
  const accepted = previous === undefined ? [own] : [own, of(previous)];
  return {
    sign: (text) => own.sign(text),
    verify: (text, mac) => accepted.some((each) => each.verify(text, mac)),
  };
}
