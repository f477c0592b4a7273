/** Commands that read a document from standard input, in this process: the stream says something now and the rest later. */
import { describe, expect, it } from 'vitest';
import { newHome } from './testbed/run-sonde.ts';
import { sonde, startInProcess } from './testbed/sonde-here.ts';

describe('standard input', () => {
  it('is the text of a page, whole, however slowly it comes', async () => {
    const home = newHome();
    const saving = startInProcess(['world', 'edit', 'Bread', '--from', '-'], { home });
    saving.stdin.write('# Bread\n\nBake at');
    await new Promise((resolve) => setImmediate(resolve));
    saving.stdin.end(' 230 °C.\n');
    expect(await saving.ended).toMatchObject({ status: 0 });
    expect((await sonde(['world', 'read', 'Bread'], { home })).stdout).toContain('Bake at 230 °C.');
  });

  it('is the alert of an incident', async () => {
    const alert = '{"title": "checkout is slow", "service": "checkout", "time": "2026-05-12T07:43:00Z"}';
    const { stdout } = await sonde(['incident', '-', '--json'], { input: alert });
    expect(stdout).toContain('checkout is slow');
  });

  it('that is no text is refused, and the page stays as it was', async () => {
    const home = newHome();
    await sonde(['world', 'edit', 'Bread', '--from', '-'], { home, input: '# Bread\n' });
    const saving = startInProcess(['world', 'edit', 'Bread', '--from', '-'], { home });
    saving.stdin.end(Buffer.from([0xff, 0xfe, 0x00, 0xd8]));
    expect(await saving.ended).toMatchObject({ status: 2, stderr: expect.stringContaining('is not text') });
    expect((await sonde(['world', 'read', 'Bread'], { home })).stdout).toContain('# Bread');
  });
});
