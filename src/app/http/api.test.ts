import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, incidentEvents, type Json, openDesk, researchEvents } from './testbed.contract.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());
const inbox = '/workspaces/notes/inbox';
const candidate = (path: string, text = 'One.\n') =>
  desk.write('agent', { op: 'create_page', path, text })[0]!;
const itemOf = async (id: string) => (await desk.get(`${inbox}/${id}`)).body;

describe('who asks', () => {
  it.each<[string, string | null, string, number]>([
    ['nobody', null, '/session', 401],
    ['a token that is none', 'nothing', '/session', 401],
    ['a token of another workspace', 'wrong_place', '/session', 403],
    ['a program', 'program', '/session', 403],
    ['a reader', 'reads', '/session', 200],
    ['an operator', 'operates', '/config', 200],
    ['a reader, of the settings', 'reads', '/config', 403],
    ['the author, of another workspace', 'decides', '/workspaces/other/inbox', 404],
    ['anybody, of what there is not', null, '/nothing', 404],
  ])('%s', async (_, as, path, status) => {
    const response = await desk.ask(path, { as });
    expect(response.status).toBe(status);
    if (status !== 200)
      expect(await response.json()).toMatchObject({
        error: { code: expect.any(String), message: expect.any(String), remedy: expect.any(String) },
      });
  });

  it('a code opens one window, once', async () => {
    const code = desk.code();
    const open = (headers: Record<string, string> = { origin: 'http://localhost', 'x-sonde': '1' }) =>
      desk.ask('/session', { as: null, method: 'POST', body: JSON.stringify({ code }), headers });
    expect((await open({})).status).toBe(403);
    const opened = await open();
    expect([opened.status, await opened.json()]).toEqual([
      200,
      expect.objectContaining({ role: 'author', workspace: 'notes' }),
    ]);
    const set = opened.headers.get('set-cookie')!;
    expect(set).toMatch(/^sonde_session=[\w-]{43}; .*HttpOnly; SameSite=Strict; Path=\/api\/v1$/);
    expect((await open()).status).toBe(401);
    const cookie = set.split(';')[0]!;
    const session = () => desk.ask('/session', { as: null, headers: { cookie } });
    expect((await session()).status).toBe(200);
    const decide = (headers: Record<string, string>) =>
      desk.ask(`${inbox}/pg-none/decision`, {
        as: null,
        method: 'POST',
        body: JSON.stringify({ act: 'accept', revision: 1 }),
        headers: { cookie, ...headers },
      });
    for (const headers of [{}, { origin: 'http://localhost' }, { 'x-sonde': '1' }] as Record<
      string,
      string
    >[])
      expect((await decide(headers)).status).toBe(403);
    expect((await decide({ origin: 'http://localhost', 'x-sonde': '1' })).status).toBe(404);
    const ended = await desk.ask('/session', {
      as: null,
      method: 'DELETE',
      headers: { cookie, origin: 'http://localhost', 'x-sonde': '1' },
    });
    expect(ended.headers.get('set-cookie')).toMatch(/Max-Age=0/);
    expect((await session()).status).toBe(401);
  });
});

it('what nobody may see says what there is to show', async () => {
  const { error } = (await (await desk.ask('/session', { as: null })).json()) as Json;
  expect(error.remedy).toContain('sonde token add NAME --workspace notes --role author');
});

