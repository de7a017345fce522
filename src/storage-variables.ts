import { isSafeUrl, oneOf, pattern, place, text } from './environment-forms.ts';

/** Variables about files outside the database. */
export const STORAGE_VARIABLES = {
  WAL_ARCHIVE: {
    description:
      'Folder, or `s3://bucket/prefix`, into which the embedded database’s write-ahead log is copied every minute, so that the database can be restored as of any time. A folder should be on another machine, mounted here.',
    form: place,
  },
  DATABASE_WITNESS: {
    description:
      'Folder, or `s3://bucket/prefix`, where each process records every ten seconds that it uses the database, to detect that the database was restored or replaced. It must not be restored together with the database. If `WAL_ARCHIVE` is set, it is used in addition.',
    form: place,
    otherwise: '`DATA_DIR`',
  },
  REQUIRE_DATABASE_WITNESS: {
    description:
      'true: a process with the role `dispatcher` does not start if it can write neither to `DATABASE_WITNESS` nor to `WAL_ARCHIVE`. false: it starts. After a snapshot of the database was put back it may then send payments a second time.',
    form: oneOf(['true', 'false']),
    default: 'true',
  },
  AWS_ENDPOINT_URL_S3: {
    description: 'URL of the server of `s3://` addresses, if it is not Amazon’s.',
    form: {
      allowed: 'a URL with https (http only to this machine)',
      read: (value: string) => (isSafeUrl(value) ? value : undefined),
    },
    otherwise: 'Amazon’s, in `AWS_REGION`',
  },
  AWS_REGION: {
    description: 'Region of the bucket.',
    form: pattern(/^[a-z0-9-]{1,64}$/, 'a region such as eu-central-1'),
    default: 'us-east-1',
  },
  AWS_ACCESS_KEY_ID: { description: 'Key for addresses that begin with `s3://`.', form: text },
  AWS_SECRET_ACCESS_KEY: { description: 'Secret of that access key.', form: text, secret: true },
  AWS_SESSION_TOKEN: {
    description: 'Token of temporary credentials. They are read once, at the start.',
    form: text,
    secret: true,
  },
  S3_PATH_STYLE: {
    description:
      'true: the bucket is in the path of a URL, as many servers other than Amazon’s need; false: in its host name.',
    form: oneOf(['true', 'false']),
    otherwise: 'true with `AWS_ENDPOINT_URL_S3`',
  },
} as const;
