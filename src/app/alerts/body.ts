/** Reads the text of a request: limits its size, decompresses it and decodes it. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { decodeSentText } from '../../core/index.ts';
import { alertLimits } from '../../tasks/incident/index.ts';

export type Body =
  /** `raw`: the bytes as they were received, before decompression. */
  | { readonly kind: 'text'; readonly text: string; readonly raw: Uint8Array }
  | {
      readonly kind: 'refused';
      readonly status: 400 | 413 | 429;
      readonly code: 'too_large' | 'bad_encoding' | 'busy';
      readonly message: string;
    };

const { bodyBytes, openBytes, encodings } = alertLimits;
type Encoding = (typeof encodings)[number];

const tooLarge: Body = {
  kind: 'refused',
  status: 413,
  code: 'too_large',
  message: `A message may have at most ${bodyBytes} bytes; send its alerts in several messages.`,
};
const busyRefusal: Body = {
  kind: 'refused',
  status: 429,
  code: 'busy',
  message: 'Too much data is being received at the same time; send the message again later.',
};
const badEncoding = (message: string): Body => ({
  kind: 'refused',
  status: 400,
  code: 'bad_encoding',
  message,
});

/** Returns a function that reads bodies. Simultaneous reads share one limit. Throws if a sender disconnects. */
export function bodyReader(): (request: IncomingMessage) => Promise<Body> {
  let openBytesNow = 0;
  return async (request) => {
    let ownBytes = 0;
    try {
      const bytes = await readBytes(request, (more) => {
        ownBytes += more;
        openBytesNow += more;
        return ownBytes > bodyBytes ? tooLarge : openBytesNow > openBytes ? busyRefusal : null;
      });
      if ('kind' in bytes) return bytes;
      const decompressed = await decompress(bytes, request.headers['content-encoding']);
      if ('kind' in decompressed) return decompressed;
      const text = decodeSentText(decompressed, readCharset(request.headers['content-type']));
      return { kind: 'text', text, raw: bytes };
    } finally {
      openBytesNow -= ownBytes;
    }
  };
}

/** The rest of a refused body is read and thrown away, so that the sender can receive the reply. */
function readBytes(
  request: IncomingMessage,
  countBytes: (bytes: number) => Body | null,
): Promise<Buffer | Body> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const settle = (value: Buffer | Body): void => {
      request.off('data', addPiece);
      pieces.length = 0;
      request.resume();
      resolve(value);
    };
    const addPiece = (piece: Buffer): void => {
      const refusal = countBytes(piece.length);
      if (refusal === null) pieces.push(piece);
      else settle(refusal);
    };
    if (Number(request.headers['content-length']) > bodyBytes) return settle(tooLarge);
    request.on('data', addPiece);
    request.once('end', () => settle(Buffer.concat(pieces)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the sender went away')));
  });
}

const decompressors: Readonly<Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: (bytes) => promisify(gunzip)(bytes, { maxOutputLength: bodyBytes }),
  // Deflate has a header of two bytes by the standard, but many senders leave it out.
  deflate: (bytes) =>
    promisify(hasZlibHead(bytes) ? inflate : inflateRaw)(bytes, { maxOutputLength: bodyBytes }),
  br: (bytes) => promisify(brotliDecompress)(bytes, { maxOutputLength: bodyBytes }),
};

/** Whether it has a zlib header: method 8, and both bytes as one number divisible by 31 (RFC 1950). */
function hasZlibHead(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** Other names of encodings (RFC 9110, 8.4.1.3); an empty header means no encoding. */
const aliases: Readonly<Record<string, Encoding>> = { 'x-gzip': 'gzip', '': 'identity' };

async function decompress(bytes: Buffer, header = 'identity'): Promise<Buffer | Body> {
  const name = header.trim().toLowerCase();
  const encoding =
    (Object.hasOwn(aliases, name) ? aliases[name] : null) ?? encodings.find((known) => known === name);
  if (encoding === undefined)
    return badEncoding(`content-encoding may be ${encodings.join(', ')}; send it as one of them.`);
  if (encoding === 'identity') return bytes;
  try {
    return await decompressors[encoding](bytes);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge
      : badEncoding(`The body is not ${encoding}, as its content-encoding says.`);
  }
}

function readCharset(type = ''): string | undefined {
  return /charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1];
}
