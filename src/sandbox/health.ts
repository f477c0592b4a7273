import { messageOf } from '../core/index.ts';
import type { SandboxHealth } from './sandbox.ts';
import type { SandboxOptions } from './wasm-sandbox.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Starts the sandbox if needed and checks it. Never throws. */
export async function healthOf(
  options: SandboxOptions,
  pool: () => Promise<WorkerPool>,
): Promise<SandboxHealth> {
  const helpers = options.helpers?.map(({ name }) => name).join(', ');
  try {
    const workers = await pool();
    await workers.giveBack(await workers.take(), true);
    const facts = [
      {
        name: 'interpreter',
        ok: true,
        detail: `CPython 3.13 as WebAssembly${helpers ? ` with ${helpers}` : ''}`,
      },
      { name: 'metering', ok: options.metered !== false, detail: options.metered === false ? 'off' : 'on' },
      ...workers.host.facts(),
    ];
    return Object.freeze({ ok: facts.every(({ ok }) => ok), facts });
  } catch (error) {
    return Object.freeze({ ok: false, facts: [{ name: 'start', ok: false, detail: messageOf(error) }] });
  }
}
