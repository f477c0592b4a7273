/** Reads a log file entry by entry, also if it is compressed with gzip; only one entry is in memory at a time. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { lineReader } from './read-line.ts';
import type { LogRecord } from './record.ts';

const chunkBytes = 1 << 20;
/** A longer line is split here, so that a file without line ends does not fill the memory. Characters. */
const maxLineLength = 1 << 20;

export interface ReadSummary {
  readonly lines: number;
  /** Whether the whole file was read. */
  readonly whole: boolean;
}

/** Reads until `onRecord` returns `enough` or the signal is aborted. Throws errors of the file system. */
export async function readLogFile(
  path: string,
  onRecord: (record: LogRecord) => 'more' | 'enough',
  signal?: AbortSignal,
): Promise<ReadSummary> {
  let isEnough = false;
  let lines = 0;
  const reader = lineReader((record) => {
    if (!isEnough && onRecord(record) === 'enough') isEnough = true;
  });
  const decoder = new StringDecoder('utf8');
  let rest = '';
  // Checked before the stream is opened: if the file is gone, it fails here and not in a stream without a listener.
  const isZipped = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  const stream = isZipped ? file.pipe(createGunzip({ chunkSize: chunkBytes })) : file;
  // `pipe` does not pass on errors of the file.
  file.on('error', (thrown) => stream.destroy(thrown));
  try {
    for await (const chunk of stream) {
      if (signal?.aborted || isEnough) break;
      const text = rest + decoder.write(chunk as Buffer);
      let lineStart = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', lineStart)) {
        reader.push(text.slice(lineStart, end));
        lines++;
        lineStart = end + 1;
        if (isEnough) break;
      }
      rest = text.slice(lineStart);
      if (rest.length > maxLineLength) {
        reader.push(rest);
        rest = '';
      }
    }
  } finally {
    file.destroy();
    stream.destroy();
  }
  const isWhole = !isEnough && !signal?.aborted;
  if (isWhole) {
    rest += decoder.end();
    if (rest !== '') {
      reader.push(rest);
      lines++;
    }
    reader.end();
  }
  return { lines, whole: isWhole };
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
