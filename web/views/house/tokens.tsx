/** The tokens of this server: made, shown once, and revoked. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { after, type List, read, write } from '../../api/client.ts';
import type { MadeToken, NewToken, Session, Token } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field, FormDialog } from '../../parts/form.tsx';
import { useKeys } from '../../parts/keys.ts';
import { useSession } from '../../parts/session.ts';
import { Empty, Shown } from '../../parts/states.tsx';
import { useAct } from '../../parts/use-act.ts';
import { plainText } from '../../parts/words.ts';

type Role = Session['role'];

/**
 * The kinds of tokens, and whether an operator may make them. An operator can't give more rights than operators have.
 */
const uses = [
  ['reader', 'A person who reads', true],
  ['operator', 'An operator: incidents, schedules, tokens', true],
  ['author', 'The author: decides and writes', false],
  ['read-only', 'A program with tools that read', true],
  ['agent', 'A program with the tools of the agent', false],
  ['external', 'A program with the tools of a guest', false],
  ['alerts', 'Whoever sends alerts', true],
] as const;
type Use = (typeof uses)[number][0];

function newToken(name: string, use: Use, sender: string): NewToken {
  switch (use) {
    case 'reader':
    case 'operator':
    case 'author':
      return { name, role: use };
    case 'alerts':
      return { name, alerts: true, ...(sender !== '' && { sender }) };
    default:
      return { name, allow: use };
  }
}

/** The same rule as the server's: nobody may revoke a token that has more rights than he has. */
const mayRevoke = (role: Role, { author, allow }: Token): boolean =>
  role === 'author' || (!author && (allow === null || ['read-only', 'operator', 'external'].includes(allow)));

const setNames: Readonly<Record<string, string>> = {
  'read-only': 'reads',
  operator: 'operator',
  agent: 'tools of the agent',
  external: 'tools of a guest',
  owner: 'everything',
};

const mayOf = ({ author, allow, alerts, sender }: Token): string =>
  alerts
    ? `sends alerts${sender === null ? '' : ` of ${sender}`}`
    : author
      ? 'author'
      : (setNames[allow ?? ''] ?? allow ?? '');

export function Tokens(): VNode {
  const { role } = useSession();
  const { again, ...reading } = useRead<readonly Token[]>('/tokens', async (path, signal) => {
    const found: Token[] = [];
    let next: string | null = null;
    do {
      const part: List<Token> = await read<List<Token>>(after(path, next), signal);
      found.push(...part.items);
      next = part.next;
    } while (next !== null);
    return found;
  });
  const [asked, setAsked] = useState<'add' | Token | null>(null);
  const [made, setMade] = useState<MadeToken | null>(null);
  useKeys('Tokens', [{ key: 'n', does: 'Make a token', act: () => setAsked('add') }]);
  const close = (): void => setAsked(null);
  return (
    <>
      <p class="row spread">
        <span class="muted">A token opens this server to whoever holds it.</span>
        <button type="button" class="main-act" onClick={() => setAsked('add')}>
          New <kbd>n</kbd>
        </button>
      </p>
      <Shown of={{ ...reading, again }} what="tokens">
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty title="There is no token">Windows of this browser need none.</Empty>
          ) : (
            <div class="table-wrap" tabIndex={0} role="region" aria-label="Tokens">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">What it may</th>
                    <th scope="col">Made</th>
                    <th scope="col">
                      <span class="visually-hidden">Acts</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {tokens.map((token) => (
                    <tr key={`${token.alerts} ${token.name}`}>
                      <td>{plainText(token.name)}</td>
                      <td>{plainText(mayOf(token))}</td>
                      <td>{plainText(token.created.slice(0, 10))}</td>
                      <td class="number">
                        {mayRevoke(role, token) && (
                          <button
                            type="button"
                            class="small"
                            aria-label={`Revoke ${plainText(token.name)}`}
                            onClick={() => setAsked(token)}
                          >
                            Revoke
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
      {asked === 'add' && (
        <AddToken
          role={role}
          close={close}
          done={(token) => {
            close();
            setMade(token);
            again();
          }}
        />
      )}
      {asked !== null && asked !== 'add' && (
        <RevokeToken
          token={asked}
          close={close}
          done={() => {
            close();
            again();
          }}
        />
      )}
      {made !== null && <Once made={made} close={() => setMade(null)} />}
    </>
  );
}

function AddToken({
  role,
  close,
  done,
}: {
  readonly role: Role;
  readonly close: () => void;
  readonly done: (made: MadeToken) => void;
}): VNode {
  const [name, setName] = useState('');
  const [use, setUse] = useState<Use>('reader');
  const [sender, setSender] = useState('');
  const act = useAct();
  const add = async (): Promise<void> => {
    const body = newToken(name.trim(), use, sender.trim());
    const made = await act.run(() => write<MadeToken>('POST', '/tokens', body));
    if (made !== null) done(made.value);
  };
  const offered = uses.filter(([, , byOperator]) => role === 'author' || byOperator);
  return (
    <FormDialog title="Make a token" act={act} send={() => void add()} does="Make it" close={close}>
      <Field
        label="Name"
        hint="Whatever is done with it goes by this name."
        value={name}
        set={setName}
        isFirst
        required
      />
      <Choice
        label="Who it is for"
        value={use}
        set={(value) => setUse(value as Use)}
        of={offered.map(([value, says]) => [value, says])}
      />
      {use === 'alerts' && (
        <Field
          label="Sender"
          hint="Such as alertmanager or pagerduty; empty: any."
          value={sender}
          set={setSender}
        />
      )}
    </FormDialog>
  );
}

function RevokeToken({
  token: { name, alerts },
  close,
  done,
}: {
  readonly token: Token;
  readonly close: () => void;
  readonly done: () => void;
}): VNode {
  const act = useAct();
  const revoke = async (): Promise<void> => {
    const at = `/tokens/${encodeURIComponent(name)}?alerts=${alerts}`;
    if ((await act.run(() => write('DELETE', at))) !== null) done();
  };
  return (
    <FormDialog
      title={`Revoke ${plainText(name)}`}
      act={act}
      send={() => void revoke()}
      does="Revoke it"
      close={close}
    >
      <p>It opens nothing from then on, and what it follows live ends at once.</p>
    </FormDialog>
  );
}

/** Shows a new token. The server stores only its hash, so it can't be shown again. */
function Once({ made, close }: { readonly made: MadeToken; readonly close: () => void }): VNode {
  const [said, setSaid] = useState('');
  return (
    <Dialog title={`The token ${plainText(made.name)}`} close={close}>
      <p>It is shown this once, and can't be read again. Keep it where it is to be used.</p>
      <p class="row">
        <input
          class="grow token"
          aria-label="Token"
          readOnly
          data-first="true"
          value={made.token}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <button
          type="button"
          onClick={() =>
            void navigator.clipboard.writeText(made.token).then(
              () => setSaid('Copied.'),
              () => setSaid('The browser did not let it be copied: take it out of the field.'),
            )
          }
        >
          Copy
        </button>
        <span class="small muted" role="status">
          {said}
        </span>
      </p>
    </Dialog>
  );
}
