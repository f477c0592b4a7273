import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../core/index.ts';
import type { CapabilitySetName } from '../../tools/index.ts';
import { openAlertTokenCheck } from './alert-token-check.ts';
import { openTokens } from './open-tokens.ts';
import { requireNoSharedToken } from './saved-token.ts';
import { openTokenCheck } from './token-check.ts';
import type { NewToken, TokenPlace, Tokens } from './tokens.ts';

const notes: TokenPlace = { kind: 'workspace', workspace: 'notes', id: 'ws-1' };
const plans: TokenPlace = { kind: 'workspace', workspace: 'plans', id: 'ws-2' };
const alerts: TokenPlace = { kind: 'alerts' };
const given = (name: string, place: TokenPlace, allow: CapabilitySetName | null = 'external'): NewToken => ({
  name,
  place,
  allow,
  author: false,
  kept: false,
});

let folder: string;
let tokens: Tokens;
const closing: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sonde-tokens-'));
  tokens = openTokens({ data: folder });
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
  tokens.close();
  rmSync(folder, { recursive: true });
});

function door(place: TokenPlace, asked: CapabilitySetName | null = null) {
  const opened = openTokenCheck({ directories: { data: folder }, place, serverSet: asked });
  closing.push(() => opened.close());
  return opened;
}
const pathIn = (hint: string): string => /^The token is in (.+)\.$/.exec(hint)![1]!;
const read = (path: string): string => readFileSync(path, 'utf8').trim();

describe('a token', () => {
  it.each([
    ['its own workspace', notes, notes, 'holder'],
    ['another workspace', notes, plans, 'wrong_place'],
    ['alerts, with one of a workspace', notes, alerts, 'wrong_place'],
    ['a workspace, with one of alerts', alerts, notes, 'wrong_place'],
    ['alerts', alerts, alerts, 'holder'],
    ['another workspace made later under its name', notes, { ...notes, id: 'ws-9' }, 'wrong_place'],
  ])('opens, of %s', (_name, made, shown, kind) => {
    const token = tokens.add(given('ci', made, made.kind === 'alerts' ? null : 'external'));
    expect(tokens.check(token, shown)).toMatchObject({ kind });
  });

  it.each([
    ['nothing', () => null],
    ['an empty one', () => ''],
    ['its beginning', (token: string) => token.slice(0, -1)],
    ['more', (token: string) => `${token}x`],
    ['its hash', (token: string) => sha256(token)],
    ['another case', (token: string) => token.toUpperCase()],
  ])('is not known by %s', (_name, shown) => {
    const token = tokens.add(given('ci', notes));
    expect(tokens.check(shown(token), notes)).toEqual({ kind: 'unknown' });
  });

  it('is kept as its hash only, where only its owner reads', () => {
    const token = tokens.add(given('ci', notes));
    const path = join(folder, 'tokens.db');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const file of [path, `${path}-wal`]) expect(readFileSync(file).includes(token)).toBe(false);
    expect(readFileSync(`${path}-wal`).includes(sha256(token))).toBe(true);
  });

  it('that was removed opens nothing from then on, also in a server that runs', () => {
    const token = tokens.add(given('ci', notes));
    const running = door(notes);
    expect(running.check(token).kind).toBe('holder');
    expect(tokens.remove(notes, 'ci')).toBe(true);
    expect(tokens.remove(notes, 'ci')).toBe(false);
    expect(running.check(token).kind).toBe('unknown');
  });

  it('has a name of its own in its place, and may share it with another place', () => {
    tokens.add(given('ci', notes));
    expect(() => tokens.add(given('ci', notes, 'owner'))).toThrow(
      /a token ci for the workspace notes already/,
    );
    tokens.add(given('ci', plans));
    tokens.add(given('ci', alerts, null));
    expect(tokens.list().map(({ name, place }) => [name, place])).toEqual([
      ['ci', alerts],
      ['ci', notes],
      ['ci', plans],
    ]);
  });

  it('of a workspace that is gone gives its name to one of the workspace that took its place', () => {
    const before = tokens.add(given('ci', notes));
    const again = { ...notes, id: 'ws-9' } as const;
    const after = tokens.add(given('ci', again));
    expect(tokens.check(before, again).kind).toBe('unknown');
    expect(tokens.check(after, again).kind).toBe('holder');
  });

  it.each(['', ' ', 'a b', 'a/b', 'a\nb', '-x', '.x', 'x'.repeat(65), 'a:b'])(
    'has no name such as %j',
    (name) => {
      expect(() => tokens.add(given(name, notes))).toThrow(/is no name of a token/);
    },
  );
});

