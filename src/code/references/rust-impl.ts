/** Headers of an `impl` of a trait in Rust: what is implemented, and for which type. */

/** The places of a trait and of the type that it is implemented for. */
interface ImplHeader {
  readonly trait: NamePlace;
  readonly type: NamePlace;
}

export interface NamePlace {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** Maximum lines of the header of an `impl`. */
const implLines = 4;

const pathOf = String.raw`(?:\w+::)*`;
const generics = '(?:<[^{]*?>)?';
const implHeader = new RegExp(
  String.raw`\bimpl\b\s*${generics}\s*!?(?<trait>${pathOf}\w+)\s*${generics}\s+for\s+(?<type>(?:&\s*(?:'\w+\s+)?(?:mut\s+)?|dyn\s+)*${pathOf}\w+)`,
  'd',
);

/** The header of an `impl` of a trait that holds this line of a file in Rust. */
export function findImpl(lines: readonly string[], line: number): ImplHeader | null {
  for (let first = line; first > Math.max(0, line - implLines); first -= 1) {
    const text = lines[first - 1] ?? '';
    if (first < line && /[{};]\s*$/.test(text)) return null;
    if (!/^\s*(?:unsafe\s+)?(?:default\s+)?impl\b/.test(text)) continue;
    const head = lines.slice(first - 1, first - 1 + implLines).join('\n');
    const found = implHeader.exec(head);
    const { trait, type } = found?.indices?.groups ?? {};
    return trait === undefined || type === undefined
      ? null
      : { trait: readLastName(head, trait[1], first), type: readLastName(head, type[1], first) };
  }
  return null;
}

/** The last name of a path that ends at this index. */
function readLastName(head: string, end: number, first: number): NamePlace {
  const name = /\w+$/.exec(head.slice(0, end))![0];
  const before = head.slice(0, end - name.length).split('\n');
  return { name, line: first + before.length - 1, column: before.at(-1)!.length };
}

/** Whether both are one place of a file. */
export const isSamePlace = (
  one: Pick<NamePlace, 'line' | 'column'>,
  other: Pick<NamePlace, 'line' | 'column'>,
): boolean => one.line === other.line && one.column === other.column;
