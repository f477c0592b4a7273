/** What every world does: `worldContract('name', open)` in the test of an engine. */
import { afterEach, beforeEach, describe } from 'vitest';
import { boundaryContract } from './contract/boundary.contract.ts';
import { contentContract } from './contract/content.contract.ts';
import { decisionsContract } from './contract/decisions.contract.ts';
import { deviationsContract } from './contract/deviations.contract.ts';
import { linksContract } from './contract/links.contract.ts';
import { provenanceContract } from './contract/provenance.contract.ts';
import { type OpenedWorld, type Workbench, workbench } from './contract/workbench.contract.ts';

export function worldContract(name: string, open: () => OpenedWorld): void {
  describe(name, () => {
    let bench: Workbench;
    beforeEach(() => {
      bench = workbench(open());
    });
    afterEach(() => {
      bench.close();
    });
    const get = () => bench;
    contentContract(get);
    linksContract(get);
    boundaryContract(get);
    deviationsContract(get);
    decisionsContract(get);
    provenanceContract(get);
  });
}
