import { declareSetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'git',
  title: 'Git',
  offers: 'commits with their diffs, and deploys where tags mark them',
  settings: {
    repositories: declareSetting(
      'paths',
      'Folders of git repositories whose commits are looked at in an investigation.',
      'a list of folders',
      'SONDE_REPOSITORIES',
    ),
  },
  async open({ repositories }, { git, clock }) {
    if (repositories.length === 0) return null;
    const { openGit } = await import('./git.ts');
    return { signals: repositories.map((root) => openGit({ run: git(root), root, clock })) };
  },
});
