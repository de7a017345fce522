import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { createTokenBuckets } from '../../platform/base/token-buckets.ts';
import { networkOf } from '../../platform/http/rate-limits.ts';
import { readSubject } from '../registry/read-subjects.ts';
import { useAccessLink } from '../reports/access-links.ts';
import { STYLE } from '../../platform/documents/html.ts';
import { rendered } from '../../platform/documents/rendered.ts';
import { subjectDocument } from '../reports/subject-document.ts';
import { readSubjectReport } from '../reports/subject-report.ts';
import type { ReportOptions } from '../reports/subject-report.ts';

export const ACCESS_PATH = '/my-report';

/** Attempts from one network: a burst of 10, then one every 6 seconds. */
const ATTEMPTS = { burst: 10, perSecond: 1 / 6 };

// The token is in the fragment of the link, which browsers never send: it appears in no log, no
// `Referer` header and no proxy. The script moves it into the form and out of the address.
const SCRIPT = `const field=document.getElementById('code');field.value=location.hash.slice(1);history.replaceState(null,'',location.pathname);`;

const POLICY = [
  "default-src 'none'",
  `style-src ${sourceOf(STYLE)}`,
  `script-src ${sourceOf(SCRIPT)}`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

const FORM = `<form method="post">
<p><label>Code / Namba <input id="code" name="code" autocomplete="off" required size="46"></label></p>
<p><label>Date of birth / Tarehe ya kuzaliwa <input name="dateOfBirth" type="date" required></label></p>
<p><label>Language / Lugha <select name="language"><option value="en">English</option><option value="sw">Kiswahili</option></select></label></p>
<p><label>Form / Muundo <select name="format"><option value="pdf">PDF</option><option value="html">Web page / Ukurasa</option></select></label></p>
<p><button>Get my report / Pata taarifa yangu</button></p>
</form>
<p>A link can be used once. / Kiungo kinatumika mara moja tu.</p>`;

interface AccessOptions extends ReportOptions {
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
}

/**
 * A person's own report by a one-time link. Opening the link shows a form and changes nothing, so
 * that programs which look at links in messages do not use it up; sending the form does.
 */
export function addSubjectAccess(
  app: FastifyInstance,
  options: AccessOptions & { readonly prefix: string },
): void {
  const url = `${options.prefix}${ACCESS_PATH}`;
  const buckets = createTokenBuckets({
    ...ATTEMPTS,
    maxNames: LIMITS.limitedNames,
    nowMs: () => performance.now(),
  });
  app.get(url, async (_request, reply) => await sendPage(reply, 200, FORM));
  app.post(url, { bodyLimit: 4096 }, async (request, reply) => {
    const waitSeconds = buckets.take(networkOf(request.ip));
    if (waitSeconds > 0) throw new Refusal('too_many_requests', { retryAfterSeconds: waitSeconds });
    return await answer(options, request, reply);
  });
}

async function answer(
  options: AccessOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = request.body as Buffer | undefined;
  const form = new URLSearchParams(body?.toString('utf8') ?? '');
  const { pool, vault, clock } = options;
  const crn = await useAccessLink(options, {
    token: form.get('code') ?? '',
    now: clock.now(),
    isAnswerRight: async (subject) => {
      const born = (await readSubject(pool, vault, subject))?.dateOfBirth ?? '';
      return born === '' || born === form.get('dateOfBirth');
    },
  });
  const report = crn === undefined ? undefined : await readSubjectReport(options, crn);
  if (report === undefined) return await sendPage(reply, 404, REFUSED);
  const language = form.get('language') === 'sw' ? 'sw' : 'en';
  const document = subjectDocument(report, language, options.wireTime);
  const { type, content } = await rendered(
    document,
    form.get('format') === 'html' ? 'html' : 'pdf',
  );
  void reply.headers(HEADERS).type(type);
  if (typeof content === 'string') return await reply.send(content);
  return await reply
    .header('content-disposition', 'attachment; filename="credit-report.pdf"')
    .send(content);
}

/** Every reason gives this text, so that it reveals nothing. */
const REFUSED = `<p class="note">The code or the date of birth is not right, or the link has been used or has expired. / Namba au tarehe ya kuzaliwa si sahihi, au kiungo kimeshatumika au muda wake umeisha.</p>${FORM}`;

async function sendPage(reply: FastifyReply, status: number, body: string): Promise<FastifyReply> {
  return await reply
    .code(status)
    .headers(HEADERS)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Credit report</title><style>${STYLE}</style></head><body><h1>Your credit report / Taarifa yako ya mikopo</h1>${body}<script>${SCRIPT}</script></body></html>`,
    );
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
