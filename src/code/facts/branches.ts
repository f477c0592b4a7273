/**
 * Handles branches of `#if` that each open or close a brace. Parsed one after the other, they would unbalance the
 * rest of the file, so only the first branch is parsed; names in the other branches stay uncertain.
 */

export interface OneBranch {
  /** The text, with its number of lines unchanged. */
  readonly text: string;
  readonly dropped: readonly { readonly line: number; readonly text: string }[];
}

interface Group {
  /** The lines of its `#if`, `#else` and `#elif` directives, and of its `#endif`. */
  readonly at: number[];
  readonly branches: Branch[];
}

interface Branch {
  /** How many more braces it opens than it closes. */
  net: number;
  readonly groups: Group[];
}

const directive = /^\s*#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b/;

export function keepOneBranch(text: string): OneBranch {
  const unchanged = { text, dropped: [] };
  if (!/^\s*#\s*if/m.test(text)) return unchanged;
  const lines = text.split('\n');
  const top: Branch = { net: 0, groups: [] };
  const open: { readonly group: Group; readonly around: Branch }[] = [];
  let branch = top;
  let isComment = false;
  let isContinued = false;
  for (const [at, line] of lines.entries()) {
    const found = isComment || isContinued ? null : directive.exec(line);
    const wasContinued: boolean = isContinued;
    isContinued = (wasContinued || /^\s*#/.test(line)) && /\\\s*$/.test(line);
    if (found === null) {
      if (wasContinued || (!isComment && /^\s*#/.test(line))) continue;
      const code = stripLine(line, isComment);
      isComment = code.isComment;
      for (const sign of code.text) branch.net += sign === '{' ? 1 : sign === '}' ? -1 : 0;
      continue;
    }
    if (found[1]!.startsWith('if')) {
      const group: Group = { at: [at], branches: [{ net: 0, groups: [] }] };
      branch.groups.push(group);
      open.push({ group, around: branch });
      branch = group.branches[0]!;
      continue;
    }
    const last = open.at(-1);
    // More `#endif` than `#if`: the text is left unchanged.
    if (last === undefined) return unchanged;
    last.group.at.push(at);
    if (found[1] === 'endif') {
      open.pop();
      branch = last.around;
    } else {
      branch = { net: 0, groups: [] };
      last.group.branches.push(branch);
    }
  }
  if (open.length > 0) return unchanged;
  const gone = new Set<number>();
  dropBranches(top, gone);
  if (gone.size === 0) return unchanged;
  return {
    text: lines.map((line, at) => (gone.has(at) ? '' : line)).join('\n'),
    dropped: [...gone].sort((a, b) => a - b).map((at) => ({ line: at + 1, text: lines[at]! })),
  };
}

/** Adds the lines that are not parsed to `gone`. Returns how many braces the parsed lines leave open. */
function dropBranches({ net, groups }: Branch, gone: Set<number>): number {
  let left = net;
  for (const { at, branches } of groups) {
    const nets = branches.map((branch) => dropBranches(branch, gone));
    if (nets.every((each) => each === 0)) continue;
    left += nets[0]!;
    for (const line of at) gone.add(line);
    const end = at.at(-1)!;
    for (let line = at[1]!; line < end; line += 1) gone.add(line);
  }
  return left;
}

/** A line without strings and comments. */
function stripLine(
  line: string,
  wasComment: boolean,
): { readonly text: string; readonly isComment: boolean } {
  const text = `${wasComment ? '/*' : ''}${line}`.replace(
    /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/.*$|\/\*.*?\*\//g,
    (found) => (found.startsWith('/*') || found.startsWith('//') ? ' ' : '""'),
  );
  const commentStart = text.indexOf('/*');
  return commentStart < 0
    ? { text, isComment: false }
    : { text: text.slice(0, commentStart), isComment: true };
}
