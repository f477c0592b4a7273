/**
 * The pictures of the README: the main views over a workspace that is made here, in Debian's Chromium.
 * `npm run pictures` writes docs/pictures; nothing else does.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillBakery } from '../src/app/http/browser/bakery.contract.ts';
import { openBrowser } from '../src/app/http/browser/browser.contract.ts';

const into = join(import.meta.dirname, '..', 'docs', 'pictures');
mkdirSync(into, { recursive: true });

const browser = await openBrowser();
try {
  const { item, page, run, evidence, incident, thread } = await fillBakery(browser.desk, sleep);
  const pictures: readonly (readonly [name: string, place: string, dark?: true])[] = [
    ['inbox', `#/inbox/${item}`],
    ['page', `#/pages/${page}`],
    ['run', `#/runs/${run}`],
    ['steps', `#/runs/${run}/steps`, true],
    ['evidence', `#/runs/${run}/evidence/${evidence}`],
    ['incident', `#/incidents/${incident}`],
    ['conversation', `#/threads/${thread}`],
  ];
  for (const [name, place, dark] of pictures) {
    const tab = await browser.window({ width: 1280, height: 800, dark: dark === true, at: place });
    await tab.locator('main .loading').first().waitFor({ state: 'detached' });
    await tab.evaluate('document.fonts.ready.then(() => null)');
    if (name === 'steps') for (let n = 0; n < 5; n += 1) await tab.keyboard.press('j');
    if (name === 'conversation') await tab.locator('.tool-call summary').last().click();
    // The last of what is read arrives after the first of it was shown.
    await sleep(600);
    await tab.screenshot({ path: join(into, `${name}.png`) });
    await tab.context().close();
    console.log(`docs/pictures/${name}.png`);
  }
} finally {
  await browser.close();
}