describe('a server without a token', () => {
  it('makes default for its own workspace and set, in a file that only its user reads', () => {
    const { hint, check: enter } = door(notes, 'read-only');
    const path = pathIn(hint);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(enter(read(path))).toMatchObject({
      kind: 'holder',
      token: { name: 'default', place: notes, allow: 'read-only', author: false },
    });
    expect(door(plans).check(read(path)).kind).toBe('wrong_place');
    expect(door(alerts).check(read(path)).kind).toBe('wrong_place');
  });

  it('finds it again at the next start', () => {
    const path = pathIn(door(notes).hint);
    const token = read(path);
    expect(pathIn(door(notes).hint)).toBe(path);
    expect(read(path)).toBe(token);
    expect(tokens.list()).toHaveLength(1);
  });

  it('started with another set makes another, and widens none', () => {
    const first = read(pathIn(door(notes, 'read-only').hint));
    const wider = door(notes, 'owner');
    const second = read(pathIn(wider.hint));
    expect(second).not.toBe(first);
    expect(wider.check(first)).toMatchObject({ token: { allow: 'read-only' } });
    expect(wider.check(second)).toMatchObject({ token: { name: 'default-owner', allow: 'owner' } });
  });

  it('makes none where its user has made one', () => {
    tokens.add(given('ci', notes, 'owner'));
    expect(door(notes).hint).toBe('It is opened by the tokens ci.');
    expect(tokens.list()).toHaveLength(1);
    tokens.add(given('default', alerts, null));
    expect(door(alerts).hint).toBe('It is opened by the tokens default.');
    tokens.add(given('ro', notes, 'read-only'));
    tokens.add(given('op', notes, 'operator'));
    expect(door(notes, 'owner').hint).toBe(
      'It is opened by the tokens ci, and for less by op, ro (sonde token ls says what for).',
    );
  });

  it('makes it anew where its file was deleted; the one before opens nothing', () => {
    const path = pathIn(door(notes).hint);
    const before = read(path);
    rmSync(path);
    const again = door(notes);
    expect(again.check(before).kind).toBe('unknown');
    expect(again.check(read(pathIn(again.hint)))).toMatchObject({ token: { name: 'default' } });
  });

  it('does not take a file that others may read', () => {
    chmodSync(pathIn(door(notes).hint), 0o644);
    expect(() => door(notes)).toThrow(/only you can read/);
  });

  it('one workspace in a file with odd letters in its path does not reach another', () => {
    const odd = (workspace: string): TokenPlace => ({ kind: 'workspace', workspace, id: workspace });
    const paths = ['/a/../b.db', '/a/b.db', 'Später', 'Spater'].map((one) => pathIn(door(odd(one)).hint));
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths) expect(path.startsWith(join(folder, 'tokens/'))).toBe(true);
  });
});

it('the file of one token for all servers is refused, with what to do', () => {
  requireNoSharedToken({ data: folder });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'mcp-token'), 'x', { mode: 0o600 });
  expect(() => requireNoSharedToken({ data: folder })).toThrowError(
    expect.objectContaining({
      code: 'bad_config',
      message: expect.stringContaining(join(folder, 'mcp-token')),
      remedy: expect.stringMatching(/Delete the file.*sonde token add/),
    }),
  );
});

describe('senders of alerts', () => {
  const key = 'key-of-all-senders-01';

  it.each([
    ['the key that is set', () => key, 'holder'],
    ['a token of their own beside it', () => tokens.add(given('am', alerts, null)), 'holder'],
    ['a token of a workspace', () => tokens.add(given('ci', notes)), 'wrong_place'],
    ['nothing', () => null, 'unknown'],
    ['an empty one', () => '', 'unknown'],
  ])('come in with %s', (_name, make, kind) => {
    const opened = openAlertTokenCheck({ data: folder }, key);
    closing.push(() => opened.close());
    expect(opened.check(make()).kind).toBe(kind);
    expect(opened.hint).toBeNull();
    expect(tokens.list().some(({ kept }) => kept)).toBe(false);
  });

  it('find a token made for them where no key is set', () => {
    const opened = openAlertTokenCheck({ data: folder }, '');
    closing.push(() => opened.close());
    expect(opened.check(read(pathIn(opened.hint!))).kind).toBe('holder');
    expect(opened.check('').kind).toBe('unknown');
  });
});
