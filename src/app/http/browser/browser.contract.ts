/** The page as a person uses it, for tests: real stores, a real server with a socket, and Debian's Chromium. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { openServer, type RunningServer } from '../../server/index.ts';
import { createServerAddress } from '../../server/server-address.ts';
import { pagePart } from '../page-part.ts';
import { type Desk, openDesk } from '../testbed.contract.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((path) => existsSync(path));

/** Why the tests of the page do not run here; null: they run. If CI is set, they must run. */
export const missingBrowserReason: string | null =
  executablePath === undefined && process.env['CI'] === undefined ? 'there is no Chromium here' : null;

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const root = join(import.meta.dirname, '..', '..', '..', '..');

export interface WindowOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}

export interface Browser {
  readonly desk: Desk;
  readonly address: string;
  /** A browser of its own, with no cookie. */
  context(options?: WindowOptions): Promise<BrowserContext>;
  /** A window that was let in, in a browser of its own where none is given. */
  window(options?: WindowOptions & { readonly in?: BrowserContext; readonly at?: string }): Promise<Page>;
  /** The server is killed, and comes back at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Requests of the pages to other servers than ours. */
  readonly foreignRequests: string[];
  /** Faults in the pages: uncaught errors, and whatever the content security policy refused. */
  readonly pageErrors: string[];
  close(): Promise<void>;
}

export async function openBrowser(): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'sonde-browser-'));
  const built = join(folder, 'page');
  execFileSync(process.execPath, [join(root, 'scripts', 'build-page.mjs')], {
    cwd: root,
    env: { ...process.env, SONDE_PAGE_OUT: built, NODE_ENV: 'production', VITEST: '' },
    stdio: 'inherit',
  });
  const desk = await openDesk();
  const listen = (port: number): Promise<RunningServer> =>
    openServer({
      serverAddress: createServerAddress({ bind: '127.0.0.1', port, proxies: [], hosts: [] }),
      parts: [desk.apiServerPart, pagePart(built)],
      tell: (line) => desk.logged.push(line),
    });
  let server: RunningServer | null = await listen(0);
  const { address } = server;
  const contexts: BrowserContext[] = [];
  const [foreignRequests, pageErrors]: string[][] = [[], []];

  const context = async ({
    width = 1280,
    height = 860,
    dark = false,
  }: WindowOptions = {}): Promise<BrowserContext> => {
    const browserContext = await chromium.launchPersistentContext(mkdtempSync(join(folder, 'profile-')), {
      executablePath: executablePath!,
      headless: true,
      args: flags,
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
    });
    browserContext.on('request', (request) => {
      if (!request.url().startsWith(address)) foreignRequests!.push(request.url());
    });
    browserContext.on('weberror', (error) => pageErrors!.push(String(error.error())));
    browserContext.on('console', (consoleMessage) => {
      if (consoleMessage.type() === 'error' && !/Failed to load resource/.test(consoleMessage.text()))
        pageErrors!.push(consoleMessage.text());
    });
    // What is waited for in vain says so, with what was there instead.
    browserContext.setDefaultTimeout(60_000);
    contexts.push(browserContext);
    return browserContext;
  };
  return {
    desk,
    address,
    foreignRequests: foreignRequests!,
    pageErrors: pageErrors!,
    context,
    async window({ in: existing, at, ...options } = {}) {
      const browserContext = await (existing ?? context(options));
      const page = await browserContext.newPage();
      await page.goto(`${address}/#code=${desk.code()}`);
      await page.locator('.shell').waitFor();
      if (at !== undefined) await page.evaluate(`location.hash = ${JSON.stringify(at)}`);
      return page;
    },
    async stop() {
      await server?.close();
      server = null;
    },
    async start() {
      server ??= await listen(Number(new URL(address).port));
    },
    async close() {
      for (const one of contexts) await one.close();
      await server?.close();
      await desk.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
