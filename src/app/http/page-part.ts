/**
 * Serves the web page on the port of the server: only the files that the build of `web/` made. Its content security
 * policy is set here, not by the page.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerApp, ServerPart } from '../server/server-part.ts';

const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** The folder of the built page, beside the running modules, in source or compiled. */
export const builtPage = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/web/' : '../../web/', import.meta.url),
);

/** The built page contains this placeholder. Each answer replaces it with a new nonce. */
const nonceMark = '__NONCE__';

/**
 * The content security policy. The editor creates styles at run time and marks them with the nonce; browsers refuse any
 * other inline style or script.
 */
const securityPolicy = (nonce: string): string =>
  [
    "default-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ...['object-src', 'base-uri', 'form-action', 'frame-ancestors'].map((name) => `${name} 'none'`),
  ].join('; ');

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

interface AssetFile {
  readonly type: string;
  readonly content: Buffer<ArrayBuffer>;
  readonly compressed: Readonly<Partial<Record<'br' | 'gzip', Buffer<ArrayBuffer>>>>;
}

export function pagePart(folder: string = builtPage): ServerPart {
  let page: string | undefined;
  const assets = new Map<string, AssetFile>();
  return {
    name: 'page',
    mount(app: ServerApp) {
      app.get('/', () => {
        page ??= readPage(folder);
        if (page === undefined)
          return new Response('The page is not there: npm run build:web makes it.\n', { status: 503 });
        const nonce = randomBytes(18).toString('base64');
        return new Response(page.replaceAll(nonceMark, nonce), {
          headers: {
            ...commonHeaders,
            'content-type': 'text/html; charset=utf-8',
            'cache-control': 'no-store',
            'content-security-policy': securityPolicy(nonce),
          },
        });
      });
      app.get('/assets/:file', ({ req }) => {
        if (assets.size === 0) readAssets(folder, assets);
        const file = assets.get(req.param('file'));
        if (file === undefined) return new Response('There is no such file.\n', { status: 404 });
        const acceptedEncodings = req.header('accept-encoding') ?? '';
        const encoding = (['br', 'gzip'] as const).find(
          (name) =>
            new RegExp(`\\b${name}\\b`).test(acceptedEncodings) && file.compressed[name] !== undefined,
        );
        return new Response((encoding && file.compressed[encoding]) ?? file.content, {
          headers: {
            ...commonHeaders,
            'content-type': file.type,
            // The file's name contains a hash of its content.
            'cache-control': 'public, max-age=31536000, immutable',
            vary: 'accept-encoding',
            ...(encoding !== undefined && { 'content-encoding': encoding }),
          },
        });
      });
    },
  };
}

function readPage(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'index.html'), 'utf8');
  } catch {
    return undefined;
  }
}

function readAssets(folder: string, assets: Map<string, AssetFile>): void {
  const assetFolder = join(folder, 'assets');
  let names: readonly string[] = [];
  try {
    names = readdirSync(assetFolder);
  } catch {
    return;
  }
  for (const name of names) {
    const type = contentTypes[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    const [br, gzip] = (['br', 'gz'] as const).map((end) =>
      names.includes(`${name}.${end}`) ? readFileSync(join(assetFolder, `${name}.${end}`)) : undefined,
    );
    assets.set(name, {
      type,
      content: readFileSync(join(assetFolder, name)),
      compressed: { ...(br && { br }), ...(gzip && { gzip }) },
    });
  }
}
