/** Every view in a browser, with material that wants to be more than text: for eyes, ears, keys and small screens. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Browser, missingBrowserReason, openBrowser } from './browser.contract.ts';
import { type FilledWorkspace, fillWorkspace, hostileTexts } from './furnish.contract.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A JSON list of further texts to plant, such as those of a public set. */
const given = process.env['PLANTED'];
const more: readonly string[] = given === undefined ? [] : JSON.parse(readFileSync(given, 'utf8'));

const names = [
  'inbox',
  'inbox decided',
  'threads',
  'thread asking',
  'thread talked',
  'pages',
  'pages deleted',
  'page',
  'page links',
  'page provenance',
  'page history',
  'search',
  'runs',
  'run',
  'run steps',
  'run evidence',
  'run budget',
  'run live',
  'incidents',
  'incident',
  'incident charted',
  'schedules',
  'memory',
  'spend',
  'settings',
  'settings tokens',
  'settings prune',
  'nowhere',
] as const;
type Name = (typeof names)[number];

const placeOf = ({
  run,
  live,
  incident,
  incidentWithSeries: charted,
  page,
}: FilledWorkspace): Readonly<Record<Name, string>> => ({
  inbox: '#/inbox',
  'inbox decided': '#/inbox?decided',
  threads: '#/threads',
  'thread asking': '#/threads/asking',
  'thread talked': '#/threads/talked',
  pages: '#/pages',
  'pages deleted': '#/pages?deleted',
  page: `#/pages/${page}`,
  'page links': `#/pages/${page}/links`,
  'page provenance': `#/pages/${page}/provenance`,
  'page history': `#/pages/${page}/history`,
  search: '#/search?q=bread',
  runs: '#/runs',
  run: `#/runs/${run}`,
  'run steps': `#/runs/${run}/steps/action%3Aa1`,
  'run evidence': `#/runs/${run}/evidence/ev-0123456789`,
  'run budget': `#/runs/${run}/budget`,
  'run live': `#/runs/${live}/steps`,
  incidents: '#/incidents',
  incident: `#/incidents/${incident}`,
  'incident charted': `#/incidents/${charted}`,
  schedules: '#/schedules',
  memory: '#/memory',
  spend: '#/spend',
  settings: '#/settings',
  'settings tokens': '#/settings/tokens',
  'settings prune': '#/settings/prune',
  nowhere: '#/nowhere',
});

