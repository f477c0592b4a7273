/** The commands of a conversation. */
import { formatCount, plainLine, SondeError, shortLine } from '../../core/index.ts';
import { type RunRow, readBalance, type Sessions, type Store } from '../../store/index.ts';
import type { World } from '../../world/index.ts';
import type { OpenMemory } from '../host/host-memory.ts';
import type { OtherInboxItem } from '../workspace/other-inbox-items.ts';
import type { Screen } from './screen.ts';
import { budgetText } from './screen.ts';

export const help = [
  '/runs             the turns of this conversation, what they cost, and the runs that they delegated',
  '/budget           what this conversation has spent, and the limits of a turn',
  '/inbox            what waits for you: questions from scheduled conversations, memory, what agents proposed',
  '/memory           what this conversation may remember, with what was read before it was stored',
  '/memory accept KEY, /memory reject KEY   decide on what waits for your account',
  '/checkpoints      the states of this conversation after each turn: sonde chat --fork THREAD@CHECKPOINT copies one',
  '/edit [@N] TEXT   replace your last message, or your Nth, by TEXT, and continue from there',
  '/role [TEXT | -]  show, set or remove the role (instructions for the agent) of this conversation',
  '/continue         continue a turn that was cancelled, failed or killed; a message drops it and begins the next one',
  '/drop             drop such a turn, or one that waits for an answer',
  '/cancel           end the running turn; Ctrl-C does the same',
  '/help             this list',
  '/quit             leave; the conversation stays',
  'A line that you write while the agent works reaches it at its next step.',
  'A line that ends with \\ continues on the next line.',
].join('\n');

export interface CommandPorts {
  readonly thread: string;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly world: Pick<World, 'inbox'>;
  /** Items in the inbox other than pages: questions from scheduled conversations, and memories to confirm. */
  readonly otherItems: () => Promise<readonly OtherInboxItem[]>;
  readonly memory: () => Promise<OpenMemory>;
  readonly screen: Screen;
}

const maxTurns = 20;
/** Maximum number of checkpoints to search. Each turn has several. */
const maxCheckpoints = 400;
const maxItems = 10;
const maxRemembered = 50;

/** The turns of a thread, newest first. */
async function listTurns(store: Store, thread: string): Promise<readonly RunRow[]> {
  return (await store.runs.list(1000)).filter(({ params }) => params['thread'] === thread);
}

/** The work that turns of a thread delegated, newest first. */
async function listDelegatedRuns(store: Store, thread: string): Promise<readonly RunRow[]> {
  return (await store.runs.list(1000)).filter(({ params }) => {
    const { thread: parentThread } = (params['extra'] ?? {}) as { readonly thread?: unknown };
    return parentThread === thread;
  });
}

async function runs({ store, thread, screen }: CommandPorts): Promise<void> {
  const formatRow = async ({ id, status, question }: RunRow, prefix: string) => {
    const state = status === 'finished' || (await store.runs.isHeld(id)) ? status : 'unfinished';
    return `${id}  ${state.padEnd(10)}  ${prefix}${shortLine(plainLine(question), 60)}`;
  };
  const turns = (await listTurns(store, thread)).slice(0, maxTurns).map(async (row) => {
    const balance = await readBalance(store, row.id);
    return formatRow(row, `${formatCount(Math.round(balance?.spent.tokens ?? 0), 'token')}  `);
  });
  const delegatedRuns = (await listDelegatedRuns(store, thread))
    .slice(0, maxTurns)
    .map((row) => formatRow(row, `${row.shape}: `));
  screen.show(
    [
      ...(turns.length === 0 ? ['No turn yet.'] : await Promise.all(turns)),
      ...(delegatedRuns.length === 0
        ? []
        : ['Delegated runs; sonde show opens them:', ...(await Promise.all(delegatedRuns))]),
    ].join('\n'),
  );
}

async function budget({ store, thread, screen }: CommandPorts): Promise<void> {
  const turns = await listTurns(store, thread);
  const allBalances = await Promise.all(turns.map(({ id }) => readBalance(store, id)));
  const balances = allBalances.filter((balance) => balance !== null);
  const sumOf = (name: 'tokens' | 'usd' | 'calls') =>
    balances.reduce((total, { spent }) => total + spent[name], 0);
  const spent = { tokens: sumOf('tokens'), usd: sumOf('usd'), calls: sumOf('calls') };
  const [last] = balances;
  screen.show(
    [
      `in all ${formatCount(turns.length, 'turn')}: ${budgetText({ spent, limits: {} })}`,
      ...(last === undefined ? [] : [`last turn: ${budgetText({ spent: last.spent, limits: last.limits })}`]),
    ].join('\n'),
  );
}

