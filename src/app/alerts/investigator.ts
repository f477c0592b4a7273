/**
 * The process that investigates alerts under `sonde serve --alerts`, so that senders are answered without delay however
 * busy an investigation is. It holds the keys of models, systems and reports, and accepts no alerts.
 */
import { isSondeError, messageOf, plainLine } from '../../core/index.ts';
import { openStore } from '../../store/index.ts';
import { parentWire } from '../agent/channel/child-wire.ts';
import { keysOfHost } from '../agent/keys.ts';
import { okReply } from '../agent/replies.ts';
import { environmentRedactor, loadConfiguration, processEnvironment } from '../config/index.ts';
import { openInvestigations } from './investigations.ts';
import { openAlertFile } from './open-alert-store.ts';

export interface InvestigatorSetting {
  readonly database: string;
  readonly replay: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

async function run({ database, replay, settings }: InvestigatorSetting): Promise<void> {
  const wire = parentWire();
  const environment = processEnvironment();
  const configuration = loadConfiguration({ environment, flags: settings, ignoredSettings: keysOfHost });
  const redactKeys = environmentRedactor(environment);
  const store = openStore(database);
  const alerts = openAlertFile(database);
  const { wake, close } = await openInvestigations({
    configuration,
    store,
    queue: alerts.queue,
    replay,
    // Titles of alerts are untrusted text.
    tell: (line) => void process.stderr.write(`${plainLine(redactKeys(configuration.redact(line)))}\n`),
  });
  const end = async (): Promise<void> => {
    await close();
    await alerts.close();
    await store.close();
    process.exit(0);
  };
  wire.onMessage((value) => {
    const { type, id = '', command } = value as { type?: string; id?: string; command?: string };
    if (type === 'wake') wake();
    if (type !== 'lifecycle') return;
    wire.send(okReply(id, 'there', {}));
    if (command === 'shutdown') void end();
  });
  // Ctrl-C is for the host, which then ends this process. Without a host no alerts arrive; the next process resumes
  // unfinished work.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('SIGTERM', () => void end());
  process.once('disconnect', () => void end());
  wire.send({ type: 'lifecycle', state: 'ready', message: '' });
  wake();
}

run(JSON.parse(process.argv[2] ?? '{}') as InvestigatorSetting).catch((thrown: unknown) => {
  const remedy = isSondeError(thrown) ? ` ${thrown.remedy ?? ''}` : '';
  parentWire().send({ type: 'lifecycle', state: 'failed', message: `${messageOf(thrown)}${remedy}` });
  // Delayed, so that the message is sent first.
  setTimeout(() => process.exit(1), 50);
});
