/** The types of the API answers, named as the page uses them. The types themselves are those of `sonde/client`. */
import type { Schemas } from '../../src/client.ts';

export type Session = Schemas['Session'];
export type Page = Schemas['Page'];
export type Saved = Schemas['Saved'];
export type PageText = Schemas['PageText'];
export type Block = Schemas['Block'];
export type Link = Schemas['Link'];
export type Derivation = Schemas['Derivation'];
export type PageProvenance = Schemas['PageProvenance'];
export type WorldEvent = Schemas['WorldEvent'];
export type InboxItem = Schemas['InboxItem'];
export type InboxQuestion = Schemas['InboxQuestion'];
export type InboxMemory = Schemas['InboxMemory'];
export type Act = Schemas['DecisionBody']['act'];
export type ThreadSummary = Schemas['ThreadSummary'];
export type Thread = Schemas['Thread'];
export type ThreadContext = Schemas['ThreadContext'];
export type Question = Thread['questions'][number];
export type ThreadEvent = Schemas['ThreadEvent'];
/** A change made by a tool call, from the events of a conversation. */
export type Change = Schemas['Change'];
export type StepKind = Schemas['StepNote']['event']['kind'];
export type Message = Schemas['Message'];
export type Checkpoint = Schemas['Checkpoint'];
export type RunSummary = Schemas['RunSummary'];
export type RunWhole = Schemas['Run'];
export type Decision = Schemas['Decision'];
export type PageHit = Schemas['PageHit'];
export type Token = Schemas['Token'];
export type MadeToken = Schemas['MadeToken'];
export type NewToken = Schemas['NewToken'];
export type Pruned = Schemas['Pruned'];
export type NewSchedule = Schemas['NewSchedule'];
export type Schedule = Schemas['Schedule'];
export type MemoryItem = Schemas['MemoryItem'];
export type Spend = Schemas['Spend'];
export type Incident = Schemas['Incident'];
export type Lifecycle = Page['lifecycle'];
export type Origin = Page['origin'];
export type ThreadState = Thread['state'];

/** Amounts of a budget, or amounts spent. */
export type Amounts = Readonly<
  Partial<Record<'tokens' | 'usd' | 'wall_ms' | 'fuel' | 'calls' | 'steps', number>>
>;