async function inbox({ world, otherItems: otherInbox, screen }: CommandPorts): Promise<void> {
  const { formatOtherItem: otherInboxText } = await import('../workspace/other-inbox-items.ts');
  const items = world.inbox(maxItems + 1);
  const lines = [
    ...(await otherInbox()).map(otherInboxText),
    ...items
      .slice(0, maxItems)
      .map(
        ({ kind, id, path, note }) => `${kind}  ${id}  ${plainLine(path)}  ${shortLine(plainLine(note), 80)}`,
      ),
  ];
  screen.show(
    lines.length === 0
      ? 'Nothing waits for you.'
      : [...lines, ...(items.length > maxItems ? ['…'] : []), 'sonde world inbox shows them in full.'].join(
          '\n',
        ),
  );
}

async function memory(
  { thread, sessions, memory: openMemory, screen }: CommandPorts,
  text: string,
): Promise<void> {
  const { decideMemory, formatMemory } = await import('../memory.ts');
  const [, act, key = ''] = /^(accept|reject)\s+(.+)$/.exec(text) ?? [];
  if (text !== '' && act === undefined)
    throw new SondeError('bad_argument', {
      message: `/memory has no action ${plainLine(text)}`,
      remedy: 'Use /memory to list, or /memory accept KEY, or /memory reject KEY.',
    });
  const { memory, close } = await openMemory();
  try {
    if (act !== undefined) {
      decideMemory(memory, key, act === 'accept');
      return screen.show(
        `${plainLine(key)} ${act === 'accept' ? 'is in the account now.' : 'was rejected.'}`,
      );
    }
    const channel = (await sessions.threads.has(thread))
      ? (await sessions.threads.get(thread)).channel
      : null;
    const view = memory.viewFrom({ thread, channel });
    const memoryItems = memory.listAll({ tier: 'account' }).filter((item) => item.held);
    const storedItems = view.tiers.flatMap((tier) => view.list(tier, maxRemembered + 1));
    const lines = [...memoryItems, ...storedItems].map(formatMemory);
    screen.show(
      lines.length === 0
        ? 'Nothing is remembered.'
        : [...lines.slice(0, maxRemembered), ...(lines.length > maxRemembered ? ['…'] : [])].join('\n'),
    );
  } finally {
    close();
  }
}

async function checkpoints({ sessions, thread, screen }: CommandPorts): Promise<void> {
  if (!(await sessions.threads.has(thread))) return screen.show('No turn yet.');
  const { listCheckpoints } = await import('../agent/turns.ts');
  const allCheckpoints = await listCheckpoints(thread, sessions.checkpoints, { limit: maxCheckpoints });
  const turnEnds = allCheckpoints.filter(({ end, asks }) => end !== null || asks).toReversed();
  const formatEnd = ({ id, at, end, last }: (typeof allCheckpoints)[number]) =>
    `${thread}@${id}  ${new Date(at).toISOString().slice(0, 16)}  ${end ?? 'asks'}: ${shortLine(plainLine(last !== null && 'text' in last ? last.text : ''), 60)}`;
  screen.show(turnEnds.length === 0 ? 'No turn has ended yet.' : turnEnds.map(formatEnd).join('\n'));
}

async function role({ sessions, thread, screen }: CommandPorts, text: string): Promise<void> {
  const place = { level: 'thread', within: thread } as const;
  if (text !== '') {
    const { thisUser } = await import('../config/index.ts');
    const role = text === '-' ? null : { content: text, appliesTo: null };
    await sessions.roles.set(place, role, thisUser());
  }
  const storedRole = await sessions.roles.get(place);
  screen.show(
    storedRole === undefined
      ? 'This conversation has no role of its own.'
      : `role: ${plainLine(storedRole.content)}`,
  );
}

const inspectionCommands: Readonly<
  Record<string, (ports: CommandPorts, rest: string) => void | Promise<void>>
> = {
  runs,
  budget,
  inbox,
  memory,
  checkpoints,
  role,
  help: ({ screen }) => screen.show(help),
};

/** Runs a command. False: there is no such command. */
export async function runCommand(ports: CommandPorts, name: string, rest: string): Promise<boolean> {
  if (!Object.hasOwn(inspectionCommands, name)) return false;
  await inspectionCommands[name]!(ports, rest);
  return true;
}
