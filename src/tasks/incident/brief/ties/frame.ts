/** A frame of a trace that lies in a file of the diff. */
import { nameOf, type Rule, shortly, type Tie } from './tie.ts';

/** Frames as Python, Node, Go, Java, Ruby, PHP, .NET and Rust write them. */
const frames: readonly RegExp[] = [
  /File "(?<path>[^"]+)", line (?<line>\d+)(?:, in (?<name>\w+))?/g,
  /\bat (?<name>[\w.$<>]+) \((?:file:\/\/)?(?<path>[^():\s]+):(?<line>\d+)(?::\d+)?\)/g,
  /(?<path>(?:[\w@.-]+\/)*[\w.-]+\.(?:go|rs|rb|php|py|ts|js|tsx|jsx|mjs|cs|ex|exs|kt|scala|swift|c|cc|cpp)):(?<line>\d+)/g,
  /\bat (?<name>(?:[\w$]+\.)+[\w$<>]+)\((?<path>[\w$]+\.(?:java|kt|scala|groovy)):(?<line>\d+)\)/g,
  /\bin (?<path>[^\s:]+\.cs):line (?<line>\d+)/g,
];

export interface Frame {
  readonly path: string;
  readonly line: number;
  /** The function's name; null if the frame gives none. */
  readonly name: string | null;
}

export function framesIn(text: string): readonly Frame[] {
  return frames.flatMap((shape) =>
    [...text.matchAll(shape)].map(({ groups = {} }) => {
      const name = groups['name'] ?? null;
      const dots = name?.split('.') ?? [];
      // Java names the package before the class: com.shop.Cart.add(Cart.java:10) is com/shop/Cart.java.
      const isJava = /\.(java|kt|scala|groovy)$/.test(groups['path']!) && dots.length > 2;
      return {
        path: isJava ? `${dots.slice(0, -2).join('/')}/${groups['path']}` : groups['path']!,
        line: Number(groups['line']),
        name: dots.at(-1) ?? null,
      };
    }),
  );
}

/** Folders that a compiler reads from or writes to, and what it makes of TypeScript. */
const built = new Set(['src', 'dist', 'build', 'out', 'lib']);
const compiled = /\.[cm]?[jt]sx?$/;

/**
 * Whether two paths name the same file: `/srv/app/cart/total.py` and `services/cart/total.py` share their last two
 * parts, or all parts of the shorter one; `/app/dist/cart.js` is built from `src/cart.ts`.
 */
export function isSameFile(one: string, other: string): boolean {
  if (/(^|\/)node_modules\//.test(one)) return false;
  const [a, b] = [partsOf(one), partsOf(other)];
  return (
    isSameEnd(a, b) || (compiled.test(one) && compiled.test(other) && isSameEnd(sourceOf(a), sourceOf(b)))
  );
}

const partsOf = (path: string): readonly string[] =>
  path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');

const sourceOf = (parts: readonly string[]): readonly string[] =>
  parts.filter((part) => !built.has(part)).map((part) => part.replace(compiled, '.js'));

function isSameEnd(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [one.toReversed(), other.toReversed()];
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same += 1;
  return same >= Math.min(2, a.length, b.length) && same > 0;
}

/** Python tells the frame that failed last, unless it says otherwise; all others tell it first. */
const isLastInside = (text: string): boolean =>
  /File "[^"]+", line \d/.test(text) && !/most recent call first/.test(text);

/** Of the frames that lie in changed files, the one that was running; the others only called it. */
export function innermost(text: string, changed: readonly string[]): Frame | undefined {
  const frames = framesIn(text).filter(({ path }) => changed.some((one) => isSameFile(path, one)));
  return isLastInside(text) ? frames.at(-1) : frames[0];
}

/** A frame further out is only on the way. */
const onTheWay = 0.6;

/** A line more in the log of the file that fails does not make it fail. */
const onlyTold = 0.4;
/** A rewrite with the same behaviour fails where the old code failed; but rewriting also goes wrong. */
const onlyRewritten = 0.85;

export const frame: Rule = ({ change, nature }, { symptoms, facts }) => {
  const changed = facts.changes.flatMap(({ paths }) => paths);
  const found = symptoms.flatMap((symptom): readonly Tie[] => {
    const inside = innermost(symptom.text, changed);
    return framesIn(symptom.text).flatMap(({ path, line, name }) => {
      const file = change.paths.find((one) => isSameFile(path, one));
      if (file === undefined) return [];
      const isNamed = name !== null && name.length > 2 && (change.diff ?? '').includes(name);
      const isGeneric =
        !path.includes('/') &&
        /^(index|main|app|init|__init__|utils?|types|server|client|handler)\./.test(path);
      return [
        {
          kind: 'frame',
          from: `${nameOf(change)}: ${file}`,
          to: shortly(`${path}:${line}${name === null ? '' : ` in ${name}`}`),
          evidence: [symptom.evidence].filter((id) => id !== ''),
          strength:
            nature.kind === 'inert'
              ? 0
              : (isGeneric ? 0.3 : isNamed ? 0.92 : 0.75) *
                (nature.kind === 'told' ? onlyTold : nature.kind === 'same' ? onlyRewritten : 1) *
                (inside === undefined || inside.path === path ? 1 : onTheWay),
        },
      ];
    });
  });
  return found.toSorted((a, b) => b.strength - a.strength).slice(0, 1);
};
