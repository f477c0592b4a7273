/**
 * Commits and deploy tags of a local git repository. The `run` function that is passed in must keep git from running
 * hooks, pagers, filters and external diffs, and from using the configuration of the repository. The flags here are a
 * second safeguard.
 */
import { z } from 'zod';
import {
  type Change,
  type Clock,
  messageOf,
  type Signal,
  type SignalFailure,
  shortLine,
} from '../../core/index.ts';
import type { RunCommand } from '../command.ts';
import { checkHealth } from '../health.ts';
import { failure, question, type SystemSource } from '../question.ts';
import { time } from '../series-text.ts';
import { deployOf, deployTagsOf, tagFormat } from './git-deploys.ts';
import { commitsOfLog, logFormat } from './git-log.ts';

export interface GitOptions {
  /** Runs `git` in the repository, and nothing else. */
  readonly run: RunCommand;
  /** The folder of the repository, for messages. */
  readonly root: string;
  readonly clock: Clock;
  /** The branch or tag that is deployed. Default: `HEAD`. */
  readonly ref?: string;
  /** The service that this repository holds, if it holds one. */
  readonly service?: string;
}

/** Maximum number of commits that are attributed to one deploy. */
const maxDeployCommits = 200;
const maxOutputBytes = 64 * 1024 * 1024;
const safeFlags = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-show-signature',
  '--ignore-submodules=all',
];
const commitId = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/i)
  .describe('A commit by its hash, at least its first seven digits.');

export function openGit({ run, root, clock, ref = 'HEAD', service }: GitOptions): Signal {
  const place: SystemSource = { system: 'git', source: `git ${root}`, clock };

  const git = async (args: readonly string[], signal: AbortSignal): Promise<string | SignalFailure> => {
    const reply = await run({ args, signal, maxBytes: maxOutputBytes }).catch((thrown: unknown) =>
      failure('unreachable', `git in ${root} could not be run: ${messageOf(thrown)}`),
    );
    if ('kind' in reply) return reply;
    if (reply.ended === 'too_much')
      return failure('too_large', `git in ${root} printed more than ${maxOutputBytes} bytes.`);
    if (reply.code !== 0) {
      const isUnknownRevision = /(unknown|bad) (revision|object)|ambiguous argument/.test(reply.stderr);
      return failure(
        isUnknownRevision ? 'not_found' : 'refused',
        `git in ${root}: ${shortLine(reply.stderr, 200)}`,
      );
    }
    return reply.stdout.toString('utf8');
  };
  const nameService = (changes: readonly Change[]): readonly Change[] =>
    service === undefined ? changes : changes.map((change) => ({ ...change, service }));

  return Object.freeze({
    system: place.system,
    source: place.source,
    offers: 'commits with their diffs, and deploys where tags mark them',
    questions: Object.freeze([
      question(place, {
        name: 'git_changes',
        topic: 'changes',
        description:
          'Commits of the incident and of the calm before it, newest first, with their diffs. Narrow it by a path or a text of the diff.',
        parameters: z.object({
          path: z.string().min(1).optional().describe('Only commits that touched this file or folder.'),
          contains: z
            .string()
            .min(1)
            .optional()
            .describe('Only commits that changed how often this text occurs.'),
        }),
        cost: 'one git log; diffs make it long',
        reach: 'baseline',
        async read({ path, contains }, { window, limits, signal }) {
          const args = [
            'log',
            `--format=${logFormat}`,
            '--patch',
            '--full-diff',
            ...safeFlags,
            `--since=@${Math.floor(window.baseline_from / 1_000)}`,
            `--until=@${Math.ceil(window.to / 1_000)}`,
            `--max-count=${limits.rows + 1}`,
            ...(contains === undefined ? [] : ['--pickaxe-all', `-S${contains}`]),
            '--end-of-options',
            ref,
            '--',
            ...(path === undefined ? [] : [path]),
          ];
          const text = await git(args, signal);
          if (typeof text !== 'string') return text;
          const changes = nameService(commitsOfLog(text));
          return {
            kind: 'reading',
            query: `git log ${ref}${path === undefined ? '' : ` -- ${path}`}${contains === undefined ? '' : ` -S ${contains}`} from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes },
            ...(changes.length > limits.rows && { total: null }),
          };
        },
      }),
      question(place, {
        name: 'git_deploys',
        topic: 'changes',
        description:
          'Deploys, where tags mark them (deploy/..., prod-..., live-...): when each was set, and the commits that it brought.',
        parameters: z.object({}),
        cost: 'instant',
        reach: 'baseline',
        async read(_, { window, limits, signal }) {
          const tagList = await git(['for-each-ref', `--format=${tagFormat}`, 'refs/tags'], signal);
          if (typeof tagList !== 'string') return tagList;
          const tags = deployTagsOf(tagList);
          const tagsInWindow = tags.filter(({ at }) => at >= window.baseline_from && at < window.to);
          const changes: Change[] = [];
          for (const tag of tagsInWindow.slice(-limits.rows)) {
            const previousTag = tags[tags.indexOf(tag) - 1];
            const revListArgs = [
              'rev-list',
              `--max-count=${maxDeployCommits}`,
              '--end-of-options',
              tag.commit,
              ...(previousTag === undefined ? [] : [`^${previousTag.commit}`]),
            ];
            const commitList = await git(revListArgs, signal);
            if (typeof commitList !== 'string') return commitList;
            changes.push(deployOf(tag, commitList.split('\n').filter(Boolean)));
          }
          return {
            kind: 'reading',
            query: `git tags of deploys from ${time(window.baseline_from)} to ${time(window.to)}`,
            rows: { kind: 'changes', changes: nameService(changes.toReversed()) },
            ...(tagsInWindow.length > limits.rows && { total: tagsInWindow.length }),
          };
        },
      }),
      question(place, {
        name: 'git_commit',
        topic: 'changes',
        description: 'One commit with its whole message and diff, also from before the window.',
        parameters: z.object({ commit: commitId }),
        cost: 'instant',
        reach: 'past',
        async read({ commit }, { window, signal }) {
          const args = [
            'show',
            `--format=${logFormat}`,
            '--patch',
            '--diff-merges=first-parent',
            ...safeFlags,
            '--end-of-options',
            commit,
            '--',
          ];
          const text = await git(args, signal);
          if (typeof text !== 'string') return text;
          const changes = nameService(commitsOfLog(text));
          const changesBeforeEnd = changes.filter(({ at }) => at < window.to);
          if (changesBeforeEnd.length === 0)
            return failure('not_found', `There is no commit ${commit}, or it is later than the window.`);
          return {
            kind: 'reading',
            query: `git show ${commit}`,
            rows: { kind: 'changes', changes: changesBeforeEnd },
          };
        },
      }),
    ]),
    health: (signal, mask) =>
      checkHealth(
        async (healthSignal) => {
          const text = await git(
            ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`],
            healthSignal,
          );
          return typeof text === 'string' ? { kind: 'healthy', version: null } : text;
        },
        signal,
        mask,
      ),
    close: async () => {},
  } satisfies Signal);
}
