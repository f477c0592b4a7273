/** Conversations in a browser: steered, said differently, forked, gone on with, and over a server that goes away. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, missingBrowserReason, openBrowser } from './browser.contract.ts';

describe.skipIf(missingBrowserReason !== null)('a conversation', () => {
  let browser: Browser;
  let page: Page;
  const messages = async (id: string): Promise<readonly string[]> =>
    (await browser.desk.get(`/threads/${id}/messages`)).body.items.map(
      ({ kind, text }: { kind: string; text: string }) => `${kind}: ${text}`,
    );
  const stateOf = async (id: string): Promise<string> =>
    (await browser.desk.get(`/threads/${id}`)).body.state;
  const begin = async (id: string): Promise<void> => {
    browser.desk.sessions.threads.create({ id, title: `About ${id}`, channel: null });
    await page.evaluate(`location.hash = '#/threads/${id}'`);
    await page.getByText('Nothing was said yet').waitFor();
  };
  const say = async (text: string, on = page): Promise<void> => {
    await on.locator('#say').fill(text);
    await on.locator('#say').press('Enter');
    // It was taken.
    await expect.poll(() => on.locator('#say').inputValue()).toBe('');
  };
  const heard = (text: string, on = page): Promise<void> =>
    on
      .locator('.said-by.agent', { hasText: `heard: ${text}` })
      .last()
      .waitFor();

  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.window();
  });
  afterAll(() => browser?.close());

  it('is steered while the agent is at work', async () => {
    await begin('steered');
    await say('wait for me');
    await page.locator('.tool-call', { hasText: 'wait' }).waitFor();
    await page.getByPlaceholder(/Steer it/).waitFor();
    await say('look at the bread');
    browser.desk.agent.release();
    await heard('look at the bread');
    await page.locator('.said-by.person', { hasText: 'look at the bread' }).getByText('steered').waitFor();
    expect(await messages('steered')).toContain('steer: look at the bread');
  });

  it('goes on from other words', async () => {
    await begin('edited');
    await say('the first oven');
    await heard('the first oven');
    await page.getByRole('button', { name: 'Say it differently' }).click();
    expect(await page.locator('#say').inputValue()).toBe('the first oven');
    await say('the second oven');
    await heard('the second oven');
    await page.locator('.said-by', { hasText: 'the first oven' }).first().waitFor({ state: 'detached' });
    expect((await messages('edited')).join()).not.toContain('the first oven');
  });

  it('is forked where it stood before, and stays as it is', async () => {
    await begin('forked');
    await say('one thing');
    await heard('one thing');
    await say('another thing');
    await heard('another thing');
    const before = await messages('forked');
    await page.getByRole('button', { name: /Fork/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /agent: heard: one thing/ })
      .click();
    await expect.poll(() => page.evaluate('location.hash')).not.toBe('#/threads/forked');
    await heard('one thing');
    expect(await page.locator('.said-by', { hasText: 'another thing' }).count()).toBe(0);
    await say('a third thing');
    await heard('a third thing');
    expect(await messages('forked')).toEqual(before);
  });

  it('is stopped, and gone on with', async () => {
    await begin('stopped');
    await say('wait for me');
    await page.locator('.tool-call', { hasText: 'wait' }).waitFor();
    await page.getByRole('button', { name: /Stop/ }).click();
    await page.getByRole('button', { name: 'Go on with the turn' }).click();
    await expect.poll(() => stateOf('stopped')).not.toBe('unfinished');
    browser.desk.agent.release();
    await heard('wait for me');
    expect(await stateOf('stopped')).toBe('idle');
  });

  it('goes on in both windows after the server was away in the middle of a turn', async () => {
    await begin('broken');
    const other = await browser.window({ in: page.context(), at: '#/threads/broken' });
    await say('wait for me');
    for (const one of [page, other]) await one.locator('.tool-call', { hasText: 'wait' }).waitFor();
    await browser.stop();
    for (const one of [page, other]) await one.getByText('No server: trying again').waitFor();
    browser.desk.agent.release();
    await expect.poll(async () => (await messages('broken')).at(-1)).toBe('assistant: heard: wait for me');
    await browser.start();
    for (const one of [page, other]) await heard('wait for me', one);
    await say('and now?', other);
    for (const one of [page, other]) await heard('and now?', one);
    expect(await page.locator('.said-by.agent').count()).toBe(2);
    await other.close();
  });

  it('asks nobody else, and nothing in it fails', () => {
    expect(browser.foreignRequests).toEqual([]);
    expect(browser.pageErrors).toEqual([]);
  });
});
