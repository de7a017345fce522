import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createServer } from '../../../../src/platform/http/server.ts';

test('a route with a schema for its request is refused: nothing would check it', async () => {
  const app = createServer({ log: pino({ level: 'silent' }) });
  const schema = { querystring: { type: 'object', required: ['vid'] } };
  app.get('/', { schema }, () => 'unchecked');
  await expect(app.ready()).rejects.toThrow('a route has a schema for its request');
  await app.close();
});
