/** Opens the readers that `sonde verify` needs to read the cited lines of one folder: no model and no index. */

import { cacheTexts, checkShownClaim, maskTexts } from '../../code/index.ts';
import { treeReader } from '../../code/tree.ts';
import type { TextReader } from '../../core/index.ts';
import { loadConfiguration, processEnvironment } from '../config/index.ts';
import { openMasker } from '../masking.ts';
import { resolveRoot } from '../root.ts';
import type { VerifyPorts } from './verify-answers.ts';

export async function openVerifyPorts(root: string): Promise<VerifyPorts> {
  const environment = processEnvironment();
  const { PATH: searchPath } = environment;
  const mask = () => openMasker(loadConfiguration({ environment }));
  const reader = treeReader({
    root: resolveRoot(root),
    ...(searchPath !== undefined && { git: { searchPath } }),
  });
  const texts = cacheTexts(reader);
  // Making a masker takes time, and plain citations need none.
  let maskedReader: TextReader | undefined;
  const shown: TextReader = {
    readText(path, commit) {
      maskedReader ??= maskTexts(texts, mask());
      return maskedReader.readText(path, commit);
    },
  };
  return {
    shown,
    reader: { readText: texts.readText, knowsCommit: (commit) => reader.knowsCommit(commit) },
    mask,
    check: (claim) => checkShownClaim(claim, texts, mask),
  };
}
