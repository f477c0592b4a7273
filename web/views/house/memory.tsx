/** What agents remember. The owner can add, decide on, forget or erase memories. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { after, type List, read, write } from '../../api/client.ts';
import type { MemoryItem } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Choice, Field, FormDialog, TextField } from '../../parts/form.tsx';
import { useKeys } from '../../parts/keys.ts';
import { MoreList } from '../../parts/more-list.tsx';
import { useSession } from '../../parts/session.ts';
import { Empty, Failed, Shown } from '../../parts/states.tsx';
import { useAct } from '../../parts/use-act.ts';
import { exact, plainText, since } from '../../parts/words.ts';

const tiers = [
  ['workspace', 'This workspace'],
  ['account', 'All your workspaces'],
  ['channel', 'One channel'],
  ['conversation', 'One conversation'],
] as const;

/** The field of a tier that holds in one place. */
const placeOf = (tier: string, within: string): Readonly<Record<string, string>> =>
  tier === 'conversation' ? { thread: within } : tier === 'channel' ? { channel: within } : {};

type Asked = { readonly what: 'add' | 'erase' } | { readonly what: 'forget'; readonly item: MemoryItem };

export function Memory(): VNode {
  const { workspace } = useSession();
  const path = `/workspaces/${encodeURIComponent(workspace)}/memory`;
  const [asked, setAsked] = useState<Asked | null>(null);
  /** No event reports changes of memory, so it is loaded again after each act. */
  const [round, setRound] = useState(0);
  const [said, setSaid] = useState('');
  const act = useAct();
  const close = (): void => setAsked(null);
  const done = (what: string): void => {
    close();
    setSaid(what);
    setRound((n) => n + 1);
  };
  const decide = async ({ key }: MemoryItem, accept: boolean): Promise<void> => {
    const decided = await act.run(() => write('POST', `${path}/decision`, { key, accept }));
    if (decided !== null) done(accept ? 'Taken in.' : 'Dropped.');
  };
  useKeys('Memory', [
    { key: 'n', does: 'Remember something', act: () => setAsked({ what: 'add' }) },
    { key: 'x', does: 'Erase', act: () => setAsked({ what: 'erase' }) },
  ]);
  return (
    <div class="pad">
      <div class="row spread">
        <h1>Memory</h1>
        <span class="row">
          <button type="button" onClick={() => setAsked({ what: 'erase' })}>
            Erase <kbd>x</kbd>
          </button>
          <button type="button" class="main-act" onClick={() => setAsked({ what: 'add' })}>
            New <kbd>n</kbd>
          </button>
        </span>
      </div>
      <p class="small muted" role="status">
        {said}
      </p>
      {act.trouble !== null && <Failed trouble={act.trouble} />}
      <MoreList<MemoryItem>
        key={round}
        path={path}
        what="what is remembered"
        empty={<Empty title="Nothing is remembered">What agents keep of conversations comes here.</Empty>}
      >
        {(items) => (
          <ul class="lines">
            {items.map((item) => (
              <Remembered
                key={item.id}
                item={item}
                busy={act.busy}
                decide={(accept) => void decide(item, accept)}
                forget={() => setAsked({ what: 'forget', item })}
              />
            ))}
          </ul>
        )}
      </MoreList>
      {asked?.what === 'add' && <Remember {...{ path, close, done }} />}
      {asked?.what === 'erase' && <Erase {...{ path, close, done }} />}
      {asked?.what === 'forget' && <Forget {...{ path, close, done }} item={asked.item} />}
    </div>
  );
}

function Remembered({
  item: { id, tier, within, key, text, updated, writer, origins, held },
  busy,
  decide,
  forget,
}: {
  readonly item: MemoryItem;
  readonly busy: boolean;
  readonly decide: (accept: boolean) => void;
  readonly forget: () => void;
}): VNode {
  return (
    <li key={id} class="flat">
      <span class="line-main">{plainText(text)}</span>
      <span class="row spread">
        <span class="row small muted">
          <span class="tag">{within === null ? tier : `${tier} ${plainText(within)}`}</span>
          {held && <span class="tag warn">waits for you</span>}
          <code>{plainText(key)}</code>
          <span>{plainText(writer)}</span>
          {origins.length > 0 && <span>after reading {plainText(origins.join(', '))}</span>}
          <time title={exact(updated)}>{since(updated)}</time>
        </span>
        <span class="row">
          {held ? (
            <>
              <button
                type="button"
                class="small"
                aria-label={`Take in ${plainText(key)}`}
                disabled={busy}
                onClick={() => decide(true)}
              >
                Take in
              </button>
              <button
                type="button"
                class="small"
                aria-label={`Drop ${plainText(key)}`}
                disabled={busy}
                onClick={() => decide(false)}
              >
                Drop
              </button>
            </>
          ) : (
            <button type="button" class="small" aria-label={`Forget ${plainText(key)}`} onClick={forget}>
              Forget
            </button>
          )}
        </span>
      </span>
    </li>
  );
}

