/** Checks an answer of a conversation against its turn: by code, then by a reader for the undecided claims. */
import { appendRemedy, resourceNames, sha256, unquoteText } from '../../core/index.ts';
import { type TurnMaterial, weighTurn } from '../../gate/answer/turn.ts';
import {
  applyReading,
  type Claim,
  claimsToRead,
  type LoggedSearch,
  markRefused,
  type ReaderReply,
} from '../../gate/index.ts';
import type { Message, TurnAnswer, TurnChecker, TurnReader } from '../../session/index.ts';
import type { Store } from '../../store/index.ts';
import { claimsPage, readClaims } from './read-claims.ts';
import { formatRevisionRequest } from './revision-request.ts';

type ToolMessage = Extract<Message, { kind: 'tool' }>;

/** Maximum number of claims in one batch. The reply gets the base tokens and tokens per claim. */
const maxClaims = 40;
const replyTokensPerClaim = 60;
const baseReplyTokens = 400;

export const createTurnChecker =
  (store: Pick<Store, 'events'>): TurnChecker =>
  async (answer, reader) => {
    const weighedAnswer = weighTurn(await collectMaterial(answer, store));
    const open = claimsToRead(weighedAnswer).slice(0, maxClaims);
    const reply = open.length === 0 || reader.pool === null ? null : await readClaimsOfTurn(open, reader);
    const read = reply === null ? weighedAnswer : applyReading(weighedAnswer, reply);
    const claims = read.claims.map(({ claim }) => claim);
    return {
      text: markRefused(read),
      claims,
      objections: formatRevisionRequest(
        claims,
        'Look up what you need, or answer once more; say nothing of this check.',
      ),
      note: reply?.kind === 'failed' ? reply.message : null,
    };
  };

async function readClaimsOfTurn(
  open: ReturnType<typeof claimsToRead>,
  { ask, pool }: TurnReader,
): Promise<ReaderReply> {
  const page = claimsPage(open, open.length);
  const modelAnswer = await ask(readClaims, page, {
    ...{
      tier: 'analyst',
      pool: pool!,
      final: true,
      maxOutputTokens: baseReplyTokens + open.length * replyTokensPerClaim,
    },
    // The key names the claims, so that none is read twice.
    key: `check/${sha256(JSON.stringify(page)).slice(0, 12)}/reader`,
  });
  switch (modelAnswer.kind) {
    case 'value':
      return { kind: 'read', words: modelAnswer.value.verdicts };
    case 'exhausted': {
      // If the budget does not pay for all claims, the first half is tried.
      const half = open.slice(0, Math.floor(open.length / 2));
      if (half.length > 0) return readClaimsOfTurn(half, { ask, pool });
      return {
        kind: 'failed',
        message: `No reader looked at the claims: its part of the budget (${resourceNames[modelAnswer.exhausted.resource]}) did not reach.`,
      };
    }
    case 'failed':
      return { kind: 'failed', message: `No reader looked at the claims: ${appendRemedy(modelAnswer)}` };
  }
}

async function collectMaterial(
  { text, messages, events }: TurnAnswer,
  store: Pick<Store, 'events'>,
): Promise<TurnMaterial> {
  const from = messages.findLastIndex(({ kind }) => kind === 'user');
  const tools = messages.flatMap((each) => (each.kind === 'tool' ? [each] : []));
  const turnTools = messages.slice(from).flatMap((each) => (each.kind === 'tool' ? [each] : []));
  const evidence = events.flatMap((event) => (event.kind === 'evidence_registered' ? [event.evidence] : []));
  const calls = new Map(
    messages.flatMap((each) =>
      each.kind === 'assistant' ? each.calls.map((call) => [call.id, call] as const) : [],
    ),
  );
  const delegatedRuns = turnTools
    .filter(({ name }) => name === 'task')
    .flatMap(({ reads = [] }) => reads.filter(isRunId));
  const runs = await Promise.all(
    [...new Set(delegatedRuns)].map(async (id) => ({ id, claims: await readClaimsOfRun(id, store) })),
  );
  const asked = tools.filter(({ name }) => name === 'ask_user');
  return {
    ...{ text, evidence, runs },
    known: [...new Set(tools.flatMap((each) => each.text.match(/\bev-[0-9a-f]{10}\b/g) ?? []))],
    results: turnTools
      .filter(
        ({ name, reads = [] }) => !nonSourceTools.has(name) && !(name === 'task' && reads.some(isRunId)),
      )
      .map((each, at) => ({ id: `${each.name}-${at + 1}`, name: each.name, text: unquoteText(each.text) })),
    writes: messages.flatMap((each) => listWrites(each, calls)),
    person: [
      ...messages.flatMap((each) => (each.kind === 'user' || each.kind === 'steer' ? [each.text] : [])),
      ...asked.map((each) => each.text),
    ],
    log: {
      searches: turnTools.flatMap((each) => listSearches(each, calls.get(each.call)?.args ?? {}, events)),
      read: [...new Set(evidence.map(({ file_path }) => file_path))],
    },
  };
}

const nonSourceTools: ReadonlySet<string> = new Set(['ask_user', 'compact_history']);
const isRunId = (id: string): boolean => id.startsWith('run-');

/** Null if the run ended before its claims were checked, or is older than claims. */
async function readClaimsOfRun(id: string, store: Pick<Store, 'events'>): Promise<readonly Claim[] | null> {
  const runEvents = await store.events(id).catch(() => []);
  return (
    runEvents.map(({ event }) => event).findLast((event) => event.kind === 'claims_checked')?.claims ?? null
  );
}

type Calls = ReadonlyMap<string, { readonly args: object; readonly effect: 'read' | 'write' }>;

function listWrites(message: Message, calls: Calls): TurnMaterial['writes'] {
  if (message.kind === 'compact')
    return message.form.write_ids.map((id) => ({
      ...{ id, name: 'earlier', ok: true, about: `${id}\n${message.form.summary}` },
    }));
  if (message.kind !== 'tool' || nonSourceTools.has(message.name)) return [];
  const call = calls.get(message.call);
  if (call?.effect !== 'write' && message.write_ids.length === 0) return [];
  if (message.name === 'task' && message.write_ids.length === 0) return [];
  const about = [JSON.stringify(call?.args ?? {}), unquoteText(message.text), ...message.write_ids].join(
    '\n',
  );
  return [{ id: message.write_ids[0] ?? message.call, name: message.name, ok: message.ok, about }];
}

/** The search that a tool message reports. Empty for anything but a text search. */
function listSearches(
  { call, name, ok, text }: ToolMessage,
  args: Readonly<Record<string, unknown>>,
  events: TurnAnswer['events'],
): readonly LoggedSearch[] {
  const { pattern, path } = args;
  if (name !== 'grep' || !ok || typeof pattern !== 'string') return [];
  const ended = events.find((event) => event.kind === 'action_finished' && event.call === call);
  if (ended?.kind !== 'action_finished') return [];
  const isEmpty = ended.evidence.length === 0 && !/\d/.test(unquoteText(text).replaceAll(pattern, ''));
  return [
    {
      id: `${name}-${sha256(call).slice(0, 6)}`,
      pattern,
      matches: isEmpty ? 0 : Math.max(1, ended.evidence.length),
      complete: ended.completeness === 'complete',
      scope: typeof path === 'string' && path.trim() !== '' ? path.trim() : null,
      exactCase: args['ignore_case'] !== true,
    },
  ];
}