/** Views with the keys that open something over them. */
const dialogs: readonly (readonly [Name, string])[] = [
  ['pages', 'n'],
  ['page', 'm'],
  ['page', 'd'],
  ['schedules', 'n'],
  ['memory', 'n'],
  ['memory', 'x'],
  ['settings tokens', 'n'],
  ['thread talked', 'f'],
];

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as readonly { id: string; nodes: readonly { html: string; failureSummary: string }[] }[];
  return found.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`),
  );
}

const settled = async (page: Page): Promise<void> => {
  await page.locator('main h1, main .question, main .talk').first().waitFor();
  await page.locator('main .loading').first().waitFor({ state: 'detached' });
};

async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await settled(page);
}

describe.skipIf(missingBrowserReason !== null)('every view', () => {
  let browser: Browser;
  let furnished: FilledWorkspace;
  beforeAll(async () => {
    browser = await openBrowser();
    furnished = await fillWorkspace(browser.desk, more);
  });
  afterAll(() => browser?.close());

  it.each([
    { dark: false, width: 1280 },
    { dark: true, width: 1280 },
    { dark: false, width: 360 },
    { dark: true, width: 360 },
  ])(
    'full, dark $dark, of $width pixels: no violation, no script, no style, no request of the material',
    async (look) => {
      const page = await browser.window({ ...look, height: 800 });
      const places = placeOf(furnished);
      const found: string[] = [];
      for (const name of names) {
        await goTo(page, places[name]);
        found.push(...(await violations(page)).map((one) => `${name}: ${one}`));
        const state = (await page.evaluate(`({
        hacked: window.hacked ?? null,
        inner: document.querySelectorAll('.material script, .material style, .material iframe, .material img, .material svg, .material form, .material base, .material button').length,
        hrefs: [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((href) => !/^(#|https?:)/.test(href)),
        wide: document.documentElement.scrollWidth > window.innerWidth,
      })`)) as Readonly<Record<string, unknown>>;
        if (JSON.stringify(state) !== JSON.stringify({ hacked: null, inner: 0, hrefs: [], wide: false }))
          found.push(`${name}: ${JSON.stringify(state)}`);
      }
      expect(found).toEqual([]);
      expect(browser.foreignRequests).toEqual([]);
      expect(browser.pageErrors).toEqual([]);
      await page.context().close();
    },
  );

  it.each([false, true])('loading and failed, dark %s: no violation', async (dark) => {
    const page = await browser.window({ dark });
    const found: string[] = [];
    const places = placeOf(furnished);
    for (const how of ['loading', 'failed']) {
      await page.route('**/api/v1/**', (route) =>
        how === 'failed'
          ? route.fulfill({
              status: 500,
              json: { error: { code: 'internal', message: 'It broke', remedy: 'Look into the log.' } },
            })
          : new Promise<void>(() => {}),
      );
      for (const name of names.filter((one) => !one.includes(' '))) {
        await page.evaluate(`location.hash = ${JSON.stringify(places[name])}`);
        await page.locator('main h1').first().waitFor();
        if (how === 'failed' && name !== 'nowhere') await page.getByRole('alert').first().waitFor();
        found.push(...(await violations(page)).map((one) => `${how} ${name}: ${one}`));
      }
      await page.unroute('**/api/v1/**');
    }
    expect(found).toEqual([]);
    await page.context().close();
  });

  it.each([
    { dark: false, width: 1280 },
    { dark: true, width: 360 },
  ])('with its dialogs open, dark $dark, of $width pixels: no violation', async (look) => {
    const page = await browser.window(look);
    const found: string[] = [];
    const places = placeOf(furnished);
    for (const [name, key] of dialogs) {
      await goTo(page, places[name]);
      // A key that is pressed before the page listens is lost.
      await vi.waitFor(
        async () => {
          await page.keyboard.press(key);
          await page.getByRole('dialog').waitFor({ timeout: 5_000 });
        },
        { timeout: 60_000, interval: 100 },
      );
      await page.locator('dialog .loading').first().waitFor({ state: 'detached' });
      found.push(...(await violations(page)).map((one) => `${name} ${key}: ${one}`));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(found).toEqual([]);
    await page.context().close();
  });

  it.each([
    { dark: false, width: 1280 },
    { dark: true, width: 360 },
  ])('with its panels open, dark $dark, of $width pixels: no violation', async (look) => {
    const page = await browser.window(look);
    const found: string[] = [];
    const places = placeOf(furnished);
    await goTo(page, places['thread talked']);
    await page.keyboard.press('m');
    await page.locator('.context h2').first().waitFor();
    found.push(...(await violations(page)).map((one) => `memory and role: ${one}`));
    // It is at work, so that there is some time to look into.
    await goTo(page, places['run live']);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Later' }).waitFor();
    found.push(...(await violations(page)).map((one) => `zoomed: ${one}`));
    if (look.width === 360) {
      await page.getByRole('button', { name: 'Runs' }).click();
      await page.getByRole('link', { name: 'Memory' }).waitFor();
      found.push(...(await violations(page)).map((one) => `menu: ${one}`));
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Memory' }).waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Runs' }).click();
      await page.getByRole('link', { name: 'Memory' }).click();
      await page.getByRole('heading', { name: 'Memory' }).waitFor();
      await page.getByRole('link', { name: 'Runs' }).waitFor({ state: 'hidden' });
    }
    expect(found).toEqual([]);
    await page.context().close();
  });

  it('shows what is hidden in a text as what it is', async () => {
    const page = await browser.window({ at: placeOf(furnished).page });
    await settled(page);
    const text = await page.locator('.blocks').innerText();
    expect(text).toContain('⟨U+202E⟩');
    expect(text).toContain(hostileTexts[0]);
    await page.context().close();
  });
});

describe.skipIf(missingBrowserReason !== null)('every view of an empty workspace', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it.each([
    { dark: false, width: 1280 },
    { dark: true, width: 360 },
  ])('dark $dark, of $width pixels: no violation', async (look) => {
    const page = await browser.window(look);
    const found: string[] = [];
    const places = placeOf({
      run: 'r',
      live: 'l',
      incident: 'i',
      incidentWithSeries: 'c',
      page: 'p',
      threads: [],
    });
    for (const name of names.filter((one) => !one.includes(' '))) {
      await goTo(page, places[name]);
      found.push(...(await violations(page)).map((one) => `${name}: ${one}`));
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    found.push(...(await violations(page)).map((one) => `help: ${one}`));
    expect(found).toEqual([]);
    await page.context().close();
  });

  it('without a session, and after the session was taken away', async () => {
    const context = await browser.context();
    const page = await context.newPage();
    await page.goto(browser.address);
    await page.getByText('This window is not let in').waitFor();
    expect(await violations(page)).toEqual([]);
    const inside = await browser.window({ in: context });
    await inside.locator('.inbox-list').waitFor();
    await inside.keyboard.press('?');
    await inside.getByRole('button', { name: 'Sign this window out' }).click();
    await inside.getByText('This window is not let in').waitFor();
    await context.close();
  });

  it('says that it is over where another window ended the session', async () => {
    const context = await browser.context();
    const one = await browser.window({ in: context });
    const other = await context.newPage();
    await other.goto(browser.address);
    await other.locator('.inbox-list').waitFor();
    await other.keyboard.press('?');
    await other.getByRole('button', { name: 'Sign this window out' }).click();
    await one.getByText('The session of this window is over').waitFor();
    await context.close();
  });
});
