/** Writes a comment on an issue or a pull request of GitHub; an existing comment with our mark is replaced. */
import {
  createMark,
  describeMissingList,
  describeRefusal,
  guardDelivery,
  isSuccess,
  sendJson,
} from './http.ts';
import type { Send, Sink } from './sink.ts';

export interface GithubOptions {
  readonly token: string;
  /** `owner/name#12`. */
  readonly issue: string;
  readonly send: Send;
  readonly baseUrl?: string;
}

const maxBodyLength = 60_000;
/** Comments per page: comments may be long, and only a limited length of a reply is read. */
const pageItems = 10;
const maxPages = 100;

export function githubSink({ token, issue, send, baseUrl = 'https://api.github.com' }: GithubOptions): Sink {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(issue) ?? [];
  return {
    name: 'github',
    idempotent: true,
    deliver: ({ key, markdown }, signal, mask) =>
      guardDelivery([token], mask, async () => {
        if (repository === undefined)
          return { kind: 'failed', why: `${issue} is no issue: write owner/name#12` };
        const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' };
        const comments = `${baseUrl}/repos/${repository}/issues/${number}/comments`;
        const mark = createMark(key);
        const body = { body: `${mark}\n${withoutMentions(markdown).slice(0, maxBodyLength)}` };
        let existing: { id?: number } | undefined;
        // Pages are sorted oldest first; a page that is not full is the last.
        for (let page = 1; page <= maxPages && existing === undefined; page++) {
          const address = `${comments}?per_page=${pageItems}&page=${page}`;
          const listed = await sendJson(send, address, 'GET', headers, signal);
          if (!isSuccess(listed) || !Array.isArray(listed.json))
            return { kind: 'failed', why: describeMissingList('GitHub', listed, `${repository}#${number}`) };
          const known = listed.json as { id?: number; body?: string }[];
          existing = known.find((comment) => comment.body?.startsWith(mark));
          if (known.length < pageItems) break;
        }
        const httpReply =
          existing?.id === undefined
            ? await sendJson(send, comments, 'POST', headers, signal, { body, readsBody: false })
            : await sendJson(
                send,
                `${baseUrl}/repos/${repository}/issues/comments/${existing.id}`,
                'PATCH',
                headers,
                signal,
                { body, readsBody: false },
              );
        return isSuccess(httpReply)
          ? { kind: 'delivered', where: `${repository}#${number}` }
          : { kind: 'failed', why: describeRefusal('GitHub', httpReply, ` for ${repository}#${number}`) };
      }),
  };
}

/** Text from logs must not notify anybody or create links: mentions get an invisible character. */
export const withoutMentions = (markdown: string): string =>
  markdown.replace(/(^|[^\w`])@(?=[A-Za-z0-9])/g, '$1@\u200b');
