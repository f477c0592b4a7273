/** Reads the planner's reply as cells of Python. Never throws: for a reply without code it gives a correction. */

export interface ReadReply {
  /** Cells to run, in order. */
  readonly cells: readonly string[];
  /** A note for the planner's next turn: how its reply was understood, if that is not obvious. */
  readonly correction: string | null;
}

const thinkingBlock = /^\s*<think>[\s\S]*?(?:<\/think>|$)/i;
const fenceLine = /^([ \t]*)(`{3,}|~{3,})[ \t]*([\w+.-]*)[^\n]*$/;

/** Maximum cells of one reply: a planner that writes more invents the results of its cells itself. */
const maxCells = 8;

export const noCodeNote =
  'Your reply held no code. Write one ```python block; call FINAL(...) in it to answer.';
const finalInProseNote =
  'FINAL stood outside of a block of code, where it does nothing. Write one ```python block with FINAL(...) in it.';

/**
 * The code of a reply: its fenced blocks of Python or of no language; an unclosed block extends to the end. Without any
 * fence, the whole text is used if it looks like code. If the reply was cut off, only complete blocks count, since half
 * a cell may do harm.
 */
export function readReply(text: string, wasCut = false): ReadReply {
  const replyText = text
    .replace(/^\uFEFF/, '')
    .replace(thinkingBlock, '')
    .replace(/\r\n?/g, '\n');
  const { blocks: allBlocks, unclosed } = blocksIn(replyText);
  const blocks = wasCut && unclosed ? allBlocks.slice(0, -1) : allBlocks;
  const pythonBlocks = blocks.filter(({ language }) =>
    /^(?:python[\d.]*|py|repl|tool_code|)$/i.test(language),
  );
  const cells = pythonBlocks.map(({ code }) => code).filter((code) => code.trim() !== '');
  if (wasCut && cells.length === 0) return { cells, correction: null };
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
        unclosed && !wasCut
          ? 'The block of code in your reply was not closed; it was taken to the end.'
          : null,
    };
  if (pythonBlocks.length > 0)
    return { cells: [], correction: 'The block of code in your reply was empty. Write code in it.' };
  if (blocks.length > 0)
    return {
      cells: [],
      correction: `Your reply held ${blocks[0]!.language} and no Python. Write one \`\`\`python block.`,
    };
  if (looksLikeCode(replyText))
    return {
      cells: [replyText.trim()],
      correction: 'Your reply was taken as code. Put code into one ```python block.',
    };
  return {
    cells: [],
    correction: proseNote(replyText),
  };
}

function proseNote(replyText: string): string {
  if (replyText.trim() === '') return 'Your reply was empty. Write one ```python block.';
  return /\bFINAL(?:_VAR)?\s*\(/.test(replyText) ? finalInProseNote : noCodeNote;
}

interface Block {
  readonly language: string;
  readonly code: string;
}

function blocksIn(text: string): { readonly blocks: readonly Block[]; readonly unclosed: boolean } {
  const blocks: Block[] = [];
  let openBlock: {
    readonly indent: string;
    readonly fence: string;
    readonly language: string;
    lines: string[];
  } | null = null;
  for (const line of text.split('\n')) {
    const match = fenceLine.exec(line);
    if (openBlock === null) {
      if (match) openBlock = { indent: match[1]!, fence: match[2]!, language: match[3]!, lines: [] };
      continue;
    }
    const isClosing =
      match !== null && match[3] === '' && match[2]!.startsWith(openBlock.fence) && line.trim() === match[2];
    if (!isClosing)
      openBlock.lines.push(line.startsWith(openBlock.indent) ? line.slice(openBlock.indent.length) : line);
    else {
      blocks.push({ language: openBlock.language, code: openBlock.lines.join('\n') });
      openBlock = null;
    }
  }
  if (openBlock !== null) blocks.push({ language: openBlock.language, code: openBlock.lines.join('\n') });
  return { blocks, unclosed: openBlock !== null };
}

const statementStart =
  /^(?:import |from \w[\w.]* import |[A-Za-z_][\w.]*(?:\[[^\]]*\])? *(?:[-+|]?=[^=]|\()|(?:for|while|if|with|def|class|try|async|return|print)\b.*[:)]\s*$|@\w|#)/;

/** Whether every line that is not indented begins like a statement, and the text has a call or an assignment. */
function looksLikeCode(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^[\s)\]}'"]/.test(line));
  if (lines.length === 0) return false;
  const codeLines = lines.filter(
    (line) => statementStart.test(line) || /^(?:else|elif|except|finally)\b.*:\s*$/.test(line),
  );
  return codeLines.length === lines.length && lines.some((line) => /[(=]/.test(line));
}
