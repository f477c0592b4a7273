/** What each view is for, by the keyboard alone: as somebody does it who has no mouse, and sees where the focus is. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTrial } from '../../../tasks/incident/incident.contract.ts';
import { researchEvents } from '../testbed.contract.ts';
import { type Browser, missingBrowserReason, openBrowser } from './browser.contract.ts';

describe.skipIf(missingBrowserReason !== null)('by keys alone', () => {
  let browser: Browser;
  let page: Page;
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };

  beforeAll(async () => {
    browser = await openBrowser();
    const { desk } = browser;
    desk.write('author', { op: 'create_page', path: 'Ovens', text: '# Ovens\n\nIt holds 210 degrees.\n' });
    await desk.run('run-whole', researchEvents, desk.own);
    page = await browser.window();
  });
  afterAll(() => browser?.close());

  it('a page is edited and saved as the author’s', async () => {
    await press('g', 'p');
    await page.getByRole('link', { name: /Ovens/ }).first().focus();
    await press('Enter');
    await page.getByText('It holds 210 degrees.').waitFor();
    await press('e');
    await page.locator('.cm-content').waitFor();
    await press('Control+End', 'Enter');
    await page.keyboard.type('It has two doors.');
    await press('Control+s');
    await page.locator('.blocks').getByText('It has two doors.').waitFor();
    const saved = browser.desk.world.read(browser.desk.world.page('Ovens')!.id, 'canonical')!;
    expect(saved.blocks.map(({ text, origin }) => [text.trim(), origin])).toContainEqual([
      'It has two doors.',
      'Authored',
    ]);
    await press('4');
    await page.getByRole('button', { name: 'Show the change' }).first().focus();
    await press('Enter');
    await page.locator('.difference').getByText('It has two doors.').waitFor();
  });

  it('a conversation is begun, steered, stopped, answered and forked', async () => {
    await press('g', 'c');
    // The heading alone stands there while the view is loaded.
    await page.getByRole('button', { name: /^New/ }).waitFor();
    await press('n');
    await page.locator('.talk').waitFor();
    await press('i');
    await page.keyboard.type('wait for me');
    await press('Enter');
    await page.getByPlaceholder(/Steer it/).waitFor();
    await page.locator('.tool-call', { hasText: 'wait' }).waitFor();
    await press('Escape', 's');
    await page.getByPlaceholder(/Ask, or tell/).waitFor();
    await page.getByRole('button', { name: 'Drop it' }).focus();
    await press('Enter');
    await page.getByRole('button', { name: 'Drop it' }).waitFor({ state: 'detached' });
    await page.locator('.talk').focus();
    await press('g', 'c');
    await page.getByRole('heading', { name: 'Conversations' }).waitFor();
    await press('n');
    await page.getByText('Nothing was said yet').waitFor();
    await press('i');
    await page.keyboard.type('ask me');
    await press('Enter');
    // Named by its first words, and not by its id.
    await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('ask me');
    await page.locator('.tool-call', { hasText: 'ask' }).getByText('waits for your answer').waitFor();
    await page.getByPlaceholder('Your answer').focus();
    await page.keyboard.type('the second');
    await press('Enter');
    await page.locator('.said-by.agent', { hasText: 'heard:' }).first().waitFor();
    const before = await page.evaluate('location.hash');
    await press('Escape');
    await page.locator('.talk').focus();
    await press('f');
    await page.getByRole('button', { name: 'From where it stands now' }).focus();
    await press('Enter');
    await expect.poll(() => page.evaluate('location.hash')).not.toBe(before);
    await page.locator('.said-by.agent', { hasText: 'heard:' }).first().waitFor();
  });

  it('an open question stands on top of the inbox, and is answered there by keys', async () => {
    browser.desk.sessions.threads.create({ id: 'asking', title: 'Which oven', channel: null });
    await browser.desk.send('POST', '/threads/asking/messages', { text: 'ask me' });
    await expect.poll(async () => (await browser.desk.get('/threads/asking')).body.state).toBe('interrupted');
    await page.evaluate(`location.hash = '#/inbox'`);
    await page.reload();
    await page.locator('.question').getByText('Which one?').waitFor();
    await press('i');
    await page.keyboard.type('the third');
    await press('Enter');
    await expect.poll(async () => (await browser.desk.get('/threads/asking')).body.state).toBe('idle');
  });

  it('a run is opened at a claim, down to the line', async () => {
    await press('g', 'r');
    await page
      .getByRole('link', { name: /Why\?.*research/ })
      .first()
      .focus();
    await press('Enter');
    await page.locator('.claims').getByText('It is one.').waitFor();
    await page.locator('.claims a').first().focus();
    await press('Enter');
    await page.locator('.code-lines').getByText('two', { exact: true }).waitFor();
    await press('2');
    await page.locator('.tree').getByText('Step 1').waitFor();
    await press('j', 'j', 'j');
    await page.locator('.node-view').waitFor();
  });

  it('an incident is read from what is blamed down to the record that shows it', async () => {
    const { result } = await runTrial(browser.desk.own);
    await press('g', 'n');
    const line = page.getByRole('link', { name: /orders/ }).first();
    await line.focus();
    await press('Enter');
    await page.locator('.cause').getByText('db.SetMaxOpenConns').waitFor();
    await page.locator('.line-chart canvas').first().waitFor();
    await page.getByRole('button', { name: 'All of it' }).focus();
    await press('Enter');
    await page.getByRole('button', { name: 'Around the onset' }).waitFor();
    await page.locator('.changes summary').focus();
    await press('Enter');
    await page.locator('.changes .tag', { hasText: 'commit, blamed' }).waitFor();
    await page.locator('.mark.blamed a').first().focus();
    await press('Enter');
    await expect
      .poll(() => page.evaluate('location.hash'))
      .toContain(`#/runs/${encodeURIComponent(result.run_id)}/evidence/`);
    await page
      .locator('.code-lines')
      .getByText(/SetMaxOpenConns/)
      .first()
      .waitFor();
  });

  it('a run is followed while it is written, in both windows, over a broken connection', async () => {
    const { desk } = browser;
    await desk.store.runs.create({
      id: 'run-live',
      shape: 'research',
      question: 'Live?',
      root: '/',
      params: {},
    });
    const lease = await desk.store.runs.acquire('run-live');
    const log = desk.store.log(lease);
    log.append('e0', { kind: 'run_started', shape: 'research', question: 'Live?', params: {} });
    await desk.store.commit(lease);
    const other = await browser.window({ in: page.context(), at: '#/runs/run-live/steps' });
    await page.evaluate(`location.hash = '#/runs/run-live/steps'`);
    for (const one of [page, other]) await one.locator('.tree', { hasText: 'Live?' }).waitFor();
    for (let step = 1; step <= 40; step += 1) {
      log.append(`s${step}`, { kind: 'step_started', step, left: {} });
      await desk.store.commit(lease);
      if (step === 20) {
        await browser.stop();
        await browser.start();
      }
    }
    for (const one of [page, other])
      await expect
        .poll(() =>
          one.evaluate(`document.querySelector('.tree [role=listitem]')?.getAttribute('aria-setsize')`),
        )
        .toBe('41');
    await lease.release();
    await other.close();
  });

  it('search, and the way to what was found', async () => {
    await press('g', 's');
    await page.getByPlaceholder('Words, or a question').waitFor();
    await page.keyboard.type('oven');
    await press('Enter');
    const hit = page.getByRole('link', { name: /It says so/ }).first();
    await hit.focus();
    await press('Enter');
    await expect.poll(() => page.evaluate('location.hash')).toContain('#/pages/');
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('asks nobody else, and nothing in it fails', () => {
    expect(browser.foreignRequests).toEqual([]);
    expect(browser.pageErrors).toEqual([]);
  });
});
