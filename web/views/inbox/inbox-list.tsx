/** Everything that waits, by what it is about: questions on top. */
import type { RefObject, VNode } from 'preact';
import { to } from '../../parts/route.ts';
import { plainText } from '../../parts/words.ts';
import type { Beside } from './beside.ts';
import { type Group, gistOf, nameOf } from './groups.ts';

interface Props {
  readonly beside: readonly Beside[];
  readonly groups: readonly Group[];
  readonly count: number;
  /** The server has more. */
  readonly more: boolean;
  readonly current: string | null;
  readonly mayDecide: boolean;
  /** For a decision at once. */
  readonly chosen: ReadonlyMap<string, unknown>;
  readonly toggle: (id: string) => void;
  readonly list: RefObject<HTMLDivElement | null>;
}

export function InboxList({
  beside,
  groups,
  count,
  more,
  current,
  mayDecide,
  chosen,
  toggle,
  list,
}: Props): VNode {
  return (
    <div class="inbox-list">
      <header class="list-head row spread">
        <h1>
          Inbox{' '}
          <span class="count">
            {count}
            {more ? '+' : ''}
          </span>
        </h1>
        <a class="small" href={`${to('inbox')}?decided`}>
          Decided <kbd>d</kbd>
        </a>
      </header>
      <div class="scroll" ref={list} tabIndex={0} role="region" aria-label="What waits">
        <BesideGroup
          title="Asks you"
          of={beside.filter(({ kind }) => kind === 'question')}
          current={current}
        />
        <BesideGroup
          title="To be remembered"
          of={beside.filter(({ kind }) => kind === 'memory')}
          current={current}
        />
        {groups.map((group) => (
          <section class="group" key={group.key}>
            <h2>{plainText(group.title)}</h2>
            {group.pages.map(({ path, items: of }) => (
              <div key={path}>
                <h3 title={path}>{plainText(path)}</h3>
                <ul>
                  {of.map((item) => (
                    <li key={item.id}>
                      {mayDecide && (
                        <input
                          type="checkbox"
                          aria-label={`Choose ${gistOf(item)}`}
                          checked={chosen.has(item.id)}
                          onChange={() => toggle(item.id)}
                        />
                      )}
                      <a
                        href={to('inbox', item.id)}
                        aria-current={item.id === current ? 'true' : undefined}
                        class={item.kind}
                      >
                        <span class={`tag ${nameOf(item).toLowerCase().replace(' ', '-')}`}>
                          {nameOf(item)}
                        </span>
                        <span class="gist">{plainText(gistOf(item))}</span>
                      </a>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

function BesideGroup({
  title,
  of,
  current,
}: {
  readonly title: string;
  readonly of: readonly Beside[];
  readonly current: string | null;
}): VNode | null {
  if (of.length === 0) return null;
  return (
    <section class="group">
      <h2>{title}</h2>
      <ul>
        {of.map((one) => (
          <li key={one.id}>
            <a href={to('inbox', one.id)} aria-current={one.id === current ? 'true' : undefined}>
              <span class="tag warn">{one.kind === 'question' ? 'Question' : 'Memory'}</span>
              <span class="gist">
                {plainText(one.kind === 'question' ? (one.note ?? one.title) : one.memory.text)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
