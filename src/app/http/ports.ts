/** The ports that the routes use. */
import type { Caller, Clock } from '../../core/index.ts';
import type { Memory } from '../../memory/index.ts';
import type { AppliedRole } from '../../session/index.ts';
import type { Sessions } from '../../store/index.ts';
import type { PageQuery, PageReply, World } from '../../world/index.ts';
import type { AuditPort } from '../audit/audits.ts';
import type { PruneOptions, PruneReport } from '../prune/prune.ts';
import type { OtherInboxItem } from '../workspace/other-inbox-items.ts';
import type { WorkspaceTail } from './feed/workspace-tail.ts';
import type { ApiRecords } from './records.ts';
import type { RunStarter } from './run-starter.ts';
import type { WorkspaceThreads } from './threads/workspace-threads.ts';
import type { VisibleRuns } from './visible-runs.ts';
import type { WorkspaceTokens } from './workspace-tokens.ts';

export interface ApiPorts {
  readonly workspace: {
    readonly name: string;
    readonly id: string;
    /** The path of the workspace's file. */
    readonly file: string;
    /** The folder of code that the server was started with, and its name for clients; null: none. */
    readonly code: { readonly name: string; readonly folder: string } | null;
    readonly world: World;
    /** The person who owns the workspace, at this machine. */
    readonly person: Caller;
    readonly tail: WorkspaceTail;
    search(query: PageQuery): Promise<PageReply>;
  };
  readonly runs: VisibleRuns;
  readonly starter: RunStarter;
  readonly threads: WorkspaceThreads;
  readonly scheduling: Pick<Sessions, 'schedules' | 'queue'>;
  /** Starts the turn of a schedule now. Throws `not_found`. */
  startSchedule(id: string): Promise<{ readonly thread: string; readonly message: string }>;
  readonly tokens: WorkspaceTokens;
  readonly audit: AuditPort;
  /** Removes finished runs and unused indexes of this home directory, or lists them. */
  prune(options: PruneOptions): Promise<PruneReport>;
  /** Opens the memory at the first call. */
  memory(): Promise<Memory>;
  /** The roles that the next turn of a conversation has, the most specific first. */
  readRoles(thread: {
    readonly id: string;
    readonly channel: string | null;
  }): Promise<readonly { readonly level: AppliedRole['level']; readonly text: string }[]>;
  /** Items in the inbox that are not pages: questions from scheduled conversations, and memories to confirm. */
  otherInboxItems(): Promise<readonly OtherInboxItem[]>;
  readonly records: ApiRecords;
  readonly version: string;
  readonly clock: Clock;
  /** The settings, with secrets hidden. */
  settings(): { readonly [name: string]: { readonly value: unknown; readonly source: string } };
}
