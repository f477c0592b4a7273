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
const maxHeaderLines = 4;

const pathPattern = String.raw`(?:\w+::)*`;
const genericsPattern = '(?:<[^{]*?>)?';
const implHeader = new RegExp(
  String.raw`\bimpl\b\s*${genericsPattern}\s*!?(?<trait>${pathPattern}\w+)\s*${genericsPattern}\s+for\s+(?<type>(?:&\s*(?:'\w+\s+)?(?:mut\s+)?|dyn\s+)*${pathPattern}\w+)`,
  'd',
);

/** Finds the header of an `impl` of a trait that contains this line of a Rust file; null if there is none. */
export function findImpl(lines: readonly string[], line: number): ImplHeader | null {
  for (let startLine = line; startLine > Math.max(0, line - maxHeaderLines); startLine -= 1) {
    const text = lines[startLine - 1] ?? '';
    if (startLine < line && /[{};]\s*$/.test(text)) return null;
    if (!/^\s*(?:unsafe\s+)?(?:default\s+)?impl\b/.test(text)) continue;
    const headerText = lines.slice(startLine - 1, startLine - 1 + maxHeaderLines).join('\n');
    const match = implHeader.exec(headerText);
    const { trait, type } = match?.indices?.groups ?? {};
    return trait === undefined || type === undefined
      ? null
      : {
          trait: readLastName(headerText, trait[1], startLine),
          type: readLastName(headerText, type[1], startLine),
        };
  }
  return null;
}

/** The last name of a path that ends at this index. */
function readLastName(headerText: string, end: number, startLine: number): NamePlace {
  const name = /\w+$/.exec(headerText.slice(0, end))![0];
  const linesBefore = headerText.slice(0, end - name.length).split('\n');
  return { name, line: startLine + linesBefore.length - 1, column: linesBefore.at(-1)!.length };
}

/** Whether both are the same place of a file. */
export const isSamePlace = (
  one: Pick<NamePlace, 'line' | 'column'>,
  other: Pick<NamePlace, 'line' | 'column'>,
): boolean => one.line === other.line && one.column === other.column;
