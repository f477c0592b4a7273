/** Reads the planner's reply as cells of Python. Never throws: any reply gets a useful answer. */

export interface ReadReply {
  /** Cells to run, in order. */
  readonly cells: readonly string[];
  /** A note for the planner's next turn: how its reply was understood, if that is not obvious. */
  readonly correction: string | null;
}

const thoughts = /^\s*<think>[\s\S]*?(?:<\/think>|$)/i;
const opening = /^([ \t]*)(`{3,}|~{3,})[ \t]*([\w+.-]*)[^\n]*$/;

/** Maximum cells of one reply: more would mean that the planner plays both sides. */
const maxCells = 8;

export const noCode = 'Your reply held no code. Write one ```python block; call FINAL(...) in it to answer.';
const finalInProse =
  'FINAL stood outside of a block of code, where it does nothing. Write one ```python block with FINAL(...) in it.';

/**
 * The code of a reply: its fenced blocks of Python or of no language; an unclosed block extends to the end. Without any
 * fence, the whole text is used if it looks like code. If the reply was cut off, only complete blocks count, since half
 * a cell may do harm.
 */
export function readReply(text: string, cut = false): ReadReply {
  const said = text
    .replace(/^\uFEFF/, '')
    .replace(thoughts, '')
    .replace(/\r\n?/g, '\n');
  const { blocks: all, unclosed } = blocksIn(said);
  const blocks = cut && unclosed ? all.slice(0, -1) : all;
  const python = blocks.filter(({ language }) => /^(?:python[\d.]*|py|repl|tool_code|)$/i.test(language));
  const cells = python.map(({ code }) => code).filter((code) => code.trim() !== '');
  if (cut && cells.length === 0) return { cells, correction: null };
  if (cells.length > maxCells)
    return {
      cells: cells.slice(0, maxCells),
      correction: `Your reply held ${cells.length} blocks of code; the first ${maxCells} were run. Write one.`,
    };
  if (cells.length > 1)
    return {
      cells,
      correction: `Your reply held ${cells.length} blocks of code; they are run in order. Write one.`,
    };
  if (cells.length === 1)
    return {
      cells,
      correction:
        unclosed && !cut ? 'The block of code in your reply was not closed; it was taken to the end.' : null,
    };
  if (python.length > 0)
    return { cells: [], correction: 'The block of code in your reply was empty. Write code in it.' };
  if (blocks.length > 0)
    return {
      cells: [],
      correction: `Your reply held ${blocks[0]!.language} and no Python. Write one \`\`\`python block.`,
    };
  if (looksLikeCode(said))
    return {
      cells: [said.trim()],
      correction: 'Your reply was taken as code. Put code into one ```python block.',
    };
  return {
    cells: [],
    correction: aboutProse(said),
  };
}

function aboutProse(said: string): string {
  if (said.trim() === '') return 'Your reply was empty. Write one ```python block.';
  return /\bFINAL(?:_VAR)?\s*\(/.test(said) ? finalInProse : noCode;
}

interface Block {
  readonly language: string;
  readonly code: string;
}

function blocksIn(text: string): { readonly blocks: readonly Block[]; readonly unclosed: boolean } {
  const blocks: Block[] = [];
  let open: {
    readonly indent: string;
    readonly fence: string;
    readonly language: string;
    lines: string[];
  } | null = null;
  for (const line of text.split('\n')) {
    const match = opening.exec(line);
    if (open === null) {
      if (match) open = { indent: match[1]!, fence: match[2]!, language: match[3]!, lines: [] };
      continue;
    }
    const closes =
      match !== null && match[3] === '' && match[2]!.startsWith(open.fence) && line.trim() === match[2];
    if (!closes) open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    else {
      blocks.push({ language: open.language, code: open.lines.join('\n') });
      open = null;
    }
  }
  if (open !== null) blocks.push({ language: open.language, code: open.lines.join('\n') });
  return { blocks, unclosed: open !== null };
}

const statement =
  /^(?:import |from \w[\w.]* import |[A-Za-z_][\w.]*(?:\[[^\]]*\])? *(?:[-+|]?=[^=]|\()|(?:for|while|if|with|def|class|try|async|return|print)\b.*[:)]\s*$|@\w|#)/;

/** Whether every line at the margin begins like a statement. */
function looksLikeCode(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^[\s)\]}'"]/.test(line));
  if (lines.length === 0) return false;
  const code = lines.filter(
    (line) => statement.test(line) || /^(?:else|elif|except|finally)\b.*:\s*$/.test(line),
  );
  return code.length === lines.length && lines.some((line) => /[(=]/.test(line));
}
