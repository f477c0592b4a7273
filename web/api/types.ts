/** What the interface answers, as far as the page shows it: see GET /api/v1/openapi.json. */

export interface Session {
  readonly role: 'reader' | 'operator' | 'author';
  readonly name: string;
  readonly workspace: string;
  readonly expires: number | null;
  readonly version: string;
}

export type Lifecycle = 'Draft' | 'Candidate' | 'Canonical';
export type Origin = 'Authored' | 'Imported' | 'AgentProduced' | 'Observed';

interface Provenance {
  readonly origin: Origin;
  readonly lifecycle: Lifecycle;
  readonly origin_source_id: string;
  readonly revision: number;
  readonly created: number;
  readonly updated: number;
}

export interface Page extends Provenance {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly deleted: boolean;
}

export interface PageText extends Page {
  readonly text: string;
  readonly front: string;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly flags: number;
  readonly deviations: number;
}

export interface Block extends Provenance {
  readonly id: string;
  readonly handle: string;
  readonly text: string;
  readonly kind: string;
}

export interface Link {
  readonly from: string;
  readonly from_page: string;
  readonly from_path: string | null;
  readonly to: string | null;
  readonly to_path: string | null;
  readonly target: string;
  readonly kind: 'wiki' | 'markdown' | 'embed';
}

export interface Derivation {
  readonly id: string;
  readonly page: string | null;
  readonly path: string | null;
  readonly text: string | null;
  readonly link_type: string;
  readonly created_at: number;
  readonly created_by: string;
}

export interface PageProvenance {
  readonly content: readonly {
    readonly id: string;
    readonly sources: readonly Derivation[];
    readonly derived: readonly Derivation[];
  }[];
  readonly flags: readonly {
    readonly id: string;
    readonly content_id: string;
    readonly source_id: string;
    readonly raised_at: number;
  }[];
}

type Side = Readonly<Record<string, Readonly<Record<string, unknown>>>> | null;

export interface WorldEvent {
  readonly seq: number;
  readonly at: number;
  readonly op: string;
  readonly write_id: string;
  readonly content_ids: readonly string[];
  readonly before: Side;
  readonly after: Side;
  readonly caller: string;
  readonly caller_kind: string;
  readonly thread: string | null;
}

export interface InboxItem {
  readonly kind: 'candidate' | 'deviation' | 'flag';
  readonly id: string;
  readonly content_id: string;
  readonly path: string;
  readonly revision: number;
  readonly at: number;
  readonly before: string | null;
  readonly after: string | null;
  readonly conflicts: readonly { readonly base: string; readonly ours: string; readonly theirs: string }[];
  readonly note: string;
  readonly by: string | null;
  readonly thread: string | null;
  readonly sources: readonly Derivation[];
}

export type Act = 'accept' | 'edit' | 'reject' | 'resolve';

export interface Decision {
  readonly write_id: string;
  readonly at: number;
  readonly person: string;
  readonly act: Act;
  readonly item: string;
  readonly path: string;
  readonly reason: string | null;
}

export type ThreadState = 'unknown' | 'idle' | 'running' | 'unfinished' | 'interrupted';

export interface ThreadSummary {
  readonly id: string;
  readonly title: string;
  readonly channel: string | null;
  readonly created: number;
  readonly updated: number;
  readonly state: ThreadState;
  /** That wait for an answer. */
  readonly questions: number;
  readonly runs: number;
  readonly last_run: string | null;
  readonly spent: Amounts;
}

export interface Question {
  readonly id: string;
  readonly value: unknown;
}

export interface Thread extends Omit<ThreadSummary, 'questions'> {
  readonly questions: readonly Question[];
  readonly last: { readonly by: 'person' | 'agent'; readonly text: string } | null;
}

export interface Message {
  readonly id: string;
  readonly kind: 'user' | 'steer' | 'assistant' | 'tool' | 'compact';
  readonly text: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  }[];
  readonly call: string | null;
  readonly name: string | null;
  readonly ok: boolean | null;
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}

export interface Change {
  readonly id: string;
  readonly path: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly held: boolean;
}

export interface Checkpoint {
  readonly id: string;
  readonly at: number;
  readonly messages: number;
  readonly last: Message | null;
  readonly end: string | null;
  readonly asks: boolean;
}

export type Amounts = Readonly<
  Partial<Record<'tokens' | 'usd' | 'wall_ms' | 'fuel' | 'calls' | 'steps', number>>
>;

export interface RunSummary {
  readonly id: string;
  readonly shape: string;
  readonly state: 'running' | 'finished' | 'interrupted';
  readonly question: string;
  readonly thread: string | null;
  readonly created: number;
  readonly updated: number;
}

export interface PageHit {
  readonly page: string;
  readonly path: string;
  readonly title: string;
  readonly lifecycle: Lifecycle;
  readonly blocks: readonly string[];
  readonly found_in: 'text' | 'title' | 'links';
  readonly snippet: string;
}

export interface Schedule {
  readonly id: string;
  readonly trigger:
    | { readonly kind: 'cron'; readonly expression: string; readonly zone: string }
    | { readonly kind: 'interval'; readonly everyMs: number }
    | { readonly kind: 'event'; readonly names: readonly string[] };
  readonly prompt: string;
  readonly thread: string | null;
  readonly missed: string;
  readonly enabled: boolean;
  readonly next: number | null;
  readonly last: { readonly due: number; readonly state: string; readonly note: string | null } | null;
}

export interface MemoryItem {
  readonly id: string;
  readonly tier: string;
  readonly within: string | null;
  readonly key: string;
  readonly text: string;
  readonly updated: number;
  readonly writer: string;
  readonly held: boolean;
}

export interface Spent {
  readonly key: string;
  readonly runs: number;
  readonly spent: Amounts;
}

export interface Incident {
  readonly id: string;
  readonly question: string;
  readonly created: number;
  readonly updated: number;
  readonly verdict: string | null;
  readonly incident?: Readonly<Record<string, unknown>> | null;
}
