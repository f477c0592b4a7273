/** Opens what is needed to read cited lines again, below one folder: no model and no index. */

import { cacheTexts, checkShownClaim, maskTexts } from '../../code/index.ts';
import { treeReader } from '../../code/tree.ts';
import type { TextReader } from '../../core/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import type { VerifyPorts } from './verify-answers.ts';

export async function verifyPorts(root: string): Promise<VerifyPorts> {
  const environment = processEnvironment();
  const { PATH: searchPath } = environment;
  const mask = () => openMasker(loadConfiguration({ environment }));
  const reader = treeReader({
    root: resolveRoot(root),
    ...(searchPath !== undefined && { git: { searchPath } }),
  });
  const texts = cacheTexts(reader);
  // Making a masker takes time, and plain citations need none.
  let hidden: TextReader | undefined;
  const shown: TextReader = {
    readText(path, commit) {
      hidden ??= maskTexts(texts, mask());
      return hidden.readText(path, commit);
    },
  };
  return {
    shown,
    reader: { readText: texts.readText, knowsCommit: (commit) => reader.knowsCommit(commit) },
    mask,
    check: (claim) => checkShownClaim(claim, texts, mask),
  };
}
