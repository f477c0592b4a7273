/** Keeping the house in a browser: pages begun, moved, deleted; schedules, memory, tokens, what may go. By keys. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, missingBrowserReason, openBrowser } from './browser.contract.ts';

describe.skipIf(missingBrowserReason !== null)('keeping the house', () => {
  let browser: Browser;
  let page: Page;
  const goTo = async (place: string, title: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await page.locator('main .loading').first().waitFor({ state: 'detached' });
  };
  const dialog = () => page.getByRole('dialog');
  const closed = () => dialog().waitFor({ state: 'detached' });

  /** A window of somebody with another role. */
  async function lent(as: string, use: (other: Page) => Promise<void>): Promise<void> {
    const context = await browser.context();
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${as}` });
    const other = await context.newPage();
    await other.goto(browser.address);
    await other.locator('.shell').waitFor();
    await use(other);
    await context.close();
  }

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.window();
  });
  afterAll(() => browser?.close());

  describe('pages', () => {
    it('one is begun, moved with its links, deleted after what hangs on it was told, and restored: by keys', async () => {
      const { world } = browser.desk;
      await goTo('#/pages', 'Pages');
      await page.keyboard.press('n');
      await dialog().waitFor();
      await page.keyboard.type('Plans/Oven');
      await page.keyboard.press('Tab');
      await page.keyboard.type('# Oven\n\nBuy one.');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('heading', { level: 1, name: 'Oven' }).waitFor();
      const made = world.page('Plans/Oven')!;
      expect([made.origin, made.lifecycle]).toEqual(['Authored', 'Canonical']);

      browser.desk.write('author', { op: 'create_page', path: 'Shop', text: 'See [[Plans/Oven]].\n' });
      const block = world.read(made.id, 'canonical')!.blocks.find(({ text }) => text.includes('Buy'))!;
      browser.desk.write('agent', { op: 'create_page', path: 'Costs', text: 'It costs.\n' }, [block.id]);

      await page.keyboard.press('m');
      await dialog().getByText('Shop').waitFor();
      await dialog().getByLabel('Its new path').fill('Plans/Stove');
      await page.keyboard.press('Enter');
      await closed();
      await expect.poll(() => world.page(made.id)?.path).toBe('Plans/Stove');
      const leads = world.links(world.page('Shop')!.id).map(({ to }) => to);
      expect(leads).toEqual([made.id]);

      await page.locator('.path-line', { hasText: 'Plans/Stove' }).waitFor();
      await page.keyboard.press('d');
      await dialog().getByText('Their links will lead nowhere').waitFor();
      await dialog().getByRole('link', { name: 'Shop' }).waitFor();
      await dialog().getByText('They rest on it').waitFor();
      await dialog().getByRole('link', { name: 'Costs' }).waitFor();
      expect(world.page(made.id)?.deleted).toBe(false);
      await page.keyboard.press('Enter');
      await page.getByText('This page was deleted.').waitFor();
      expect(await page.locator('main h1').innerText()).not.toMatch(/^pg-/);
      expect(world.page(made.id)?.deleted).toBe(true);

      await page.keyboard.press('u');
      await page.locator('.block', { hasText: 'Buy one.' }).waitFor();
      expect(world.page(made.id)?.deleted).toBe(false);
    });

    it('deleting says that it is stale where somebody wrote meanwhile, and deletes nothing', async () => {
      const { world } = browser.desk;
      const id = world.page('Shop')!.id;
      await page.evaluate(`location.hash = '#/pages/${id}'`);
      await page.locator('.block', { hasText: 'See' }).waitFor();
      await page.keyboard.press('d');
      await dialog().getByText('No page leads to it.').waitFor();
      browser.desk.write('author', { op: 'update_page', page: id, text: 'See nothing.\n' });
      await dialog()
        .getByRole('button', { name: /Delete it/ })
        .click();
      await dialog().getByText('stale', { exact: true }).waitFor();
      expect(world.page(id)?.deleted).toBe(false);
      await page.keyboard.press('Escape');
      await closed();
    });

    it('a path that is taken is told, and the dialog stays with what was typed', async () => {
      await goTo('#/pages', 'Pages');
      await page.keyboard.press('n');
      await dialog().waitFor();
      await page.keyboard.type('Shop');
      await page.keyboard.press('Enter');
      await dialog().getByRole('alert').waitFor();
      expect(await dialog().getByLabel('Path').inputValue()).toBe('Shop');
      await page.keyboard.press('Escape');
      await closed();
    });

    it('one that was deleted is found in the list of those, and restored from there', async () => {
      const { world } = browser.desk;
      const id = world.page('Shop')!.id;
      browser.desk.write('author', { op: 'delete_page', page: id });
      await goTo('#/pages', 'Pages');
      await page.getByRole('link', { name: 'Deleted ones' }).click();
      await page.getByRole('button', { name: 'Restore Shop' }).click();
      await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
      expect(world.page(id)?.deleted).toBe(false);
    });

    it('says that the server is away, keeps what was typed, and saves once it is back', async () => {
      await goTo('#/pages', 'Pages');
      await page.keyboard.press('n');
      await dialog().waitFor();
      await page.keyboard.type('Later');
      await browser.stop();
      await page.keyboard.press('Enter');
      await dialog().getByText('The server does not answer').waitFor();
      await browser.start();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Later' }).waitFor();
      expect(browser.desk.world.page('Later')?.deleted).toBe(false);
    });
  });

  describe('schedules', () => {
    const all = () => browser.desk.sessions.schedules.list();
    it('one is tried out, added, started, switched off and removed', async () => {
      await goTo('#/schedules', 'Schedules');
      await page.keyboard.press('n');
      await dialog().waitFor();
      await page.keyboard.type('nightly');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Say good night.');
      await dialog().getByRole('button', { name: 'Try it out' }).press('Enter');
      await dialog()
        .getByText(/In the last seven days it would have come up/)
        .waitFor();
      expect(await all()).toEqual([]);
      await dialog().getByLabel('Minute, hour, day, month, day of the week').fill('soon');
      await page.keyboard.press('Enter');
      await dialog().getByRole('alert').waitFor();
      await dialog().getByLabel('Minute, hour, day, month, day of the week').fill('0 3 * * *');
      await page.keyboard.press('Enter');
      await closed();
      await page.getByText('nightly is added, and on.').waitFor();
      expect((await all()).map(({ id, enabled }) => [id, enabled])).toEqual([['nightly', true]]);

      await page.getByRole('button', { name: 'Switch off nightly' }).press('Enter');
      await page.getByRole('button', { name: 'Switch on nightly' }).waitFor();
      expect((await all())[0]?.enabled).toBe(false);

      await page.getByRole('button', { name: 'Run now: nightly' }).press('Enter');
      await page.locator('.said-by.agent', { hasText: 'heard: Say good night.' }).waitFor();

      await goTo('#/schedules', 'Schedules');
      await page.getByRole('button', { name: 'Remove nightly' }).press('Enter');
      await dialog()
        .getByRole('button', { name: /Remove it/ })
        .press('Enter');
      await closed();
      await page.getByText('Nothing starts by itself').waitFor();
      expect(await all()).toEqual([]);
    });

    it('one that comes ready is switched on', async () => {
      await goTo('#/schedules', 'Schedules');
      await page.getByRole('button', { name: 'Switch on morning-digest' }).click();
      await page.getByRole('button', { name: 'Switch off morning-digest' }).waitFor();
      expect((await all()).map(({ id }) => id)).toEqual(['morning-digest']);
    });
  });

  it('memory is put, forgotten, erased after what would go was shown', async () => {
    const { memory } = browser.desk;
    const keys = () => memory.listAll({}).map(({ key }) => key);
    await goTo('#/memory', 'Memory');
    for (const [key, text] of [
      ['tone', 'Short.'],
      ['tea', 'Green tea.'],
      ['cake', 'Apple cake.'],
    ] as const) {
      await page.keyboard.press('n');
      await dialog().waitFor();
      await page.keyboard.type(key);
      await page.keyboard.press('Tab');
      await page.keyboard.type(text);
      await page.keyboard.press('Control+Enter');
      await closed();
      await page.locator('.lines').getByText(text).waitFor();
    }
    await page.getByRole('button', { name: 'Forget tone' }).press('Enter');
    await dialog()
      .getByRole('button', { name: /Forget it/ })
      .press('Enter');
    await closed();
    await expect.poll(keys).not.toContain('tone');
    await page.keyboard.press('x');
    await dialog().waitFor();
    await page.keyboard.type('green');
    await dialog().getByRole('button', { name: 'Erase 1' }).waitFor();
    await page.keyboard.press('Enter');
    await closed();
    await page.getByText(/1 deleted\./).waitFor();
    expect(keys()).toEqual(['cake']);
  });

  it('a token is made, shown once, opens the server, and opens nothing once it was revoked', async () => {
    const { desk } = browser;
    await goTo('#/settings/tokens', 'Settings');
    await page.keyboard.press('n');
    await dialog().waitFor();
    await page.keyboard.type('ann');
    await page.keyboard.press('Enter');
    const shown = page.getByRole('textbox', { name: 'Token' });
    await shown.waitFor();
    const token = await shown.inputValue();
    expect((await desk.get('/session', token)).body).toMatchObject({ role: 'reader', name: 'ann' });
    await page.keyboard.press('Escape');
    await closed();
    await page.getByRole('button', { name: 'Revoke ann' }).waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByRole('button', { name: 'Revoke ann' }).press('Enter');
    await dialog()
      .getByRole('button', { name: /Revoke it/ })
      .press('Enter');
    await closed();
    await page.getByRole('button', { name: 'Revoke ann' }).waitFor({ state: 'detached' });
    expect((await desk.get('/session', token)).status).toBe(401);
  });

  it('what may go is shown before it goes', async () => {
    await goTo('#/settings/prune', 'Settings');
    await page.getByLabel('Unused for at least').fill('ever');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Unused for at least').fill('12h');
    await page.keyboard.press('Enter');
    await page.getByText('How bread runs out').waitFor();
    expect(browser.desk.prunes.map(({ remove }) => remove)).toEqual([false]);
    await page.getByRole('button', { name: 'Remove these' }).press('Enter');
    await dialog()
      .getByRole('button', { name: /Remove them/ })
      .press('Enter');
    await closed();
    await page.getByText(/were removed/).waitFor();
    expect(browser.desk.prunes.map(({ remove }) => remove)).toEqual([false, true]);
  });

  describe('the inbox', () => {
    it('has memory that waits: taken in and dropped by one key each', async () => {
      const { memory } = browser.desk;
      const by = { writer: 'agent planner', idempotencyKey: null, origins: ['https://example.org'] };
      const view = memory.viewFrom({ thread: null, channel: null });
      for (const key of ['one', 'two']) view.put({ tier: 'account', key, text: `Text of ${key}.` }, by);
      await page.evaluate(`location.hash = '#/inbox'`);
      await page.reload();
      await page.locator('.gist', { hasText: 'Text of one.' }).click();
      await page.locator('.item .source', { hasText: 'Text of one.' }).waitFor();
      await page.keyboard.press('a');
      await page.locator('.gist', { hasText: 'Text of one.' }).waitFor({ state: 'detached' });
      await page.locator('.gist', { hasText: 'Text of two.' }).click();
      await page.locator('.item .source', { hasText: 'Text of two.' }).waitFor();
      await page.keyboard.press('r');
      await page.locator('.gist', { hasText: 'Text of two.' }).waitFor({ state: 'detached' });
      const account = () => memory.listAll({ tier: 'account' }).map(({ key, held }) => [key, held]);
      await expect.poll(account).toEqual([['one', false]]);
    });

    it('has a question as soon as it is asked, and it is answered there', async () => {
      const { desk } = browser;
      await page.evaluate(`location.hash = '#/inbox'`);
      desk.sessions.threads.create({ id: 'which', title: 'Which oven', channel: null });
      await desk.send('POST', '/threads/which/messages', { text: 'ask me' });
      await page.locator('.gist', { hasText: 'Which oven' }).click();
      await page.locator('.question').getByText('Which one?').waitFor();
      await page.keyboard.press('i');
      await page.keyboard.type('The deck oven.');
      await page.keyboard.press('Enter');
      await page.locator('.gist', { hasText: 'Which oven' }).waitFor({ state: 'detached' });
      await expect.poll(async () => (await desk.get('/threads/which')).body.state).toBe('idle');
    });
  });

  it.each([
    ['reads', ['#/pages', '#/schedules'], /Delete|Move|New|Run now|Switch|Remove/],
    ['operates', ['#/pages'], /Delete|Move|New/],
  ] as const)('a token that %s sees no button that would be refused', async (as, places, refused) => {
    const [first] = browser.desk.world.pages({ limit: 1 });
    await lent(as, async (other) => {
      for (const place of [...places, `#/pages/${first!.id}`]) {
        await other.evaluate(`location.hash = ${JSON.stringify(place)}`);
        await other.locator('main h1').waitFor();
        await other.locator('main .loading').first().waitFor({ state: 'detached' });
        expect(await other.locator('main').getByRole('button', { name: refused }).count()).toBe(0);
      }
    });
  });

  it('an operator is offered no token that may more, and revokes none of the author', async () => {
    await browser.desk.send('POST', '/tokens', { name: 'vera', role: 'author' });
    await browser.desk.send('POST', '/tokens', { name: 'eye', role: 'reader' });
    await lent('operates', async (other) => {
      await other.evaluate(`location.hash = '#/settings/tokens'`);
      await other.getByRole('button', { name: 'Revoke eye' }).waitFor();
      expect(await other.getByRole('button', { name: 'Revoke vera' }).count()).toBe(0);
      await other.keyboard.press('n');
      const choices = await other.getByLabel('Who it is for').locator('option').allTextContents();
      expect(choices.map((one) => one.split(':')[0])).toEqual([
        'A person who reads',
        'An operator',
        'A program with tools that read',
        'Whoever sends alerts',
      ]);
    });
  });

  it('asks nobody else, and nothing in it fails', () => {
    expect(browser.foreignRequests).toEqual([]);
    expect(browser.pageErrors).toEqual([]);
  });
});
