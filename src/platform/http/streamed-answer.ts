import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * An answer that is sent while it is made. If making it fails, the connection is closed without the last chunk,
 * by which the client knows that it is incomplete.
 */
export class StreamedAnswer {
  /** Media type, with its parameters. */
  readonly type: string;
  readonly body: Readable;
  /** The client saves it under this name: letters, digits, dots and hyphens. Undefined: it is no file. */
  readonly fileName: string | undefined;

  constructor(answer: {
    readonly type: string;
    readonly body: Readable;
    readonly fileName?: string | undefined;
  }) {
    this.type = answer.type;
    this.body = answer.body;
    this.fileName = answer.fileName;
  }

  /** Sets the headers. Returns what is sent. */
  prepare(reply: FastifyReply): Readable {
    void reply.type(this.type);
    if (this.fileName !== undefined) {
      void reply.header('content-disposition', `attachment; filename="${this.fileName}"`);
    }
    return this.body;
  }
}
