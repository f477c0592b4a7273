/** Runs in a browser: what each is worth before it is opened, and what of an answer is in doubt, found by eye. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claim, RunEvent } from '../../../core/index.ts';
import { incidentEvents, researchEvents } from '../testbed.contract.ts';
import { type Browser, missingBrowserReason, openBrowser } from './browser.contract.ts';

const answer = `It is one [ev-0123456789].

- It is **two** [ev-0123456789]. [unsupported]
- It is \`three\` [ev-0123456789].
- It is four. [unsupported]`;

const claimOf = (text: string, verdict: Claim['verdict']): Claim => ({
  ...{ text, verdict, evidence: ['ev-0123456789'], flags: [] },
});
const claims = [
  claimOf('It is one.', 'shown'),
  claimOf('It is **two**.', 'contradicted'),
  claimOf('It is `three`.', 'unclear'),
  claimOf('It is four.', 'not shown'),
];

const doubtful = researchEvents.map((event): RunEvent => {
  if (event.kind === 'run_started') return { ...event, question: 'Which one?' };
  if (event.kind === 'claims_checked') return { ...event, claims };
  if (event.kind === 'run_finished')
    return { ...event, result: { ...event.result, answer, status: 'partial', claims } };
  return event;
});

describe.skipIf(missingBrowserReason !== null)('runs', () => {
  let browser: Browser;
  let page: Page;
  const line = (run: string) => page.locator(`.lines a[href="#/runs/${run}"]`);

  beforeAll(async () => {
    browser = await openBrowser();
    const { desk } = browser;
    await desk.run('run-doubtful', doubtful, desk.own);
    await desk.run('run-incident', incidentEvents, desk.own);
    page = await browser.window({ at: '#/runs' });
  });
  afterAll(() => browser?.close());

  it('are listed with what their answers are worth, and what they cost', async () => {
    await line('run-doubtful').getByText('partial', { exact: true }).waitFor();
    await line('run-doubtful')
      .getByText(/tokens/)
      .waitFor();
    await line('run-incident').getByText('state', { exact: true }).waitFor();
  });

  it('that ask say that they wait, and lead to the conversation', async () => {
    const { desk } = browser;
    await desk.send('POST', '/threads', { id: 'asking', title: 'Which oven' });
    await desk.send('POST', '/threads/asking/messages', { text: 'ask me' });
    await expect.poll(async () => (await desk.get('/threads/asking')).body.state).toBe('interrupted');
    await page.reload();
    const asking = page.locator('.lines a', { hasText: 'ask me' });
    await asking.getByText('waits for your answer').waitFor();
    await asking.click();
    await page.getByText('It waits for your answer').waitFor();
    await page.getByRole('link', { name: 'Answer it in the conversation' }).click();
    await page.locator('.question').getByText('Which one?').waitFor();
    await page.locator('.run-head').getByText('waits for your answer').waitFor();
  });

  it('mark what is in doubt where it is said, and list it first', async () => {
    await page.evaluate(`location.hash = '#/runs/run-doubtful'`);
    const said = page.locator('.card .material');
    await said.locator('.doubt.bad', { hasText: 'It is' }).first().waitFor();
    expect(await said.locator('li').allInnerTexts()).toEqual([
      'It is two a.ts:1. contradicted',
      'It is three a.ts:1. unclear',
      'It is four. not shown',
    ]);
    expect(await said.locator('p').first().locator('.doubt').count()).toBe(0);
    expect(await page.locator('.claims .tag').allInnerTexts()).toEqual([
      ...['contradicted', 'not shown', 'unclear', 'shown'],
    ]);
    expect((await page.locator('.doubts').innerText()).replaceAll('\n', ' ')).toContain(
      '1 contradicted 1 not shown 1 unclear of 4 claims',
    );
  });

  it('lead from what is cited to its lines, and say so where there are none', async () => {
    await page.locator('.card .material a', { hasText: 'a.ts:1' }).first().click();
    await page.locator('.code-lines').getByText('two', { exact: true }).waitFor();
    await page.evaluate(`location.hash = '#/runs/run-doubtful/evidence/ev-ffffffffff'`);
    await page.getByText('This run read nothing of that name').waitFor();
  });

  it('asks nobody else, and nothing in it fails', () => {
    expect(browser.foreignRequests).toEqual([]);
    expect(browser.pageErrors).toEqual([]);
  });
});
