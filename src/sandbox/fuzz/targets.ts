import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { decodeCheckpoint } from '../inside/checkpoint-file.ts';
import { FrameReader, frame } from '../inside/frames.ts';
import { createWasi } from '../inside/wasi.ts';
import { defaultLimits } from '../limits.ts';
import { answerCall } from '../operations.ts';
import { StopRequest } from '../stop-request.ts';
import { BadValue, decodeValue, encodeValue, type Value } from '../value.ts';
import type { Chance } from './chance.ts';

/** One round with one target; throws if a property does not hold. */
export type FuzzTarget = (chance: Chance) => Promise<void> | void;

function check(condition: boolean, property: string): asserts condition {
  if (!condition) throw new Error(`did not hold: ${property}`);
}

const memoryPages = 4;
const files = new Map([
  ['lib/python.zip', new Uint8Array(5000).fill(7)],
  ['lib/deep/er/file', new Uint8Array(10)],
]);

/** Random calls of the WASI shim on random memory: each must return an error number, and none may throw. */
function wasi(chance: Chance): void {
  const memory = new WebAssembly.Memory({ initial: memoryPages });
  const bytes = new Uint8Array(memory.buffer);
  chance.fill(bytes.subarray(0, 4096));
  Buffer.from(memory.buffer).write('/lib/python.zip\0../../etc/passwd\0lib/deep/../..', 64);
  let exits = 0;
  const shim = createWasi({
    files,
    now: () => 1.5,
    random: (into) => into.fill(1),
    output: (stream, text) => check(stream <= 2 && text.length <= bytes.length, 'output within the memory'),
    exit: () => {
      exits++;
      throw new Error('exit');
    },
  });
  shim.attach(memory);
  const names = Object.keys(shim.imports).filter((name) => name !== 'proc_exit');
  for (let call = 0; call < 200; call++) {
    const name = chance.pick(names);
    const args = Array.from({ length: 9 }, () => chance.number(bytes.length));
    // V8 passes 64-bit parameters as bigint.
    const big =
      { fd_pread: [3], fd_seek: [1], clock_time_get: [1], fd_readdir: [3], path_open: [5, 6] }[name] ?? [];
    const mixed = args.map((arg, i) => (big.includes(i) ? BigInt(arg) : arg));
    const result = shim.imports[name]!(...mixed);
    check(
      Number.isInteger(result) && result >= 0 && result < 80,
      `${name} answers an error number, not ${result}`,
    );
  }
  check(exits === 0, 'nothing exits');
  check(shim.openFiles().length <= 64, 'descriptors are limited');
}

const operations = {
  kb_search: ({ query }: Readonly<Record<string, Value>>) => query ?? null,
  big: () => 'x'.repeat(999),
};
const seeds = [
  '["kb_search",{"query":"x"}]',
  '["kb_search",{"query":{"$":"dict","v":[[1,{"$":"bytes","v":"AA=="}]]}}]',
  '["big",{}]',
  '{"$":"tuple","v":[]}',
];

/** Random and corrupted requests: each must be answered in JSON. */
async function channel(chance: Chance): Promise<void> {
  const limits = { ...defaultLimits, answer_bytes: 500 };
  for (let call = 0; call < 50; call++) {
    const request = chance.flip()
      ? chance.bytes(chance.integerBelow(300))
      : chance.corrupt(Buffer.from(chance.pick(seeds)));
    const answer = await answerCall(request, operations, limits, new StopRequest());
    check(answer !== 'stop' && answer.length <= 2000, 'an answer of limited length');
    const parsed = JSON.parse(Buffer.from(answer).toString()) as object;
    check('value' in parsed || 'error' in parsed, 'a value or an error');
  }
}

/** A random value is encoded for the guest and decoded unchanged. */
function values(chance: Chance): void {
  const value = chance.value(4);
  const text = encodeValue(value);
  check(encodeValue(decodeValue(text)) === text, `${text.slice(0, 200)} comes back`);
  try {
    decodeValue(chance.corrupt(Buffer.from(text)).toString());
  } catch (thrown) {
    if (!(thrown instanceof BadValue)) throw thrown;
  }
}

/** Random bytes on a worker's pipe: they give messages or a RangeError. */
function frames(chance: Chance): void {
  const reader = new FrameReader(10_000);
  const good = frame(
    'done',
    chance.pick(['', '{}', 'é'.repeat(chance.integerBelow(100))]),
    chance.bytes(chance.integerBelow(500)),
  );
  const stream = chance.flip() ? chance.corrupt(good) : Buffer.concat([good, good, chance.bytes(20)]);
  try {
    for (let offset = 0; offset < stream.length; ) {
      const next = offset + 1 + chance.integerBelow(100);
      reader.push(stream.subarray(offset, next));
      offset = next;
      for (let message = reader.next(); message; message = reader.next()) {
        check(message.bytes.length + message.text.length <= 10_000, 'messages of limited length');
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
}

/** Checkpoints with a right hash and wrong content: they give a consistent image, or an error text. */
function checkpoints(chance: Chance): void {
  const header = {
    snapshot: 'this',
    note: '',
    memoryBytes: chance.pick([65_536, 131_072, -1, 1e15, 'x', null]),
    pages: chance.pick([0, 1, 2, -1, 1e9, 0.5, 'x']),
    globals: chance.pick([[], [['__global_0', '5', 'i32']], 5, [['__proto__', 'x', 'i64']]]),
    files: chance.pick([
      [],
      [{ descriptor: 4, path: 'lib/python.zip', position: 1 }],
      [{ descriptor: 1e9 }],
      null,
    ]),
    random: chance.pick([[1, 2, 3, 4], [], 'abcd', null]),
  };
  const json = chance.flip()
    ? Buffer.from(JSON.stringify(header))
    : chance.corrupt(Buffer.from(JSON.stringify(header)));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(chance.integerBelow(10) === 0 ? chance.integerBelow(2 ** 31) : json.length);
  const pages = new Uint32Array([chance.integerBelow(3), chance.integerBelow(40)]);
  const body = Buffer.concat([
    length,
    json,
    Buffer.from(pages.buffer),
    chance.bytes(chance.pick([0, 4096, 8192, 100])),
  ]);
  const packed = zstdCompressSync(body);
  const file = Buffer.concat([Buffer.from('SONDEPY1'), createHash('sha256').update(packed).digest(), packed]);
  const decoded = decodeCheckpoint(chance.integerBelow(5) === 0 ? chance.corrupt(file) : file, 'this');
  if (typeof decoded === 'string') return;
  const { memoryBytes, content } = decoded.image;
  check(
    decoded.image.pages.every((page) => (page + 1) * 4096 <= memoryBytes),
    'pages within the memory',
  );
  check(content.length === decoded.image.pages.length * 4096, 'content for every page');
}

export const targets: Readonly<Record<string, FuzzTarget>> = { wasi, channel, values, frames, checkpoints };
