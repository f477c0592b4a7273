/** Memory as its owner reads and changes it. The owner may see all of it. */
import { type Caller, plainLine, SondeError } from '../core/index.ts';
import type {
  Forgotten,
  Memory,
  MemoryFilter,
  MemoryItem,
  MemoryRefused,
  MemoryView,
  StoredItem,
  Tier,
} from '../memory/index.ts';
import { openHostMemory } from './host/host-memory.ts';
import { author, openWorkspace, workspacePath } from './workspace/workspace.ts';

export interface MemoryPlace {
  /** A name, or the path of a file. */
  readonly workspace?: string;
  readonly thread?: string;
  readonly channel?: string;
}

/** A tier by its name. Throws `bad_argument`. */
export async function findTier(name: string): Promise<Tier> {
  const { tiers } = await import('../memory/index.ts');
  const knownTier = tiers.find((tier) => tier === name);
  if (knownTier !== undefined) return knownTier;
  throw new SondeError('bad_argument', {
    message: `there is no tier of memory named ${JSON.stringify(name)}`,
    remedy: `Allowed: ${tiers.join(', ')}.`,
  });
}

/** `accountOnly`: opens an empty workspace in memory, so that the account's memory can be read without a file. */
export async function withMemory<Value>(
  place: MemoryPlace,
  accountOnly: boolean,
  work: (memory: Memory) => Value,
): Promise<Value> {
  const path = accountOnly ? ':memory:' : workspacePath(place.workspace);
  const workspace = await openWorkspace(path, { make: accountOnly });
  try {
    const { memory, close } = await openHostMemory(workspace);
    try {
      return work(memory);
    } finally {
      close();
    }
  } finally {
    workspace.close();
  }
}

/** Writes memory as the author, in the conversation or channel that the flags name. Throws `bad_argument`. */
export function writeAsAuthor<Outcome extends StoredItem | Forgotten>(
  memory: Memory,
  { thread, channel }: MemoryPlace,
  write: (
    view: MemoryView,
    by: { readonly writer: string; readonly idempotencyKey: null },
  ) => Outcome | MemoryRefused,
): Outcome {
  const { kind, name }: Caller = author();
  // A channel can be written to from outside of its conversations.
  const place = {
    thread: thread ?? (channel === undefined ? null : 'command line'),
    channel: channel ?? null,
  };
  const outcome = write(memory.viewFrom(place), { writer: `${kind} ${name}`, idempotencyKey: null });
  if (outcome.kind !== 'refused') return outcome;
  throw new SondeError('bad_argument', {
    message: outcome.message,
    remedy:
      outcome.code === 'no_place'
        ? 'Name the conversation with --thread, or the channel with --channel.'
        : outcome.remedy,
    details: { ...outcome.details, refusal: outcome.code },
  });
}

/** Formats a memory for people: its place, its key, the sources that its writer had read, and its text. */
export function formatMemory({ tier, within, key, text, origins, held }: MemoryItem): string {
  const location = `${tier}${within === null ? '' : ` ${plainLine(within)}`}`;
  const originText = origins.length === 0 ? '' : ` (stored after reading ${plainLine(origins.join(', '))})`;
  return `${location}${held ? ', waits for you' : ''}  ${plainLine(key)}${originText}: ${plainLine(text)}`;
}

/** Accepts or drops a memory that waits for the owner. Throws `not_found` and `bad_argument`. */
export function decideMemory(memory: Memory, key: string, accept: boolean): StoredItem | Forgotten {
  const outcome = memory.decide(key, accept);
  if (outcome.kind !== 'refused') return outcome;
  throw new SondeError(outcome.code === 'bad_key' ? 'not_found' : 'bad_argument', {
    message: outcome.message,
    remedy: outcome.remedy,
    details: { ...outcome.details, refusal: outcome.code },
  });
}

/** Makes a filter from flags. A thread or channel implies its tier, unless a tier is given. */
export function toMemoryFilter(
  { thread, channel }: MemoryPlace,
  tier: Tier | undefined,
  match: string | undefined,
): MemoryFilter {
  const within = thread ?? channel;
  const impliedTier = thread !== undefined ? 'conversation' : channel !== undefined ? 'channel' : undefined;
  const wantedTier = tier ?? impliedTier;
  return {
    ...(wantedTier !== undefined && { tier: wantedTier }),
    ...(within !== undefined && { within }),
    ...(match !== undefined && { match }),
  };
}