it('a page comes back as it was deleted, or as it stood once', async () => {
  const at = '/workspaces/notes/pages';
  const { body: made } = await desk.send('POST', at, { path: 'P', text: 'One.\n' });
  expect((await desk.get(`${at}/P`)).body.origin_source_id).toBe('http api: decides');
  const [first] = (await desk.get(`${at}/P/history`)).body.items;
  await desk.send('PATCH', `${at}/P`, { text: 'Two.\n', revision: made.revision });
  const restore = (body: object, as = 'decides') =>
    desk.send('POST', `${at}/${made.page}/restore`, body, { as });
  expect(await restore({})).toMatchObject({ status: 400 });
  expect(await restore({ seq: 999 })).toMatchObject({ status: 404 });
  expect(await restore({ seq: first.seq }, 'operates')).toMatchObject({ status: 403 });
  const text = async () => (await desk.get(`${at}/P`)).body.text;
  expect([(await restore({ seq: first.seq })).status, await text()]).toEqual([200, 'One.\n']);
  await desk.send('DELETE', `${at}/P`, {});
  expect((await desk.get(`${at}/P`)).status).toBe(404);
  expect([(await restore({})).status, await text()]).toEqual([200, 'One.\n']);
  await desk.send('DELETE', `${at}/P`, {});
  await desk.send('POST', at, { path: 'P', text: 'Another.\n' });
  expect(await restore({})).toMatchObject({
    status: 400,
    body: { error: { details: { refusal: 'path_taken' } } },
  });
});

it('a page is deleted as it was looked at, and is found among those that were deleted', async () => {
  const at = '/workspaces/notes/pages';
  const { body: made } = await desk.send('POST', at, { path: 'P', text: 'One.\n' });
  const saved = await desk.send('PATCH', `${at}/P`, { text: 'Two.\n', revision: made.revision });
  expect(await desk.send('DELETE', `${at}/P?revision=${made.revision}`, {})).toMatchObject({
    status: 409,
    body: { error: { code: 'stale', details: { shown: made.revision, now: saved.body.revision } } },
  });
  const gone = await desk.send('DELETE', `${at}/P?revision=${saved.body.revision}`, {});
  expect(gone).toMatchObject({ status: 200, body: { revision: null } });
  // Another one at the same path is another line, and each part of the list goes on behind the one before.
  await desk.send('POST', at, { path: 'P', text: 'Again.\n' });
  await desk.send('DELETE', `${at}/P`, {});
  const first = await desk.get(`${at}?deleted=true&limit=1`, 'reads');
  const second = await desk.get(`${at}?deleted=true&limit=1&cursor=${first.body.next}`, 'reads');
  const ids = [...first.body.items, ...second.body.items].map(({ id }: Json) => id);
  expect([ids.length, new Set(ids).size, second.body.next]).toEqual([2, 2, null]);
  expect(ids).toContain(made.page);
  expect((await desk.get(at)).body.items).toEqual([]);
  expect(await desk.get(`${at}/${made.page}`, 'reads')).toMatchObject({
    status: 404,
    body: { error: { details: { page: made.page, deleted: true } } },
  });
});

