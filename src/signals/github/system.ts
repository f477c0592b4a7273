import { declareSetting, keySetting } from '../../core/setting.ts';
import { bearer, defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'github',
  title: 'GitHub',
  offers: 'commits and deploys of repositories',
  settings: {
    github_repositories: declareSetting(
      'texts',
      'Repositories of GitHub whose commits and deploys are looked at in an investigation, with the token of GitHub.',
      'a list of owner/name',
      'SONDE_GITHUB_REPOSITORIES',
    ),
    github_token: keySetting('GitHub: reports are written with it', 'GITHUB_TOKEN'),
  },
  async open({ github_repositories: repositories, github_token: token }, ports) {
    if (repositories.length === 0) return null;
    const { openGithub } = await import('./github.ts');
    const { fetch, clock } = ports;
    return {
      signals: repositories.map((repository) =>
        openGithub({ fetch, clock, repository, ...bearer(token, ports) }),
      ),
    };
  },
});
