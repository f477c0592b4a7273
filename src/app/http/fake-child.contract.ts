/** A process of a run, for tests: it makes the row of its run, says so, and does what the test tells it. */
import type { Store } from '../../store/index.ts';
import type { Child } from '../agent/channel/child-wire.ts';
import type { RunnerSetting } from '../runs/perform-run.ts';
import type { RunnerReport, RunnerRequest } from '../runs/runner.ts';

export interface FakeChild extends Pick<Child, 'wire' | 'gone' | 'kill'> {
  readonly setting: RunnerSetting;
  readonly run: string;
  end(how?: string): void;
}

/** A question that says `refused` is. One that is cancelled ends. */
export function fakeChild(setting: RunnerSetting, allChildren: FakeChild[], store: Store): FakeChild {
  const ended = Promise.withResolvers<string>();
  const run = 'resume' in setting ? setting.resume : `begun-${allChildren.length}`;
  let sendToServer = (_: RunnerReport): void => {};
  const child: FakeChild = {
    setting,
    run,
    gone: ended.promise,
    kill: (signal) => ended.resolve(signal),
    end(how = 'exit 0') {
      sendToServer({ kind: 'ended' });
      ended.resolve(how);
    },
    wire: {
      send: (value) => (value as RunnerRequest).kind === 'cancel' && child.end(),
      onMessage(listener) {
        sendToServer = listener;
        void startRun();
      },
    },
  };
  async function startRun(): Promise<void> {
    const text = JSON.stringify(setting);
    if (text.includes('refused')) {
      sendToServer({
        kind: 'failed',
        code: 'model_config',
        message: 'There is no such model',
        remedy: 'Name another.',
      });
      return ended.resolve('exit 0');
    }
    if ('shape' in setting)
      await store.runs.create({ id: run, shape: setting.shape, question: text, root: '/', params: {} });
    sendToServer({ kind: 'begun', run });
  }
  allChildren.push(child);
  return child;
}
