/** The status of a run's answer; before there is one, the state of the run. */
import type { VNode } from 'preact';
import type { RunSummary } from '../../api/types.ts';

type Said = readonly [name: string, tone: string, meaning: string];

const states: Readonly<Record<Exclude<RunSummary['state'], 'finished'>, Said>> = {
  running: ['running', 'accent', 'It is at work.'],
  waiting: ['waits for your answer', 'warn', 'The agent asked something: answer it in the conversation.'],
  interrupted: ['interrupted', 'warn', 'Its process is gone; sonde resume goes on with it.'],
};

const worths: Readonly<Record<string, Said>> = {
  verified: ['verified', 'good', 'Every claim of the answer is carried by lines that were read again.'],
  partial: ['partial', 'warn', 'Some claims are supported by lines that were read again; others are not.'],
  unverified: ['unverified', 'bad', 'No claim of the answer is carried by lines that were read again.'],
  quotes: ['quotes', '', 'Lines of the material without an explanation.'],
  not_found: ['not found', 'warn', 'The material does not hold what was asked for.'],
};
/** Such as a turn of a conversation that told nothing of the material. */
const unchecked: Said = ['not checked', '', 'The answer claims nothing that could be checked.'];
const ended: Said = ['ended', '', 'It ended without an answer.'];

const Tag = ({ of: [name, tone, meaning] }: { readonly of: Said }): VNode => (
  <span class={`tag ${tone}`} title={meaning}>
    {name}
  </span>
);

type Worthy = Pick<RunSummary, 'state' | 'status' | 'verdict' | 'claims'>;

export function Worth({ of: { state, status, verdict, claims } }: { readonly of: Worthy }): VNode {
  if (state !== 'finished') return <Tag of={states[state]} />;
  if (status === null) return <Tag of={ended} />;
  const isUnchecked = status === 'unverified' && (claims ?? 0) === 0;
  return (
    <>
      {verdict !== null && (
        <span class="tag accent" title="What the incident is blamed on">
          {verdict.replaceAll('_', ' ')}
        </span>
      )}
      <Tag of={isUnchecked ? unchecked : (worths[status] ?? [status.replaceAll('_', ' '), '', ''])} />
    </>
  );
}
