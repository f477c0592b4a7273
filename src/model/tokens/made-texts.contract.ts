/** Texts that take very different numbers of tokens a byte, the same in every run. For tests of the budget. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Pseudo-random bytes that follow from the seed. */
export function createSeededBytes(seed: string, count: number): Buffer {
  const parts: Buffer[] = [];
  for (let n = 0; n * 32 < count; n += 1) parts.push(createHash('sha256').update(`${seed} ${n}`).digest());
  return Buffer.concat(parts).subarray(0, count);
}

const lines = (seed: string, count: number, line: (chance: Buffer) => string): string =>
  Array.from({ length: count }, (_, index) => line(createSeededBytes(`${seed} ${index}`, 64))).join('\n');
const uuid = (chance: Buffer): string =>
  chance.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
const pick = (from: readonly string[], count: number, joint: string) => (chance: Buffer) =>
  Array.from({ length: count }, (_, index) => from[chance[index]! % from.length]).join(joint);

const amharic = 'ሰላም ለዓለም ይህ የአማርኛ ጽሑፍ ነው መንግሥት በአዲስ አበባ ከተማ ስብሰባ ዛሬ ጠዋት አየር መንገድ በረራ ጀመረ'.split(' ');
const emoji = [...'😀🎉🚀🧪🔥👍🐙🌍🍕🎸🧠💡📦🪐'];
const folder = new URL('..', import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n');

/** Each is a few thousand bytes; another seed, another text. */
export const madeTexts: Readonly<Record<string, (seed: string) => string>> = {
  code(seed) {
    const at = createSeededBytes(seed, 4).readUInt32LE() % (sources.length - 6_000);
    return sources.slice(at, at + 6_000);
  },
  UUIDs: (seed) => lines(seed, 150, (chance) => `request ${uuid(chance)} of ${uuid(chance.subarray(20))}`),
  hexadecimal: (seed) => lines(seed, 80, (chance) => chance.toString('hex')),
  base64: (seed) => lines(seed, 90, (chance) => chance.toString('base64')),
  'IP logs': (seed) =>
    lines(seed, 100, (c) => {
      const [path, bytes] = [c.readUInt16LE(4), c.readUInt16LE(6)];
      return `${[...c.subarray(0, 4)].join('.')} - - "GET /a/${path} HTTP/1.1" 200 ${bytes}`;
    }),
  CSV: (seed) =>
    lines(seed, 120, (c) =>
      [0, 4, 8, 12, 16].map((at) => (c.readUInt32LE(at) / 7919).toFixed(at % 5)).join(','),
    ),
  emoji: (seed) => lines(seed, 60, pick(emoji, 25, '')),
  Amharic: (seed) => lines(seed, 60, pick(amharic, 12, ' ')),
};
