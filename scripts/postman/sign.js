// Signs the request that is about to be sent, with `hash` and with the header X-Signature, where the
// request has them. Postman runs this before each request. So does Bruno: when it imports a collection
// it rewrites what is Postman’s, and leaves its own `req` and `bru` as they are. All of it is in a
// block, because Postman declares names such as CryptoJS itself.
{
  const CryptoJS = require('crypto-js');

  const isBruno = typeof bru !== 'undefined';
  const filledIn = (text) => (isBruno ? bru.interpolate(text) : pm.variables.replaceIn(text));

  const asked = isBruno
    ? {
        method: req.getMethod(),
        url: req.getUrl(),
        body: req.getBody({ raw: true }),
        hasHeader: req.getHeader('X-Signature') !== undefined,
      }
    : {
        method: pm.request.method,
        url: pm.request.url.toString(),
        body: pm.request.body && pm.request.body.raw,
        hasHeader: pm.request.headers
          .all()
          .some(({ key, disabled }) => key === 'X-Signature' && disabled !== true),
      };

  /** What is not encoded, or not correctly, is meant as it is written. */
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /** Encoded so that no program changes it on the way: the signature covers each character. */
  function encoded(text) {
    return encodeURIComponent(text).replaceAll("'", '%27');
  }

  const [address, ...rest] = filledIn(asked.url).split('?');
  let body = filledIn(asked.body || '');
  const query = rest
    .join('?')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name, ...value] = pair.split('=');
      const text = decoded(value.join('='));
      return [decoded(name), text === '{{sha256}}' ? CryptoJS.SHA256(body).toString() : text];
    });

  // All parameters are in one place. A file, or a body below /v1, comes with a query string.
  const given = query.length > 0 || body === '' ? query : Object.entries(JSON.parse(body));
  const parameters = new Map(given);
  const key = filledIn(parameters.has('collector') ? '{{collector_key}}' : '{{key}}');
  const signedText = [...parameters.keys()]
    .filter((name) => name !== 'hash' && parameters.get(name) !== null)
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((name) => `${name}=${parameters.get(name)}`)
    .join('&');
  const hash = CryptoJS.HmacSHA256(signedText, key).toString();
  body = body.replace('{{hash}}', hash);
  const pairs = query.map(
    ([name, value]) => `${encoded(name)}=${encoded(value === '{{hash}}' ? hash : value)}`,
  );
  const url = pairs.length === 0 ? address : `${address}?${pairs.join('&')}`;

  const time = Math.floor(Date.now() / 1000);
  const nonce = filledIn('{{$guid}}');
  const target = url.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  const digest = CryptoJS.SHA256(body).toString();
  const wholeText = ['v2', asked.method, target, digest, time, nonce].join('\n');
  const signature = CryptoJS.HmacSHA256(wholeText, key).toString();
  const header = `v2,t=${time},nonce=${nonce},sig=${signature}`;

  if (isBruno) {
    req.setUrl(url);
    if (body !== '') req.setBody(body, { raw: true });
    if (asked.hasHeader) req.setHeader('X-Signature', header);
  } else {
    pm.request.url.update(url);
    if (body !== '') pm.request.body.raw = body;
    if (asked.hasHeader) pm.request.headers.upsert({ key: 'X-Signature', value: header });
  }
}
