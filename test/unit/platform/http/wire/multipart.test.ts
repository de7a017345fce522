import { describe, expect, it } from 'vitest';

import { readMultipart } from '../../../../../src/platform/http/wire/multipart.ts';
import { parametersOf } from '../../../../support/parameters.ts';

const NAMES = parametersOf(['vid', 'account']);
const TYPE = 'multipart/form-data; boundary=edge';
const read = async (body: string, contentType = TYPE) =>
  Object.fromEntries(await readMultipart(contentType, Buffer.from(body), NAMES));
const part = (headers: string, value: string) => `--edge\r\n${headers}\r\n\r\n${value}\r\n`;
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;

describe('readMultipart', () => {
  it('reads what the libraries of several languages send', async () => {
    const body =
      part(named('vid'), 'demo') +
      part(
        `Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=account`,
        'Moï & Sons\u00a0--x',
      ) +
      part(`${named('hash')}\r\nContent-Transfer-Encoding: 8bit`, '') +
      '--edge--\r\n';
    expect(await read(body)).toEqual({
      vid: 'demo',
      account: 'Moï & Sons\u00a0--x',
      hash: '',
    });
  });

  it('refuses a file', async () => {
    const body = `${part(`${named('account')}; filename="a.txt"`, 'x')}--edge--\r\n`;
    await expect(read(body)).rejects.toMatchObject({ code: 'nested_value', field: 'account' });
  });

  it('refuses names unknown or sent twice', async () => {
    await expect(read(`${part(named('__proto__'), 'x')}--edge--\r\n`)).rejects.toMatchObject({
      code: 'unknown_field',
      field: '__proto__',
    });
    await expect(
      read(`${part(named('vid'), 'a')}${part(named('vid'), 'a')}--edge--\r\n`),
    ).rejects.toMatchObject({ code: 'ambiguous_request', field: 'vid' });
  });

  it.each([
    ['no boundary in the header', part(named('vid'), 'demo'), 'multipart/form-data'],
    ['another boundary', `${part(named('vid'), 'demo')}--edge--\r\n`, `${TYPE}x`],
    ['no end', part(named('vid'), 'demo')],
    ['a part cut short', `--edge\r\n${named('vid')}`],
    ['a part without a name', `${part('Content-Disposition: form-data', 'demo')}--edge--\r\n`],
    ['a part without a disposition', `${part('X-Name: vid', 'demo')}--edge--\r\n`],
    ['bare line feeds', `--edge\n${named('vid')}\n\ndemo\n--edge--\n`],
    ['a byte order mark', `${part(named('vid'), '\ufeffdemo')}--edge--\r\n`],
    ['something before the first part', `x\r\n${part(named('vid'), 'demo')}--edge--\r\n`],
    ['an empty line before the first part', `\r\n${part(named('vid'), 'demo')}--edge--\r\n`],
    ['a padded delimiter', part(named('vid'), 'demo').replace('edge', 'edge ') + '--edge--\r\n'],
    ['something after the last part', `${part(named('vid'), 'demo')}--edge--\r\nx`],
    ['a second end', `${part(named('vid'), 'demo')}--edge--\r\n--edge--\r\n`],
    ['something else altogether', 'vid=demo'],
  ])('refuses %s', async (_, body, contentType = TYPE) => {
    await expect(read(body, contentType)).rejects.toMatchObject({
      code: 'malformed_request',
      message: expect.stringContaining('multipart/form-data') as string,
    });
  });
});
