/** Memory for its owner, who may see all of it. */
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
  const found = tiers.find((tier) => tier === name);
  if (found !== undefined) return found;
  throw new SondeError('bad_argument', {
    message: `there is no tier of memory named ${JSON.stringify(name)}`,
    remedy: `Allowed: ${tiers.join(', ')}.`,
  });
}

/** `alone`: opens no workspace, so that the account can be read without one. */
export async function withMemory<Value>(
  place: MemoryPlace,
  alone: boolean,
  work: (memory: Memory) => Value,
): Promise<Value> {
  const path = alone ? ':memory:' : workspacePath(place.workspace);
  const open = await openWorkspace(path, { make: alone });
  try {
    const { memory, close } = await openHostMemory(open);
    try {
      return work(memory);
    } finally {
      close();
    }
  } finally {
    open.close();
  }
}

/** What is written on the command line is written by the author, in the place that the flags name. */
export function asAuthor<Done extends StoredItem | Forgotten>(
  memory: Memory,
  { thread, channel }: MemoryPlace,
  write: (
    view: MemoryView,
    by: { readonly writer: string; readonly idempotencyKey: null },
  ) => Done | MemoryRefused,
): Done {
  const { kind, name }: Caller = author();
  // A channel can be written to from outside of its conversations.
  const standing = {
    thread: thread ?? (channel === undefined ? null : 'command line'),
    channel: channel ?? null,
  };
  const done = write(memory.viewFrom(standing), { writer: `${kind} ${name}`, idempotencyKey: null });
  if (done.kind !== 'refused') return done;
  throw new SondeError('bad_argument', {
    message: done.message,
    remedy:
      done.code === 'no_place'
        ? 'Name the conversation with --thread, or the channel with --channel.'
        : done.remedy,
    details: { ...done.details, refusal: done.code },
  });
}

/** A memory for people: where it is, what its writer had read before, and its text. */
export function memoryLine({ tier, within, key, text, origins, held }: MemoryItem): string {
  const place = `${tier}${within === null ? '' : ` ${plainLine(within)}`}`;
  const from = origins.length === 0 ? '' : ` (stored after reading ${plainLine(origins.join(', '))})`;
  return `${place}${held ? ', waits for you' : ''}  ${plainLine(key)}${from}: ${plainLine(text)}`;
}

/** Accepts or drops a memory that waits for the owner. Throws `not_found` and `bad_argument`. */
export function decideItem(memory: Memory, key: string, take: boolean): StoredItem | Forgotten {
  const done = memory.decide(key, take);
  if (done.kind !== 'refused') return done;
  throw new SondeError(done.code === 'bad_key' ? 'not_found' : 'bad_argument', {
    message: done.message,
    remedy: done.remedy,
    details: { ...done.details, refusal: done.code },
  });
}

/** The items of a filter, or of the place named. */
export function filterOf(
  { thread, channel }: MemoryPlace,
  tier: Tier | undefined,
  match: string | undefined,
): MemoryFilter {
  const within = thread ?? channel;
  const implied = thread !== undefined ? 'conversation' : channel !== undefined ? 'channel' : undefined;
  const wanted = tier ?? implied;
  return {
    ...(wanted !== undefined && { tier: wanted }),
    ...(within !== undefined && { within }),
    ...(match !== undefined && { match }),
  };
}
