/** Pages in a browser: what waits stands at its place, with where it comes from; an older text stands again. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, missingBrowserReason, openBrowser } from './browser.contract.ts';

describe.skipIf(missingBrowserReason !== null)('a page', () => {
  let browser: Browser;
  let page: Page;
  let id = '';
  const blocks = () => browser.desk.world.read(id, 'all')!.blocks;
  const textOf = (part: string): string | undefined => blocks().find(({ text }) => text.includes(part))?.text;
  const inbox = () => browser.desk.world.inbox(100);
  const held = (text: string) => page.locator('.blocks .held', { hasText: text });

  beforeAll(async () => {
    browser = await openBrowser();
    const { desk } = browser;
    [id = ''] = desk.write('author', {
      op: 'create_page',
      path: 'Ovens',
      text: '# Ovens\n\nIt holds 210 degrees.\n\nIt has one door.\n',
    });
    page = await browser.window({ at: `#/pages/${id}` });
    await page.locator('.blocks').getByText('It holds 210 degrees.').waitFor();
  });
  afterAll(() => browser?.close());

  it('shows a held change at its block, and takes the decision there', async () => {
    const block = blocks().find(({ text }) => text.includes('210'))!;
    browser.desk.write('agent', { op: 'update_block', block: block.id, text: 'It holds 230 degrees.' });
    await held('230').waitFor();
    await page.getByText('1 to decide').waitFor();
    await held('230').getByRole('button', { name: 'Accept' }).focus();
    await page.keyboard.press('Enter');
    await held('230').waitFor({ state: 'detached' });
    expect(textOf('holds')?.trim()).toBe('It holds 230 degrees.');
    expect(inbox()).toEqual([]);
  });

  it('shows a candidate among the text, and that it changed before it was decided', async () => {
    browser.desk.write('agent', { op: 'add_block', page: id, text: 'It is cleaned on Mondays.' } as never);
    await held('New').waitFor();
    const block = blocks().find(({ text }) => text.includes('Mondays'))!;
    await page.route(
      '**/decision',
      async (route) => {
        browser.desk.write('agent', {
          op: 'update_block',
          block: block.id,
          text: 'It is cleaned on Sundays.',
        });
        await route.continue();
      },
      { times: 1 },
    );
    await held('New').getByRole('button', { name: 'Accept' }).click();
    await held('New').getByRole('alert').getByText('stale', { exact: true }).waitFor();
    await page.locator('.blocks').getByText('It is cleaned on Sundays.').waitFor();
    expect(inbox()).toHaveLength(1);
    await held('New').getByRole('button', { name: 'Reject' }).click();
    await expect.poll(() => inbox().length).toBe(0);
    await page.locator('.blocks').getByText('It is cleaned on Sundays.').waitFor({ state: 'detached' });
  });

  it('shows what it rests on, what rests on it, and how a source has changed', async () => {
    const { desk } = browser;
    const door = blocks().find(({ text }) => text.includes('door'))!;
    const [plan = ''] = desk.write(
      'agent',
      { op: 'create_page', path: 'Plan', text: 'One batch at a time.\n' },
      [door.id],
    );
    desk.world.shown('vera', inbox());
    desk.write('author', { op: 'promote', content: plan });
    await page.locator('.blocks').getByRole('link', { name: '1 rests on it' }).click();
    await page.locator('.tie', { hasText: 'It has one door.' }).getByRole('link', { name: 'Plan' }).waitFor();
    desk.write('author', { op: 'update_block', block: door.id, text: 'It has two doors.' });
    await page.evaluate(`location.hash = '#/pages/${plan}/provenance'`);
    const flag = page.locator('.held', { hasText: 'What it rests on was changed' }).first();
    await flag.getByText('Source before').waitFor();
    await flag.locator('del', { hasText: 'one' }).waitFor();
    await flag.locator('ins', { hasText: 'two' }).waitFor();
    await flag.getByRole('button', { name: 'Still right' }).click();
    await expect.poll(() => inbox().length).toBe(0);
    await flag.waitFor({ state: 'detached' });
  });

  it('stands again as it was, as a change of the author', async () => {
    await page.evaluate(`location.hash = '#/pages/${id}/history'`);
    const first = page.locator('.history > li').last();
    await first.getByText('create page').waitFor();
    await first.getByRole('button', { name: 'Put back as it was here' }).focus();
    await page.keyboard.press('Enter');
    await first.getByText('It stands again, as a change of yours.').waitFor();
    expect([textOf('holds')?.trim(), textOf('door')?.trim()]).toEqual([
      'It holds 210 degrees.',
      'It has one door.',
    ]);
    await page.evaluate(`location.hash = '#/pages/${id}'`);
    await page.locator('.blocks').getByText('It holds 210 degrees.').waitFor();
  });

  it('is found by an id that stands in a text, at its block', async () => {
    const door = blocks().find(({ text }) => text.includes('door'))!;
    browser.desk.write('author', { op: 'add_block', page: id, text: `It rests on ${door.id}.` } as never);
    await page.locator('.blocks').getByText('It rests on').getByRole('link', { name: 'block' }).click();
    await expect.poll(() => page.evaluate('location.hash')).toBe(`#/pages/${id}/${door.id}`);
  });

  it('asks nobody else, and nothing in it fails', () => {
    expect(browser.foreignRequests).toEqual([]);
    expect(browser.pageErrors).toEqual([]);
  });
});
