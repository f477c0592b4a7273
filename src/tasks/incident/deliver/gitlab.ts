/** Writes a note on an issue of GitLab; an existing note with our mark is replaced. */
import { withoutMentions } from './github.ts';
import {
  createMark,
  describeMissingList,
  describeRefusal,
  guardDelivery,
  isSuccess,
  sendJson,
} from './http.ts';
import type { Send, Sink } from './sink.ts';

export interface GitlabOptions {
  readonly token: string;
  /** `group/project#12`. */
  readonly issue: string;
  readonly send: Send;
  readonly baseUrl?: string;
}

const maxBodyLength = 900_000;

export function gitlabSink({ token, issue, send, baseUrl = 'https://gitlab.com' }: GitlabOptions): Sink {
  const [, project, number] = /^([\w./-]+)#(\d+)$/.exec(issue) ?? [];
  return {
    name: 'gitlab',
    idempotent: true,
    deliver: ({ key, markdown }, signal, mask) =>
      guardDelivery([token], mask, async () => {
        if (project === undefined)
          return { kind: 'failed', why: `${issue} is no issue: write group/project#12` };
        const headers = { 'private-token': token };
        const notes = `${baseUrl}/api/v4/projects/${encodeURIComponent(project)}/issues/${number}/notes`;
        const mark = createMark(key);
        const body = { body: `${mark}\n${withoutMentions(markdown).slice(0, maxBodyLength)}` };
        const listed = await sendJson(send, `${notes}?per_page=100&sort=desc`, 'GET', headers, signal);
        if (!isSuccess(listed) || !Array.isArray(listed.json))
          return { kind: 'failed', why: describeMissingList('GitLab', listed, issue) };
        const known = listed.json as { id?: number; body?: string }[];
        const existing = known.find((note) => note.body?.startsWith(mark));
        const httpReply =
          existing?.id === undefined
            ? await sendJson(send, notes, 'POST', headers, signal, { body, readsBody: false })
            : await sendJson(send, `${notes}/${existing.id}`, 'PUT', headers, signal, {
                body,
                readsBody: false,
              });
        return isSuccess(httpReply)
          ? { kind: 'delivered', where: issue }
          : { kind: 'failed', why: describeRefusal('GitLab', httpReply, ` for ${issue}`) };
      }),
  };
}