describe('the inbox', () => {
  it('shows what waits with whose it is and what it rests on, some at a time', async () => {
    const [source] = desk.write('author', { op: 'create_page', path: 'Source', text: 'Facts.\n' });
    const [id] = desk.write('agent', { op: 'create_page', path: 'New', text: 'So.\n' }, [source!]);
    for (const n of [1, 2, 3, 4]) candidate(`C${n}`);
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { body } = await desk.get(`${inbox}?limit=2${next === '' ? '' : `&cursor=${next}`}`);
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map((one: { id: string }) => one.id));
      next = body.next;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    expect(await itemOf(id!)).toMatchObject({
      kind: 'candidate',
      by: 'agent:planner',
      thread: 'talk',
      before: null,
      after: 'So.\n',
      sources: [{ id: source, path: 'Source' }],
    });
  });

  it('shows what waits in one page', async () => {
    const [page] = desk.write('author', { op: 'create_page', path: 'Kept', text: 'Facts.\n' });
    const [block] = desk.world.read(page!, 'canonical')!.blocks;
    const [held] = desk
      .write('agent', { op: 'update_block', block: block!.id, text: 'Other facts.\n' })
      .filter((id) => id.startsWith('dv-'));
    candidate('Elsewhere');
    for (const name of ['Kept', page!]) {
      const { body } = await desk.get(`${inbox}?page=${name}`);
      expect(body.items).toMatchObject([{ kind: 'deviation', id: held, content_id: block!.id }]);
    }
    expect(await desk.get(`${inbox}?page=Nowhere`)).toMatchObject({ status: 404 });
  });

  it('is decided on by the author alone, once it was given to him', async () => {
    const id = candidate('New');
    const accept = { act: 'accept', revision: 1 };
    for (const as of ['reads', 'operates'])
      expect(await desk.send('POST', `${inbox}/${id}/decision`, accept, { as })).toMatchObject({
        status: 403,
      });
    await desk.get(inbox, 'reads');
    expect(await desk.send('POST', `${inbox}/${id}/decision`, accept)).toMatchObject({
      status: 409,
      body: { error: { code: 'stale', details: { id, shown: null, now: 1, diff: '+ One.' } } },
    });
    await desk.get(inbox);
    expect(await desk.send('POST', `${inbox}/${id}/decision`, accept)).toMatchObject({
      status: 200,
      body: { id, act: 'accept', content_ids: [id] },
    });
    expect(desk.world.page(id)).toMatchObject({ lifecycle: 'Canonical', origin: 'AgentProduced' });
    expect(await desk.send('POST', `${inbox}/${id}/decision`, accept)).toMatchObject({ status: 404 });
  });

  it.each(['accept', 'reject', 'edit'] as const)('takes back what was decided: %s', async (act) => {
    const id = candidate('New', 'One.\n\nTwo.\n');
    const before = await itemOf(id);
    const more = act === 'edit' ? { text: 'One, rather.\n\nTwo.\n' } : {};
    const { body } = await desk.send('POST', `${inbox}/${id}/decision`, { act, revision: 1, ...more });
    const undo = (write_id: string, as = 'decides') =>
      desk.send('POST', '/workspaces/notes/undo', { write_id }, { as });
    expect(await undo(body.write_id, 'operates')).toMatchObject({ status: 403 });
    expect(await undo(body.write_id)).toMatchObject({
      status: 200,
      body: { content_ids: expect.any(Array) },
    });
    expect(await itemOf(id)).toMatchObject({ before: before.before, after: before.after, by: before.by });
    expect(await undo(body.write_id)).toMatchObject({ status: 409, body: { error: { code: 'run_state' } } });
    expect(await undo('wr-none')).toMatchObject({ status: 404 });
    const { items } = (await desk.get(`${inbox}/decisions`)).body;
    expect(items.map(({ act: done, undone, gist }: Json) => [done, undone, gist])).toEqual([
      ['undo', false, more.text ?? 'One.\n\nTwo.\n'],
      [act, true, more.text ?? 'One.\n\nTwo.\n'],
    ]);
  });

  it('a revision that never was is told of as the client named it', async () => {
    const id = candidate('New');
    for (const act of ['accept', 'reject']) {
      await desk.get(inbox);
      expect(await desk.send('POST', `${inbox}/${id}/decision`, { act, revision: 99 })).toMatchObject({
        status: 409,
        body: { error: { code: 'stale', details: { id, shown: 99, now: 1 } } },
      });
    }
  });

  it('a decision on what has changed since is stale, with the difference', async () => {
    const id = candidate('New');
    await desk.get(inbox);
    desk.write('agent', { op: 'update_page', page: id, text: 'Two.\n' });
    for (const body of [{ act: 'accept' }, { act: 'reject' }, { act: 'edit', text: 'Three.\n' }])
      expect(await desk.send('POST', `${inbox}/${id}/decision`, { ...body, revision: 1 })).toMatchObject({
        status: 409,
        body: { error: { code: 'stale', details: { shown: 1, now: 2 } } },
      });
    expect(desk.world.read(id, 'all')!.blocks[0]!.text).toBe('Two.\n');
  });

  it('takes a text of the author in place of a candidate', async () => {
    const [page, other] = [candidate('New', 'One.\n\nTwo.\n'), candidate('Other')];
    const [plan] = desk.write('author', { op: 'create_page', path: 'Plan', text: 'Ship.\n' });
    const [block] = desk.write('agent', { op: 'add_block', page: plan!, text: 'Soon.' });
    await desk.get(inbox);
    const edit = async (id: string, text: string) =>
      desk.send('POST', `${inbox}/${id}/decision`, {
        act: 'edit',
        text,
        revision: (await itemOf(id)).revision,
      });
    expect(await edit(page, 'One.\n\nTwo, or three.\n')).toMatchObject({ status: 200 });
    expect(desk.world.read(page)).toMatchObject({
      lifecycle: 'Canonical',
      blocks: [{ lifecycle: 'Canonical' }, { lifecycle: 'Canonical', text: 'Two, or three.\n' }],
    });
    expect(await edit(block!, 'Later.\n')).toMatchObject({ status: 200 });
    expect(desk.world.block(block!)).toMatchObject({ lifecycle: 'Canonical' });
    for (const bad of [{ act: 'edit' }, { act: 'accept', text: 'x' }, { act: 'resolve' }])
      expect(await desk.send('POST', `${inbox}/${other}/decision`, { ...bad, revision: 1 })).toMatchObject({
        status: 400,
      });
  });

  it('accepts, keeps away or answers an edit that is held, and keeps the reason', async () => {
    const [plan] = desk.write('author', { op: 'create_page', path: 'Plan', text: 'Ship.\n' });
    const block = desk.world.read(plan!)!.blocks[0]!.id;
    const held = (text: string) => desk.write('agent', { op: 'update_block', block, text }).at(-1)!;
    const [a, b, c] = [held('A.\n'), held('B.\n'), held('C.\n')];
    await desk.get(inbox);
    const decide = async (id: string, body: object) =>
      desk.send('POST', `${inbox}/${id}/decision`, { revision: (await itemOf(id)).revision, ...body });
    expect(await decide(a, { act: 'reject', reason: 'not yet' })).toMatchObject({ status: 200 });
    expect(await decide(b, { act: 'accept' })).toMatchObject({ status: 200 });
    expect(await decide(c, { act: 'accept' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    expect((await itemOf(c)).conflicts).toHaveLength(1);
    expect(await decide(c, { act: 'edit', text: 'B and C.\n' })).toMatchObject({ status: 200 });
    expect(desk.world.read(plan!)!.blocks[0]!.text).toBe('B and C.\n');
    const { body } = await desk.get(`${inbox}/decisions`, 'reads');
    expect(body.items.map(({ act, item, reason, path }: Json) => [act, item, reason, path])).toEqual([
      ['edit', c, null, 'Plan'],
      ['accept', b, null, 'Plan'],
      ['reject', a, 'not yet', 'Plan'],
    ]);
    expect(desk.world.deviations({ status: 'dismissed' })).toMatchObject([
      { id: a, resolution: 'keep: not yet' },
    ]);
  });

  it('says what a held change rests on, before it is recorded with the text', async () => {
    const [source] = desk.write('author', { op: 'create_page', path: 'Source', text: 'Five.\n' });
    const [plan] = desk.write('author', { op: 'create_page', path: 'Plan', text: 'Ship.\n' });
    const [from, block] = [source, plan].map((page) => desk.world.read(page!)!.blocks[0]!.id);
    const held = { op: 'update_block', block: block!, text: 'Ship five.\n' } as const;
    const id = desk.write('agent', held, [from!]).at(-1)!;
    expect((await itemOf(id)).sources).toMatchObject([
      { id: from, path: 'Source', text: 'Five.\n', link_type: 'derived_from' },
    ]);
  });

  it('says what a flag is about, and takes the text that the author has for it instead', async () => {
    const [page] = desk.write('author', { op: 'create_page', path: 'Source', text: 'Five.\n' });
    const source = desk.world.read(page!)!.blocks[0]!.id;
    const [notes] = desk.write('author', { op: 'create_page', path: 'Notes', text: 'A head.\n\n' });
    const [about = ''] = desk.write('author', { op: 'add_block', page: notes!, text: 'Above five.' }, [
      source,
    ]);
    desk.write('author', { op: 'update_block', block: source, text: 'Four.\n' });
    const flags = async () =>
      (await desk.get(inbox)).body.items.filter(({ kind }: { kind: string }) => kind === 'flag');
    const flag = (await flags()).find(({ content_id }: { content_id: string }) => content_id === about)!;
    expect(flag).toMatchObject({
      text: expect.stringContaining('Above five.'),
      before: 'Five.\n',
      after: 'Four.\n',
    });
    const say = (body: object) =>
      desk.send('POST', `${inbox}/${flag.id}/decision`, { revision: flag.revision, ...body });
    expect(await say({ act: 'reject' })).toMatchObject({ status: 400 });
    const { status, body } = await say({ act: 'edit', text: 'Above four.\n' });
    expect(status).toBe(200);
    expect(desk.world.block(about)!.text).toContain('Above four.');
    const open = async () => (await flags()).map(({ id }: { id: string }) => id);
    expect(await open()).not.toContain(flag.id);
    expect(await desk.send('POST', '/workspaces/notes/undo', { write_id: body.write_id })).toMatchObject({
      status: 200,
    });
    expect(desk.world.block(about)!.text).toContain('Above five.');
    expect(await open()).toContain(flag.id);
  });

  it('clears a flag that was looked at', async () => {
    const [source] = desk.write('author', { op: 'create_page', path: 'Source', text: 'Facts.\n' });
    const [derived] = desk.write('author', { op: 'create_page', path: 'Derived', text: 'So.\n' }, [source!]);
    desk.write('author', { op: 'update_page', page: source!, text: 'Other facts.\n' });
    const [flag] = (await desk.get(inbox)).body.items;
    expect(flag).toMatchObject({ kind: 'flag', content_id: derived, by: null, text: 'So.\n' });
    const edit = { act: 'edit', text: 'Not so.\n', revision: flag.revision };
    expect(await desk.send('POST', `${inbox}/${flag.id}/decision`, edit)).toMatchObject({ status: 400 });
    const clear = (revision: number) =>
      desk.send('POST', `${inbox}/${flag.id}/decision`, { act: 'resolve', revision });
    expect(await clear(flag.revision + 1)).toMatchObject({ status: 409, body: { error: { code: 'stale' } } });
    expect(await clear(flag.revision)).toMatchObject({ status: 200 });
    expect(desk.world.inbox()).toEqual([]);
  });

  it('is decided many at once, each by itself', async () => {
    const ids = ['A', 'B', 'C'].map((path) => candidate(path));
    await desk.get(inbox);
    desk.write('agent', { op: 'update_page', page: ids[1]!, text: 'Changed.\n' });
    const { status, body } = await desk.send('POST', `${inbox}/decisions`, {
      decisions: [...ids, 'pg-none'].map((id) => ({ id, act: 'accept', revision: 1 })),
    });
    expect(status).toBe(200);
    expect(body.items.map(({ decided, error }: Json) => decided?.act ?? error.code)).toEqual([
      'accept',
      'stale',
      'accept',
      'not_found',
    ]);
  });

  it('a decision that is sent again with its key is done once', async () => {
    const id = candidate('New');
    await desk.get(inbox);
    const send = (act: string, key: string) =>
      desk.send('POST', `${inbox}/${id}/decision`, { act, revision: 1 }, { key });
    const first = await send('accept', 'k1');
    expect(first.status).toBe(200);
    expect(await send('accept', 'k1')).toEqual(first);
    expect(await send('reject', 'k1')).toMatchObject({ status: 409, body: { error: { code: 'run_state' } } });
    expect(await send('accept', 'k 1')).toMatchObject({ status: 400 });
    expect(desk.world.history(id).filter(({ op }) => op === 'promote')).toHaveLength(1);
  });
});

describe('pages', () => {
  const pages = '/workspaces/notes/pages';

  it('are read whole or by blocks, by id or path, with links and history', async () => {
    const [deep] = desk.write('author', {
      op: 'create_page',
      path: 'Deep/Plan',
      text: '# Plan\n\nSee [[Other]].\n',
    });
    desk.write('author', { op: 'create_page', path: 'Other', text: 'x\n' });
    for (const name of [deep!, encodeURIComponent('Deep/Plan')])
      expect(await desk.get(`${pages}/${name}`, 'reads')).toMatchObject({
        status: 200,
        body: { id: deep, path: 'Deep/Plan', text: '# Plan\n\nSee [[Other]].\n' },
      });
    const { body } = await desk.get(`${pages}/${deep}/blocks?limit=1`);
    expect(body.items).toMatchObject([{ kind: 'heading' }]);
    expect((await desk.get(`${pages}/${deep}/blocks?cursor=${body.next}`)).body).toMatchObject({
      items: [{ kind: 'paragraph' }],
      next: null,
    });
    expect((await desk.get(`${pages}/${deep}/links`)).body.links).toMatchObject([{ to_path: 'Other' }]);
    expect((await desk.get(`${pages}/Other/links`)).body.backlinks).toMatchObject([
      { from_path: 'Deep/Plan' },
    ]);
    expect((await desk.get(`${pages}/${deep}/history`)).body.items).toMatchObject([{ op: 'create_page' }]);
    const listed = (await desk.get(`${pages}?limit=1`)).body;
    expect(listed.items).toMatchObject([{ path: 'Deep/Plan' }]);
    expect((await desk.get(`${pages}?limit=1&cursor=${listed.next}`)).body).toMatchObject({
      items: [{ path: 'Other' }],
      next: null,
    });
  });

  it('are written by the author, and what another revision stands against waits', async () => {
    const made = await desk.send('POST', pages, { path: 'A/B', text: 'One.\n' });
    expect(made).toMatchObject({ status: 201, body: { path: 'A/B', revision: 1, applied: true } });
    const { page } = made.body;
    const save = (text: string, revision: number) =>
      desk.send('PATCH', `${pages}/${page}`, { text, revision });
    expect(await save('Two.\n', 1)).toMatchObject({ status: 200, body: { applied: true, revision: 2 } });
    expect(await save('Three.\n', 1)).toMatchObject({
      status: 200,
      body: { applied: false, deviations: [expect.any(String)] },
    });
    expect((await desk.send('POST', `${pages}/${page}/move`, { to: 'C' })).body).toMatchObject({ path: 'C' });
    expect(await desk.send('POST', pages, { path: 'C', text: 'x' })).toMatchObject({
      status: 400,
      body: { error: { details: { refusal: 'path_taken' } } },
    });
    expect(await desk.send('DELETE', `${pages}/${page}`, undefined)).toMatchObject({
      status: 200,
      body: { revision: null },
    });
    expect(await desk.get(`${pages}/${page}`)).toMatchObject({ status: 404 });
    for (const as of ['reads', 'operates'])
      expect(await desk.send('POST', pages, { path: 'D', text: 'x' }, { as })).toMatchObject({ status: 403 });
  });

  it('are found by the id of a block, and by that are only read', async () => {
    const [page] = desk.write('author', { op: 'create_page', path: 'Held', text: 'One.\n' });
    const block = desk.world.read(page!)!.blocks[0]!.id;
    expect(await desk.get(`${pages}/${block}`)).toMatchObject({ status: 200, body: { id: page } });
    expect(await desk.send('DELETE', `${pages}/${block}`, undefined)).toMatchObject({ status: 404 });
  });

  it('show secrets to their author, and marks to others', async () => {
    desk.write('author', { op: 'create_page', path: 'Key', text: 'hunter22secret\n' });
    expect((await desk.get(`${pages}/Key`)).body.text).toBe('hunter22secret\n');
    expect((await desk.get(`${pages}/Key`, 'reads')).body.text).toBe('[secret]\n');
  });
});

describe('search', () => {
  const found = async (query: string) => (await desk.get(`/workspaces/notes/search?${query}`)).body;

  it('narrows as on the command line', async () => {
    await found('q=ovens');
    await found('q=ovens&under=Bakery&tag=%23hot&view=canonical&wide=true&limit=5');
    expect(desk.searches).toMatchObject([
      { query: 'ovens', k: 51, view: 'all', wide: false },
      { query: 'ovens', k: 6, view: 'canonical', wide: true, under: 'Bakery', tag: 'hot' },
    ]);
    expect(Object.keys(desk.searches[0]!)).not.toContain('under');
  });

  it('is a list that says how each page was found, and whether all were searched', async () => {
    for (const path of ['A', 'B', 'C']) desk.write('author', { op: 'create_page', path, text: 'x\n' });
    const first = await found('q=x&limit=2');
    expect(first).toMatchObject({ completeness: 'complete', notes: [] });
    expect(first.items[0]).toMatchObject({ provenance: 'bm25', score: 1, found_in: 'text' });
    const second = await found(`q=x&limit=2&cursor=${first.next}`);
    expect([...first.items, ...second.items].map(({ path }) => path)).toEqual(['A', 'B', 'C']);
    expect(second.next).toBeNull();
  });
});

describe('runs', () => {
  it('are listed, the own ones of the person for whom they are', async () => {
    await desk.run('turn', researchEvents);
    await desk.run('asked', researchEvents, desk.own);
    const ids = async (as: string) =>
      (await desk.get('/runs', as)).body.items.map(({ id }: Json) => id).sort();
    expect(await ids('reads')).toEqual(['turn']);
    expect(await ids('decides')).toEqual(['asked', 'turn']);
    expect(await desk.get('/runs/asked', 'reads')).toMatchObject({ status: 404 });
    expect(await desk.get('/runs/tur')).toMatchObject({ status: 404 });
  });

  it('say in the list what their answers are worth, what they cost, and which wait for an answer', async () => {
    const listed = async () =>
      (await desk.get('/runs')).body.items.map(({ id, state, status, verdict, spent }: Json) => [
        ...[id, state, status, verdict, spent.tokens ?? null],
      ]);
    await desk.run('whole', researchEvents);
    await desk.run('half', researchEvents.slice(0, 4));
    await desk.run('burnt', incidentEvents);
    await desk.send('POST', '/threads', { id: 'asking' });
    await desk.send('POST', '/threads/asking/messages', { text: 'ask me' });
    await expect.poll(async () => (await desk.get('/threads/asking')).body.state).toBe('interrupted');
    await desk.store.runs.create({
      ...{ id: 'left', shape: 'turn', question: 'ask me', root: '/', params: { thread: 'gone' } },
    });
    const turn = (await desk.get('/threads/asking')).body.last_run;
    expect((await listed()).toSorted(([a]: Json, [b]: Json) => (a < b ? -1 : 1))).toEqual([
      ['burnt', 'finished', expect.any(String), 'state', expect.any(Number)],
      ['half', 'interrupted', null, null, null],
      ['left', 'interrupted', null, null, null],
      [turn, 'waiting', null, null, expect.any(Number)],
      ['whole', 'finished', 'verified', null, expect.any(Number)],
    ]);
    await desk.send('POST', '/threads/asking/drop', undefined);
    await expect
      .poll(async () => (await listed()).find(([id]: readonly string[]) => id === turn)?.[1])
      .toBe('finished');
  });

  it('are read down to the line', async () => {
    await desk.run('r', researchEvents);
    expect((await desk.get('/runs/r', 'reads')).body).toMatchObject({
      state: 'finished',
      status: 'verified',
      claims: 1,
      evidence: 1,
      last_event: researchEvents.length,
      limits: { tokens: 1000 },
    });
    const { items } = (await desk.get('/runs/r/tree')).body;
    expect(items.map(({ kind, parent, outcome }: Json) => [kind, parent, outcome])).toEqual([
      ['run', null, 'verified'],
      ['step', 'run', null],
      ['call', 'step:1', 'ok'],
      ['action', 'step:1', 'ok'],
    ]);
    const { claims } = (await desk.get('/runs/r/claims')).body;
    expect((await desk.get(`/runs/r/evidence/${claims[0].evidence[0]}`)).body).toMatchObject({
      file_path: 'a.ts',
      start_line: 1,
      content: 'one\ntwo',
      status: 'valid',
    });
    expect((await desk.get(`/runs/r/calls/${encodeURIComponent('step-1/model-1')}`)).body).toMatchObject({
      text: 'look',
    });
    const report = await desk.ask('/runs/r/artifacts/report.md');
    expect([report.headers.get('content-type'), await report.text()]).toEqual([
      'text/markdown; charset=utf-8',
      expect.stringContaining('It is one'),
    ]);
    expect(await desk.get('/runs/r/artifacts/other')).toMatchObject({ status: 400 });
  });
});

/** Ids of what a stream gave until it ended, or until there are so many. */
async function idsOf(response: Response, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const ids: string[] = [];
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (ids.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    const pieces = text.split('\n\n');
    text = pieces.pop()!;
    ids.push(...pieces.flatMap((piece) => /^id: ([\d-]+)$/m.exec(piece)?.[1] ?? []));
  }
  await reader.cancel();
  return ids.slice(0, count);
}

describe('events', () => {
  it('of a run come once each, whenever a reader comes again', async () => {
    const total = 200;
    const note = (n: number) => ({ kind: 'note', level: 'info', text: `${n}` }) as const;
    await desk.store.runs.create({ id: 'r', shape: 'research', question: 'Why?', root: '/', params: {} });
    const lease = await desk.store.runs.acquire('r');
    const log = desk.store.log(lease);
    let written = 0;
    const seen: string[] = [];
    let last = '0';
    while (seen.length < total) {
      for (let n = 0; n < 7 && written < total; n += 1) log.append(`e${written}`, note(written++));
      await desk.store.commit(lease);
      const stream = await desk.ask('/runs/r/events', { headers: { 'last-event-id': last } });
      // Each time it leaves in the middle of what is there.
      const ids = await idsOf(stream, Math.min(3, written - seen.length));
      seen.push(...ids);
      last = ids.at(-1) ?? last;
    }
    await lease.release();
    expect(seen).toEqual(Array.from({ length: total }, (_, n) => String(n + 1)));
  });

  it('of a run that has ended end', async () => {
    await desk.run('r', researchEvents);
    const stream = await desk.ask('/runs/r/events');
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(await idsOf(stream)).toHaveLength(researchEvents.length);
    const again = await desk.ask('/runs/r/events', {
      headers: { 'last-event-id': String(researchEvents.length) },
    });
    expect(await again.text()).toContain('event: end');
    await desk.store.runs.prune('r');
    expect((await desk.ask('/runs/r/events', { headers: { 'last-event-id': '3' } })).status).toBe(410);
    expect((await desk.ask('/runs/r/events', { headers: { 'last-event-id': 'x' } })).status).toBe(400);
  });

  it('of the workspace come as they are written', async () => {
    candidate('Before');
    const head = desk.world.head();
    const stream = await desk.ask('/events', { as: 'reads' });
    candidate('After');
    candidate('Later');
    expect(await idsOf(stream, 2)).toEqual([`${head + 1}-0`, `${head + 2}-0`]);
    const replayed = await desk.ask('/events', { headers: { 'last-event-id': '0' } });
    expect(await idsOf(replayed, head + 2)).toHaveLength(head + 2);
    for (const [id, status] of [
      ['999', 410],
      ['0-999', 410],
      ['x', 400],
    ] as const)
      expect((await desk.ask('/events', { headers: { 'last-event-id': id } })).status).toBe(status);
  });

  it('end for whose token was taken away', async () => {
    const stream = await desk.ask('/events', { as: 'reads' });
    desk.tokens.delete('reads');
    expect(await idsOf(stream)).toEqual([]);
  });

  it.each([
    ['role', { allow: 'read-only', team: 'red' }],
    ['team', { allow: 'operator', team: 'blue' }],
  ] as const)('end for whose %s has changed', async (_, now) => {
    const person = { name: 'ann', author: false };
    desk.tokens.set('ann', { ...person, allow: 'operator', team: 'red' });
    const stream = await desk.ask('/events', { as: 'ann' });
    desk.tokens.set('ann', { ...person, ...now });
    expect(await idsOf(stream)).toEqual([]);
  });
});
