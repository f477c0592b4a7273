import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const root = import.meta.dirname;
/** Tests build what is there into a folder of their own. */
const outDir = process.env['SONDE_PAGE_OUT'] ?? join(root, '..', 'dist', 'web');

export default defineConfig({
  root,
  base: './',
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    // Inline nothing, since the content security policy allows neither inline styles nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
  plugins: [
    {
      // Packed once, here, and not by the server at each start.
      name: 'packed',
      apply: 'build',
      closeBundle() {
        const place = join(outDir, 'assets');
        for (const name of readdirSync(place).filter((each) => /[.](js|css|svg)$/.test(each))) {
          const text = readFileSync(join(place, name));
          writeFileSync(
            join(place, `${name}.br`),
            brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
          );
          writeFileSync(join(place, `${name}.gz`), gzipSync(text, { level: 9 }));
        }
      },
    },
  ],
});
