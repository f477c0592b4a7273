/** Reads a log file entry by entry, also if it is compressed with gzip; only one entry is in memory at a time. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { lineReader } from './read-line.ts';
import type { LogRecord } from './record.ts';

const chunkBytes = 1 << 20;
/** A line beyond this is cut there, so that a file without line ends is no danger. Characters. */
const maxLineLength = 1 << 20;

export interface ReadLog {
  readonly lines: number;
  /** Whether the whole file was read. */
  readonly whole: boolean;
}

/** Reads until `see` says `enough`, or the signal ends. Throws what the file system throws. */
export async function readLogFile(
  path: string,
  see: (record: LogRecord) => 'more' | 'enough',
  signal?: AbortSignal,
): Promise<ReadLog> {
  let enough = false;
  let lines = 0;
  const reader = lineReader((record) => {
    if (!enough && see(record) === 'enough') enough = true;
  });
  const decoder = new StringDecoder('utf8');
  let rest = '';
  // First, since a file that is rotated away meanwhile fails here, and not in a stream that nobody listens to yet.
  const zipped = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  const stream = zipped ? file.pipe(createGunzip({ chunkSize: chunkBytes })) : file;
  // A failure of the file itself does not travel through a pipe.
  file.on('error', (thrown) => stream.destroy(thrown));
  try {
    for await (const chunk of stream) {
      if (signal?.aborted || enough) break;
      const text = rest + decoder.write(chunk as Buffer);
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        reader.push(text.slice(from, end));
        lines++;
        from = end + 1;
        if (enough) break;
      }
      rest = text.slice(from);
      if (rest.length > maxLineLength) {
        reader.push(rest);
        rest = '';
      }
    }
  } finally {
    file.destroy();
    stream.destroy();
  }
  const whole = !enough && !signal?.aborted;
  if (whole) {
    rest += decoder.end();
    if (rest !== '') {
      reader.push(rest);
      lines++;
    }
    reader.end();
  }
  return { lines, whole };
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
