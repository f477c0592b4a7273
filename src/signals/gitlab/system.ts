import { addressSetting, declareSetting, keySetting } from '../../core/setting.ts';
import { readHttpReach, tlsSettings } from '../http-reach.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'gitlab',
  title: 'GitLab',
  offers: 'commits and deploys of projects',
  settings: {
    gitlab_projects: declareSetting(
      'texts',
      'Projects of GitLab whose commits and deploys are looked at in an investigation, with the token of GitLab.',
      'a list of group/name',
      'SONDE_GITLAB_PROJECTS',
    ),
    gitlab_token: keySetting('GitLab: reports are written with it', 'GITLAB_TOKEN'),
    gitlab_url: addressSetting('Address of GitLab, where it is not gitlab.com.', 'GITLAB_URL'),
    ...tlsSettings('gitlab', 'GitLab'),
  },
  async open(values, ports) {
    const { gitlab_projects: projects, gitlab_token: token, gitlab_url: base } = values;
    if (projects.length === 0) return null;
    const { openGitlab } = await import('./gitlab.ts');
    const { clock, credential } = ports;
    const projectOptions = {
      fetch: readHttpReach('gitlab', values, ports).fetch,
      clock,
      ...(token !== undefined && {
        authorization: { kind: 'headers' as const, headers: { 'PRIVATE-TOKEN': credential(token) } },
      }),
      ...(base !== undefined && { base }),
    };
    return { signals: projects.map((project) => openGitlab({ ...projectOptions, project })) };
  },
});
