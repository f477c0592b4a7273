import { Command, Option } from 'commander';
import { SondeError } from '../../../core/index.ts';
import { jsonOption } from '../flags.ts';
import { parseCount, type WorldFlags, workspaceOption } from './flags.ts';

interface InboxFlags extends WorldFlags {
  readonly limit?: string;
}

export function inboxCommand(): Command {
  return new Command('inbox')
    .description(
      'list what waits for you, most important first: questions from scheduled conversations, memories to confirm, candidate pages, deviations (conflicting edits) and flags (warnings on texts)',
    )
    .argument('[id]', 'show one item in full')
    .addOption(new Option('--limit <n>', 'maximum items (default: 20)'))
    .addOption(workspaceOption())
    .addOption(
      jsonOption(
        'print one JSON array. A question is {kind: question, id, thread, schedule, at, note}, a memory is {kind: memory, id, text, origins, writer, at}, anything else is {kind, id, content_id, path, standing, revision, at, before, after, conflicts, note}; standing: how important and reliable its text is, from 0 to 1',
      ),
    )
    .action(async (id: string | undefined, flags: InboxFlags) => {
      const { withPagesAndSessions } = await import('../../conversations.ts');
      const {
        recordShown,
        findInboxItem,
        splitRevision: withRevision,
      } = await import('../../workspace/author.ts');
      const { readOtherItems: openOtherInboxItems, formatOtherItem: otherInboxText } = await import(
        '../../workspace/other-inbox-items.ts'
      );
      const { isPrintedInFull, itemText } = await import('./inbox-text.ts');
      const { hasOutputReader, print, printJson, tell } = await import('../terminal.ts');
      const limit = parseCount('--limit', flags.limit, 20);
      await withPagesAndSessions(flags.workspace, async (sessions, workspace) => {
        if (workspace === null) {
          if (id !== undefined) throw pagesOnWorkerError();
          const { listWaitingQuestions: waitingQuestions } = await import('../../serve/waiting-questions.ts');
          const questions = await waitingQuestions(sessions);
          if (flags.json === true) await printJson(questions);
          else if (questions.length > 0) await print(questions.map(otherInboxText).join('\n\n'));
          return tell(
            `note: only questions are listed. ${pagesOnWorkerError().message}; sonde ui shows the rest.`,
          );
        }
        const { world, database } = workspace;
        const otherItems = id === undefined ? await openOtherInboxItems({ world, database, sessions }) : [];
        const foundItems =
          id === undefined ? world.inbox(limit + 1) : [findInboxItem(world, withRevision(id).name)];
        const shownItems = foundItems.slice(0, limit);
        if (flags.json === true) {
          await printJson([...otherItems, ...shownItems]);
          return hasOutputReader() ? recordShown(world, shownItems) : undefined;
        }
        if (shownItems.length + otherItems.length === 0) return tell('Nothing waits for you.');
        const length = id === undefined ? 'short' : 'whole';
        await print(
          [...otherItems.map(otherInboxText), ...shownItems.map((item) => itemText(item, length))].join(
            '\n\n',
          ),
        );
        const fullyPrinted = shownItems.filter((item) => isPrintedInFull(item, length));
        if (hasOutputReader()) recordShown(world, fullyPrinted);
        if (length === 'whole' && fullyPrinted.length < shownItems.length)
          await tell('note: it contains characters that are not printed; --json shows all of it');
        if (foundItems.length > limit)
          await tell(`note: there are more; --limit ${limit * 10} shows more of them`);
      });
    });
}

const pagesOnWorkerError = (): SondeError =>
  new SondeError('not_found', {
    message: 'The pages of this workspace are on the worker that hosts it',
    remedy: 'Open the item with sonde ui, or over HTTP.',
  });
