/** Reads syntax in a thread of its own, so that no text, however it is made, blocks anything else. */
import { parentPort } from 'node:worker_threads';
import { keepOneBranch } from '../facts/branches.ts';
import { extractFacts } from '../facts/extract.ts';
import type { FileFacts } from '../facts/facts.ts';
import { WalkEnded } from '../facts/walker.ts';
import { parserFor, parseWithin, stopwatch } from './grammar.ts';
import type { LanguageName } from './languages.ts';

export interface SyntaxTask {
  readonly id: number;
  readonly language: LanguageName;
  readonly text: string;
  /** Milliseconds of the processor for parsing, and for reading the tree. */
  readonly limitMs: number;
}

export type SyntaxReply =
  | { readonly id: number; readonly facts: FileFacts }
  /** `broken`: nothing that this thread parses from here on can be trusted. */
  | { readonly id: number; readonly reason: string; readonly why: 'grammar' | 'time' | 'broken' };

async function parseTask({ id, language, text, limitMs }: SyntaxTask): Promise<SyntaxReply> {
  let parser: Awaited<ReturnType<typeof parserFor>>;
  try {
    parser = await parserFor(language);
  } catch (error) {
    return { id, why: 'grammar', reason: error instanceof Error ? error.message : String(error) };
  }
  let tree: ReturnType<typeof parseWithin> = null;
  try {
    const isOver = stopwatch(limitMs);
    const whole = { text, dropped: [] };
    const read = language === 'c' || language === 'cpp' ? keepOneBranch(text) : whole;
    tree = parseWithin(parser, read.text, isOver);
    if (tree === null) return { id, why: 'time', reason: 'parsing it took too long' };
    return { id, facts: extractFacts(tree.rootNode, language, read, isOver) };
  } catch (error) {
    if (error instanceof WalkEnded) return { id, why: 'time', reason: error.message };
    return { id, why: 'broken', reason: error instanceof Error ? error.message.slice(0, 200) : 'it failed' };
  } finally {
    tree?.delete();
  }
}

parentPort?.on('message', async (task: SyntaxTask) => {
  const reply = await parseTask(task);
  parentPort?.postMessage(reply, 'facts' in reply ? [reply.facts.uses.numbers.buffer as ArrayBuffer] : []);
});
