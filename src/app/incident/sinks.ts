/** Opens the configured destinations of reports. */
import { SondeError } from '../../core/index.ts';
import type { Sink } from '../../tasks/index.ts';
import type { Configuration, SettingKey } from '../config/index.ts';

/** Throws `bad_config` if a destination is configured without its credential. */
export async function openSinks({ values }: Pick<Configuration, 'values'>): Promise<readonly Sink[]> {
  const { githubSink, gitlabSink, pagerDutySink, slackSink, webhookSink } = await import(
    '../../tasks/incident/index.ts'
  );
  const send = globalThis.fetch;
  const sinks: Sink[] = [];
  const refuseMissing = (destination: SettingKey, variable: string): never => {
    throw new SondeError('bad_config', {
      message: `${destination} is set, and nothing to sign in with`,
      remedy: `Set ${variable}, or name a file that holds it with ${variable}_FILE.`,
    });
  };
  if (values.slack_channel !== undefined)
    sinks.push(
      slackSink({
        token: values.slack_token?.reveal() ?? refuseMissing('slack_channel', 'SLACK_TOKEN'),
        channel: values.slack_channel,
        send,
      }),
    );
  if (values.pagerduty_from !== undefined)
    sinks.push(
      pagerDutySink({
        token: values.pagerduty_token?.reveal() ?? refuseMissing('pagerduty_from', 'PAGERDUTY_TOKEN'),
        from: values.pagerduty_from,
        send,
        ...(values.pagerduty_url !== undefined && { baseUrl: values.pagerduty_url }),
      }),
    );
  if (values.github_report !== undefined)
    sinks.push(
      githubSink({
        token: values.github_token?.reveal() ?? refuseMissing('github_report', 'GITHUB_TOKEN'),
        issue: values.github_report,
        send,
      }),
    );
  if (values.gitlab_report !== undefined)
    sinks.push(
      gitlabSink({
        token: values.gitlab_token?.reveal() ?? refuseMissing('gitlab_report', 'GITLAB_TOKEN'),
        issue: values.gitlab_report,
        send,
        ...(values.gitlab_url !== undefined && { baseUrl: values.gitlab_url }),
      }),
    );
  if (values.webhook_url !== undefined)
    sinks.push(
      webhookSink({
        url: values.webhook_url,
        send,
        ...(values.webhook_token !== undefined && { token: values.webhook_token.reveal() }),
      }),
    );
  return sinks;
}