interface Props {
  readonly path: string;
  readonly close: () => void;
  readonly done: (what: string) => void;
}

function Remember({ path, close, done }: Props): VNode {
  const [tier, setTier] = useState('workspace');
  const [within, setWithin] = useState('');
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const act = useAct();
  const isPlaced = tier === 'conversation' || tier === 'channel';
  const put = async (): Promise<void> => {
    const body = { tier, key: key.trim(), text, ...placeOf(tier, within.trim()) };
    if ((await act.run(() => write('POST', path, body))) !== null) done(`Remembered: ${key.trim()}.`);
  };
  return (
    <FormDialog title="Remember something" act={act} send={() => void put()} does="Remember it" close={close}>
      <Field
        label="Key"
        hint="A name for it; the same again takes its place."
        value={key}
        set={setKey}
        isFirst
        required
      />
      <TextField label="What is to be remembered" value={text} set={setText} required rows={4} />
      <Choice label="Where it holds" value={tier} set={setTier} of={tiers} />
      {isPlaced && (
        <Field
          label={tier === 'channel' ? 'Id of the channel' : 'Id of the conversation'}
          value={within}
          set={setWithin}
          required
        />
      )}
    </FormDialog>
  );
}

function Forget({
  path,
  item: { tier, within, key, text },
  close,
  done,
}: Props & { readonly item: MemoryItem }): VNode {
  const act = useAct();
  const forget = async (): Promise<void> => {
    const query = new URLSearchParams({ tier, key, ...placeOf(tier, within ?? '') });
    if ((await act.run(() => write('DELETE', `${path}?${query}`))) !== null) done(`Forgotten: ${key}.`);
  };
  return (
    <FormDialog
      title={`Forget ${plainText(key)}`}
      act={act}
      send={() => void forget()}
      does="Forget it"
      close={close}
    >
      <p>{plainText(text)}</p>
      <p class="muted">Agents are told it no more. To take its bytes out of the files as well, erase it.</p>
    </FormDialog>
  );
}

/** Items that are counted before they are erased. */
const maxCounted = 200;

function Erase({ path, close, done }: Props): VNode {
  const [tier, setTier] = useState('');
  const [match, setMatch] = useState('');
  const act = useAct();
  const filter = { ...(tier !== '' && { tier }), ...(match.trim() !== '' && { match: match.trim() }) };
  const query = new URLSearchParams(filter);
  const found = useRead<List<MemoryItem>>(after(`${path}?${query}`, null, maxCounted), read);
  const count = found.state === 'ready' ? found.value.items.length : 0;
  const many = `${count}${found.state === 'ready' && found.value.next !== null ? '+' : ''}`;
  const erase = async (): Promise<void> => {
    const erased = await act.run(() =>
      write<{ readonly deleted: number; readonly erased: boolean }>('POST', `${path}/scrub`, {
        ...filter,
        yes: true,
      }),
    );
    if (erased === null) return;
    const { deleted, erased: isErased } = erased.value;
    done(
      `${deleted} deleted. ${isErased ? 'Their bytes are out of the files.' : 'Another process reads the file: their bytes are still in it. Erase again later.'}`,
    );
  };
  return (
    <FormDialog
      title="Erase for good"
      act={{ ...act, busy: act.busy || found.state !== 'ready' }}
      send={() => void erase()}
      does={`Erase ${many}`}
      close={close}
    >
      <p>Deletes them, and takes their bytes out of the files. Nothing brings them back.</p>
      <Field
        label="Those that hold these words"
        hint="Empty: all of them."
        value={match}
        set={setMatch}
        isFirst
      />
      <Choice label="Where they hold" value={tier} set={setTier} of={[['', 'Anywhere'], ...tiers]} />
      <Shown of={found} what="what would go">
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">There is none.</p>
          ) : (
            <ul class="lines" tabIndex={0} aria-label="What would go">
              {items.map(({ id, key, text }) => (
                <li key={id} class="flat">
                  <span>
                    <code>{plainText(key)}</code> {plainText(text)}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </FormDialog>
  );
}
