import { parameter } from '../../platform/http/parameter.ts';
import { SIGNER_NAME_PATTERN } from '../vendor.ts';

/** Parameters that name a signer, and the one that carries the signature. */

export const vid = parameter(
  SIGNER_NAME_PATTERN,
  '1 to 64 letters, digits, dots, hyphens or underscores',
  'Vendor ID.',
  { examples: ['demo'] },
);

export const collector = parameter(
  SIGNER_NAME_PATTERN,
  '1 to 64 letters, digits, dots, hyphens or underscores',
  'Name of the collector.',
  { examples: ['demo-collector'] },
);

export const hash = parameter(
  /^[0-9a-fA-F]{64}$/,
  '64 hexadecimal digits',
  'HMAC-SHA-256, keyed with the security key, of all other parameters as `name=value`, in ASCII order of the names, joined by `&`, not encoded.',
);
