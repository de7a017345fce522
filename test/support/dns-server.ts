import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsServer {
  /** `address:port` */
  readonly address: string;
  /** The names that were asked for, each once, in order. */
  readonly asked: readonly string[];
  close(): void;
}

const TYPES = { a: 1, aaaa: 28 };
const ANSWER = 0x8180;
const NAME_ERROR = 3;

/**
 * A DNS server on loopback.
 * @param zone the IPv4 address of each name, or `silent`: no response. Other names do not exist, and no name has an
 * IPv6 address.
 */
export async function startDnsServer(zone: Readonly<Record<string, string>>): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question);
    asked.add(name);
    const address = zone[name];
    if (address === 'silent') return;
    const isAnswered = address !== undefined && type === TYPES.a;
    const head = Buffer.from(question.subarray(0, end));
    head.writeUInt16BE(ANSWER + (address === undefined ? NAME_ERROR : 0), 2);
    head.writeUInt16BE(isAnswered ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    const answer = isAnswered ? [record(address)] : [];
    socket.send(Buffer.concat([head, ...answer]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    get asked() {
      return [...asked];
    },
    close: () => socket.close(),
  };
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** An address for the name in the question. */
function record(address: string): Buffer {
  const [nameInQuestion, inInternet, seconds] = [0xc00c, 1, 60];
  const head = Buffer.alloc(12);
  head.writeUInt16BE(nameInQuestion, 0);
  head.writeUInt16BE(TYPES.a, 2);
  head.writeUInt16BE(inInternet, 4);
  head.writeUInt32BE(seconds, 6);
  head.writeUInt16BE(4, 10);
  return Buffer.concat([head, Buffer.from(address.split('.').map(Number))]);
}
