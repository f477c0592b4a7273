/** `sonde token`, in this process, over a home of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openWorkspace } from '../workspace/workspace.ts';
import { addToken, listTokens, removeToken } from './manage-tokens.ts';
import { openTokens } from './open-tokens.ts';

let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'sonde-token-'));
  vi.stubEnv('SONDE_HOME', home);
  for (const name of ['notes', 'plans'])
    (await openWorkspace(join(home, 'data', 'workspaces', `${name}.db`))).close();
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

describe('add', () => {
  it('gives the token once, with what it opens', async () => {
    const { token, ...made } = await addToken('ci', { workspace: 'notes', allow: 'read-only' });
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(made).toEqual({
      name: 'ci',
      workspace: 'notes',
      alerts: false,
      allow: 'read-only',
      author: false,
      sender: null,
      hmac_secret_file: null,
      created: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(listTokens()).toEqual([made]);
    expect(JSON.stringify(listTokens())).not.toContain(token);
  });

  it.each<[string, Parameters<typeof addToken>[1], object]>([
    ['a program', { workspace: 'notes' }, { allow: 'external', author: false }],
    ['the author', { workspace: 'notes', author: true }, { allow: 'owner', author: true }],
    [
      'the author, with less',
      { workspace: 'notes', author: true, allow: 'agent' },
      { allow: 'agent', author: true },
    ],
    ['senders of alerts', { alerts: true }, { workspace: null, alerts: true, allow: null, author: false }],
  ])('for %s', async (_name, flags, expected) => {
    expect(await addToken('x', flags)).toMatchObject(expected);
  });

  it.each<[string, Parameters<typeof addToken>[1], string, RegExp]>([
    ['no place', {}, 'bad_argument', /one workspace or for alerts/],
    ['two places', { workspace: 'notes', alerts: true }, 'bad_argument', /one workspace or for alerts/],
    ['a set for alerts', { alerts: true, allow: 'owner' }, 'bad_argument', /--allow is for a workspace/],
    ['an author of alerts', { alerts: true, author: true }, 'bad_argument', /--author is for a workspace/],
    ['no such set', { workspace: 'notes', allow: 'all' }, 'bad_argument', /"all"/],
    ['no such workspace', { workspace: 'none' }, 'not_found', /no workspace .*none\.db/],
  ])('is refused: %s', async (_name, flags, code, words) => {
    await expect(addToken('x', flags)).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
    expect(listTokens()).toEqual([]);
  });

  it('of a sender is called as its sender, and knows the file of its secret', async () => {
    const path = join(home, 'secret');
    writeFileSync(path, 'planted-hmac-secret\n');
    expect(await addToken(undefined, { sender: 'datadog' })).toMatchObject({ name: 'datadog', alerts: true });
    const made = await addToken('eu', { sender: 'pagerduty', hmacSecretFile: path });
    // It signs: a token would open nothing.
    expect(made).toMatchObject({ name: 'eu', sender: 'pagerduty', hmac_secret_file: path, token: null });
    expect(JSON.stringify(listTokens())).not.toContain('planted-hmac-secret');
  });

  it.each<[string, string | undefined, Parameters<typeof addToken>[1], string, RegExp]>([
    ['no name', undefined, { alerts: true }, 'bad_argument', /needs a name/],
    ['no such sender', undefined, { sender: 'nagios' }, 'bad_argument', /"nagios"/],
    ['of a workspace', undefined, { sender: 'json', workspace: 'notes' }, 'bad_argument', /not a workspace/],
    ['a secret of nobody', 'x', { hmacSecretFile: '/dev/null' }, 'bad_argument', /for one sender/],
    [
      'a secret where none is used',
      undefined,
      { sender: 'alertmanager', hmacSecretFile: '/dev/null' },
      'bad_argument',
      /signs nothing/,
    ],
    [
      'a secret that is not there',
      undefined,
      { sender: 'sentry', hmacSecretFile: '/nowhere/secret' },
      'bad_config',
      /does not exist/,
    ],
  ])('of a sender is refused: %s', async (_name, name, flags, code, words) => {
    await expect(addToken(name, flags)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(words),
    });
    expect(listTokens()).toEqual([]);
  });

  it('knows a workspace by any path to its file', async () => {
    await addToken('ci', { workspace: 'notes' });
    const path = join(home, 'data', 'workspaces', '..', 'workspaces', 'notes.db');
    await expect(addToken('ci', { workspace: path })).rejects.toMatchObject({ code: 'bad_argument' });
  });
});

describe('rm', () => {
  it('takes away the one that is meant, and asks where several are', async () => {
    await addToken('ci', { workspace: 'notes' });
    await addToken('ci', { workspace: 'plans' });
    await addToken('ci', { alerts: true });
    expect(() => removeToken('ci', {})).toThrow(
      /tokens ci for alerts, the workspace notes, the workspace plans/,
    );
    expect(removeToken('ci', { workspace: 'plans' })).toMatchObject({ workspace: 'plans' });
    expect(removeToken('ci', { alerts: true })).toMatchObject({ alerts: true });
    expect(removeToken('ci', {})).toMatchObject({ workspace: 'notes' });
    expect(() => removeToken('ci', {})).toThrow(/no token "ci"/);
  });

  it('also of a workspace that is gone', async () => {
    await addToken('ci', { workspace: 'notes' });
    rmSync(join(home, 'data', 'workspaces', 'notes.db'));
    expect(removeToken('ci', { workspace: 'notes' })).toMatchObject({ workspace: 'notes' });
  });

  it('of one that was used shuts it out', async () => {
    const { token } = await addToken('am', { alerts: true });
    const tokens = openTokens({ data: join(home, 'data') });
    expect(tokens.check(token, { kind: 'alerts' }).kind).toBe('holder');
    removeToken('am', {});
    expect(tokens.check(token, { kind: 'alerts' }).kind).toBe('unknown');
    tokens.close();
  });
});
