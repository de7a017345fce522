/**
 * Runs in the browser, as the `fetch` of the reference page: signs the request it is given, so that
 * “Test Request” works. The key is what was typed into `hash`, or the public one of a demo vendor;
 * a `hash` of another vendor that is one already stays. The key never leaves the browser.
 *
 * The page gets this function's source text: it may use nothing from outside itself.
 */
export async function fetchSigned(...call: Parameters<typeof fetch>): Promise<Response> {
  const demoKeys = new Map([
    ['demo', 'demo-security-key'],
    ['demo2', 'demo2-security-key'],
    ['demo-collector', 'demo-collector-key'],
  ]);
  const request = new Request(...call);
  const url = new URL(request.url);
  const contentType = request.headers.get('content-type') ?? '';
  const isForm = contentType.startsWith('multipart/') || contentType.includes('urlencoded');
  const form = isForm ? await request.clone().formData() : new FormData();
  const json = contentType.startsWith('application/json') ? await request.clone().text() : '{}';

  const fields = new Map<string, unknown>([...url.searchParams, ...form]);
  try {
    // Numbers keep the digits they were written with, where the browser tells them.
    const object = JSON.parse(json, (_name, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value,
    ) as object;
    for (const [name, value] of Object.entries(object)) fields.set(name, value);
  } catch {
    // The server says what is wrong with it.
  }
  const given = fields.get('hash');
  const signer = String(fields.get('collector') ?? fields.get('vid'));
  const isKey = typeof given === 'string' && given !== '' && !/^[0-9a-f]{64}$/i.test(given);
  const key = isKey ? given : demoKeys.get(signer);
  if (!fields.delete('hash') || key === undefined) return await fetch(request);

  const names = [...fields.keys()].filter((name) => fields.get(name) !== null).toSorted();
  const text = names.map((name) => `${name}=${String(fields.get(name))}`).join('&');
  const utf8 = new TextEncoder();
  let hash = '';
  // Browsers sign on https and on this machine only; elsewhere at least the key stays here.
  const { isSecureContext = true } = globalThis as { isSecureContext?: boolean };
  if (isSecureContext) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const imported = await crypto.subtle.importKey('raw', utf8.encode(key), algorithm, false, [
      'sign',
    ]);
    const digest = await crypto.subtle.sign('HMAC', imported, utf8.encode(text));
    hash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  const { method, headers } = request;
  if (isForm) {
    form.set('hash', hash);
    // A form's own type, and a multipart's boundary, follow from the body.
    headers.delete('content-type');
    const pairs = [...form] as [string, string][];
    const body = contentType.startsWith('multipart/') ? form : new URLSearchParams(pairs);
    return await fetch(url, { method, headers, body });
  }
  if (json === '{}') {
    url.searchParams.set('hash', hash);
    return await fetch(url, { method, headers });
  }
  const body = json.replace(/("hash"\s*:\s*)"(?:[^"\\]|\\.)*"/, `$1"${hash}"`);
  return await fetch(url, { method, headers, body });
}
