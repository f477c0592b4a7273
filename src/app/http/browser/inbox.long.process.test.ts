/** The inbox in a browser: decided by keys, with what happened meanwhile elsewhere. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, missingBrowserReason, openBrowser } from './browser.contract.ts';

describe.skipIf(missingBrowserReason !== null)('the inbox', () => {
  let browser: Browser;
  let page: Page;
  const waiting = () => browser.desk.world.inbox(1_000);
  const heading = () => page.locator('.inbox-list h1');

  beforeAll(async () => {
    browser = await openBrowser();
    const { desk } = browser;
    desk.write('author', { op: 'create_page', path: 'Plan', text: '# Plan\n\nShip on **Friday**.\n' });
    for (let n = 1; n <= 14; n += 1)
      desk.write('agent', {
        op: 'create_page',
        path: `Notes/${String(n).padStart(2, '0')}`,
        text: `# Note ${n}\n\nSay *${n}*.\n`,
      });
    page = await browser.window();
  });
  afterAll(() => browser?.close());

  /** The text of the item that is shown, once it is the one that the server has first. */
  async function shown(): Promise<{ readonly id: string; readonly number: string }> {
    const [first] = waiting();
    await page.locator(`.group a[aria-current="true"][href="#/inbox/${first!.id}"]`).waitFor();
    const number = /Note (\d+)/.exec(first!.after!)![1]!;
    await page.locator('.item').getByText(`Note ${number}`, { exact: true }).waitFor();
    expect(await page.locator('.item .material em').textContent()).toBe(number);
    return { id: first!.id, number };
  }
  const untilDecided = (id: string): Promise<void> =>
    expect.poll(() => waiting().map((item) => item.id)).not.toContain(id);

  it('decides ten candidates one by one, each shown whole, by ten keys', async () => {
    for (let n = 0; n < 10; n += 1) {
      const { id } = await shown();
      await page.keyboard.press('a');
      await untilDecided(id);
    }
    expect(waiting().length).toBe(4);
    expect(browser.desk.world.pages({ view: 'canonical', under: 'Notes' }).length).toBe(10);
    await expect.poll(() => heading().textContent()).toContain('4');
  });

  it('edits, then accepts; rejects with a reason that is kept', async () => {
    const edited = await shown();
    await page.keyboard.press('e');
    await page.getByLabel('What is to stand, in your words').fill('# Mine\n\nIn my words.\n');
    await page.keyboard.press('Control+Enter');
    await untilDecided(edited.id);
    expect(browser.desk.world.read(edited.id, 'canonical')?.blocks.map(({ text }) => text)).toContain(
      'In my words.\n',
    );
    const rejected = await shown();
    await page.keyboard.press('r');
    await page.keyboard.type('We know that.');
    await page.keyboard.press('Enter');
    await untilDecided(rejected.id);
    const { body } = await browser.desk.get('/workspaces/notes/inbox/decisions');
    expect(body.items[0]).toMatchObject({ act: 'reject', reason: 'We know that.', item: rejected.id });
  });

  it('says what became of an item that changed meanwhile, and takes the next decision', async () => {
    const { id } = await shown();
    const block = browser.desk.world.read(id, 'all')!.blocks.at(-1)!;
    await page.route(
      '**/decision',
      async (route) => {
        const text = 'It was changed behind the back.';
        browser.desk.write('agent', { op: 'update_block', block: block.id, text });
        await route.continue();
      },
      { times: 1 },
    );
    await page.keyboard.press('a');
    await page.getByRole('alert').getByText('stale', { exact: true }).waitFor();
    expect(waiting().map((item) => item.id)).toContain(id);
    await page.locator('.item .material').getByText('It was changed behind the back.').waitFor();
    await page.keyboard.press('a');
    await untilDecided(id);
  });

  it('takes the last decision back', async () => {
    const [id = ''] = browser.desk.write('agent', {
      op: 'create_page',
      path: 'Regretted',
      text: 'Too soon.\n',
    });
    await page.locator('.gist', { hasText: 'Too soon.' }).click();
    await page.locator('.item .material').getByText('Too soon.').waitFor();
    await page
      .locator('.item')
      .focus()
      .catch(() => {});
    await page.keyboard.press('a');
    await untilDecided(id);
    await page.getByRole('button', { name: /Undo/ }).waitFor();
    await page.keyboard.press('u');
    await expect.poll(() => waiting().map((item) => item.id)).toContain(id);
    await page.locator('.gist', { hasText: 'Too soon.' }).waitFor();
    await page.locator('.item .material').getByText('Too soon.').waitFor();
    await page.keyboard.press('a');
    await untilDecided(id);
  });

  it('takes back one decision after the other', async () => {
    const ids = ['Rashly', 'Rasher'].map((path) => {
      const [id = ''] = browser.desk.write('agent', { op: 'create_page', path, text: `${path} said.\n` });
      return id;
    });
    const accept = async (n: number): Promise<void> => {
      const text = `${['Rashly', 'Rasher'][n]} said.`;
      await page.locator('.gist', { hasText: text }).click();
      await page.locator('.item .material').getByText(text).waitFor();
      await page.keyboard.press('a');
      await untilDecided(ids[n]!);
    };
    await accept(0);
    await accept(1);
    for (const id of ids.toReversed()) {
      await page.getByRole('button', { name: /Undo/ }).waitFor();
      await page.keyboard.press('u');
      await expect.poll(() => waiting().map((item) => item.id)).toContain(id);
    }
    await accept(0);
    await accept(1);
  });

  it('finds again what was decided, and takes back any of it that nothing has changed since', async () => {
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'Decided' }).waitFor();
    const row = page.locator('.lines li', { hasText: 'Rashly said.' }).first();
    await row.getByText('Accepted', { exact: true }).waitFor();
    await row.getByText('vera').waitFor();
    await page.locator('.lines li', { hasText: 'Why: We know that.' }).getByText('Rejected').waitFor();
    await row.getByRole('button', { name: 'Undo: Accepted Rashly' }).focus();
    await page.keyboard.press('Enter');
    await row.getByText('Taken back', { exact: true }).waitFor();
    expect(waiting().some(({ path }) => path === 'Rashly')).toBe(true);
    // The last that stands, by its key.
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('u');
    await expect.poll(() => waiting().some(({ path }) => path === 'Rasher')).toBe(true);
    await page.keyboard.press('b');
    for (const name of ['Rashly', 'Rasher']) {
      await page.locator('.gist', { hasText: `${name} said.` }).click();
      await page.locator('.item .material').getByText(`${name} said.`).waitFor();
      await page.keyboard.press('a');
      await expect.poll(() => waiting().some(({ path }) => path === name)).toBe(false);
    }
  });

  it('decides many at once, and keeps the one that changed meanwhile', async () => {
    const ids = ['A', 'B', 'C'].map(
      (name) =>
        browser.desk.write('agent', {
          op: 'create_page',
          path: `Many/${name}`,
          text: `Of many ${name}.\n`,
        })[0]!,
    );
    for (const name of ['A', 'B', 'C']) {
      await page.locator('.gist', { hasText: `Of many ${name}.` }).click();
      await page.locator('.item .material').getByText(`Of many ${name}.`).waitFor();
      await page.keyboard.press('x');
    }
    await page.getByRole('button', { name: /Accept 3 chosen/ }).waitFor();
    await page.route(
      '**/decisions',
      async (route) => {
        const block = browser.desk.world.read(ids[1]!, 'all')!.blocks[0]!;
        browser.desk.write('agent', { op: 'update_block', block: block.id, text: 'Of many, changed.' });
        await route.continue();
      },
      { times: 1 },
    );
    const sent = page.waitForRequest('**/decisions');
    await page.keyboard.press('a');
    expect((await sent).postDataJSON()).toMatchObject({ decisions: [{}, {}, {}] });
    await untilDecided(ids[0]!);
    await untilDecided(ids[2]!);
    expect(waiting().map((item) => item.id)).toContain(ids[1]);
    await page.locator('.gist', { hasText: 'Of many, changed.' }).click();
    await page.getByRole('alert').getByText('stale', { exact: true }).waitFor();
    await page.getByRole('button', { name: /Accept 1 chosen/ }).waitFor();
    await page.keyboard.press('a');
    await untilDecided(ids[1]!);
  });

  it('one that changes after it was chosen is refused, although the list shows it as it is now', async () => {
    const [id] = browser.desk.write('agent', { op: 'create_page', path: 'Early', text: 'Chosen early.\n' });
    await page.locator('.gist', { hasText: 'Chosen early.' }).click();
    await page.locator('.item .material').getByText('Chosen early.').waitFor();
    await page.keyboard.press('x');
    await page.getByRole('button', { name: /Accept 1 chosen/ }).waitFor();
    const block = browser.desk.world.read(id!, 'all')!.blocks[0]!;
    browser.desk.write('agent', { op: 'update_block', block: block.id, text: 'Something else.' });
    await page.locator('.gist', { hasText: 'Something else.' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('alert').getByText('stale', { exact: true }).waitFor();
    expect(waiting().map((item) => item.id)).toContain(id);
    await page.keyboard.press('a');
    await untilDecided(id!);
  });

  it('two windows of a browser see the same', async () => {
    const other = await browser.window({ in: page.context() });
    browser.desk.write('agent', { op: 'create_page', path: 'Two', text: 'Seen in both.\n' });
    for (const one of [page, other]) await one.locator('.gist', { hasText: 'Seen in both.' }).waitFor();
    browser.desk.write('agent', { op: 'create_page', path: 'Three', text: 'Seen in both, too.\n' });
    for (const one of [page, other]) await one.locator('.gist', { hasText: 'Seen in both, too.' }).waitFor();
    await other.close();
  });

  it('goes on after the server was away', async () => {
    await browser.stop();
    await page.getByText('No server: trying again').waitFor();
    browser.desk.write('agent', { op: 'create_page', path: 'Meanwhile', text: 'Written meanwhile.\n' });
    await browser.start();
    await page.locator('.gist', { hasText: 'Written meanwhile.' }).waitFor();
  });

  it('a window whose token was revoked is told so', async () => {
    const { desk } = browser;
    desk.tokens.set('lent', desk.tokens.get('decides')!);
    const context = await browser.context();
    await context.setExtraHTTPHeaders({ authorization: 'Bearer lent' });
    const lent = await context.newPage();
    await lent.goto(browser.address);
    await lent.locator('.inbox-list').waitFor();
    await lent.getByText('Live', { exact: true }).waitFor();
    desk.tokens.delete('lent');
    await lent.getByText('This window is not let in').waitFor();
    await context.close();
  });

  it('asks nobody else, and nothing in it fails', () => {
    expect(browser.foreignRequests).toEqual([]);
    expect(browser.pageErrors).toEqual([]);
  });
});
