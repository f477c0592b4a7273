/**
 * A material that fits into one prompt is answered by one call: a plain call does better there. It is read as
 * `kb_read` reads, and ends as FINAL ends, so that trail and citations hold.
 */
import type { ContentStand, Evidence, ReadSpan } from '../../core/index.ts';
import {
  estimateTokens,
  fillPrompt,
  isExtractive,
  type ModelMessage,
  promptFile,
  withoutThoughts,
} from '../../model/index.ts';
import { firewall, quoteMaterial } from '../../session/index.ts';
import { askText } from './ask-text.ts';
import type { Crew, Place } from './crew.ts';
import { textOf } from './helpers/cite.ts';
import { acceptFinal, handBack } from './helpers/final.ts';
import { formText } from './page.ts';
import { cancelledEnd, ended, type Final, type NodeState, noGains, noTally, plusGains } from './state.ts';

const system = fillPrompt(promptFile(new URL('./prompts/one-call.md', import.meta.url)), { firewall });

/** Of all the texts as they are shown. */
const mostTokens = 16_000;
const mostFiles = 200;
const replyTokens = 3_000;

interface Read {
  readonly path: string;
  readonly lines: readonly string[];
  readonly content?: ContentStand;
}

type Accepted =
  | { readonly final: Final; readonly evidence: readonly Evidence[]; readonly unread?: readonly string[] }
  | { readonly problem: string };

/** Unchanged, or with a word for the planner, where the material is larger or the answer was none. */
export async function answerAtOnce(state: NodeState, place: Place, crew: Crew): Promise<NodeState> {
  if (place.depth > 0 || place.context !== null || isExtractive(crew.models[crew.outer])) return state;
  const key = `${place.key}/t0`;
  const texts = (crew.journal.recall(`${key}/material`) ??
    crew.journal.record(`${key}/material`, await smallMaterial(place, crew))) as readonly Read[] | null;
  if (texts === null) return state;
  const reads: readonly ReadSpan[] = texts.map(({ path, lines, content }) => ({
    path,
    commit: null,
    start: 1,
    end: lines.length,
    ...(content && { content }),
  }));
  const messages = messagesOf(texts, place);
  const prompts = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const handled = texts.reduce((sum, { lines }) => sum + Buffer.byteLength(lines.join('\n')), 0);
  const shown: NodeState = {
    ...state,
    gains: plusGains(state.gains, { ...noGains, reads, tally: { ...noTally, prompts, handled } }),
  };
  const said = await askText(crew, messages, {
    model: crew.models[crew.outer],
    pool: place.pool,
    step: 1,
    key: `${key}/planner`,
    signature: 'one-call',
    maxOutputTokens: replyTokens,
  });
  if (said.kind === 'cancelled') return ended(shown, cancelledEnd);
  // The loop meets the same failure, or the end of the budget, and has an end for it.
  if (said.kind !== 'text') return state;
  const accepted = (crew.journal.recall(`${key}/final`) ??
    crew.journal.record(`${key}/final`, await accept(said.text, shown, place, crew))) as Accepted;
  if ('problem' in accepted) return { ...shown, told: `${accepted.problem} Work it out in code.` };
  const { final, evidence, unread = [] } = accepted;
  for (const item of evidence)
    crew.log.append(`evidence/${item.id}`, { kind: 'evidence_registered', step: 1, evidence: item });
  if (unread.length > 0)
    return {
      ...shown,
      told: `${handBack(unread)} Work it out in code.`,
      gains: plusGains(shown.gains, { ...noGains, evidence, offered: final }),
    };
  const answered = { ...shown, gains: plusGains(shown.gains, { ...noGains, evidence, final }) };
  return ended(answered, { status: 'final', stop: 'finalized', trouble: null });
}

async function smallMaterial(place: Place, crew: Crew): Promise<readonly Read[] | null> {
  const list = await crew.material.list?.(mostTokens * 4);
  const inScope = list?.filter(({ path }) => place.scope.admits(path)) ?? [];
  if (inScope.length === 0 || inScope.length > mostFiles) return null;
  const texts: Read[] = [];
  let tokens = 0;
  for (const { path } of inScope) {
    const text = await textOf(path, crew, place).catch(() => null);
    // What can't be read can't be in the prompt: then the code looks for itself.
    if (text === null) return null;
    const { lines, content } = text;
    texts.push({ path, lines, ...(content && { content }) });
    tokens += estimateTokens(shownText({ path, lines }));
    if (tokens > mostTokens) return null;
  }
  return texts;
}

function shownText({ path, lines }: Read): string {
  const numbered = lines.map((line, index) => `${index + 1}| ${line}`).join('\n');
  return quoteMaterial(numbered, { source: path, trust: 'untrusted' });
}

function messagesOf(texts: readonly Read[], place: Place): readonly ModelMessage[] {
  const user = `# Question\n\n${place.prompt}\n${formText(place).replace('Give FINAL', 'Answer with')}\n# Texts\n\n${texts.map(shownText).join('\n')}`;
  return [
    { role: 'system', text: system, cache: true },
    { role: 'user', text: user },
  ];
}

async function accept(text: string, state: NodeState, place: Place, crew: Crew): Promise<Accepted> {
  const bare = withoutThoughts(text);
  const inner = /^```\w*\n([\s\S]*?)\n?```$/.exec(bare)?.[1] ?? bare;
  const accepted = await acceptFinal(inner, crew, place, state.gains);
  return typeof accepted === 'string' ? { problem: accepted } : accepted;
}
