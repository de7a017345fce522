/** What a request of a client sends: a file as its bytes, everything else as JSON. */
export const sentBody = (body: unknown) => {
  if (body === undefined) return {};
  return { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) };
};

export const contentTypeOf = (body: unknown): Readonly<Record<string, string>> => {
  if (body === undefined) return {};
  return {
    'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
  };
};
