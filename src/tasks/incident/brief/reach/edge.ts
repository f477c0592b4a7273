/** A connection between two services or objects, as a record shows it. */
export type EdgeKind = 'call' | 'named' | 'row' | 'measured' | 'server' | 'message' | 'change' | 'family';

export interface Edge {
  readonly kind: EdgeKind;
  readonly from: string;
  readonly to: string;
  /** From 0 to 1: how rarely such a record connects two unrelated services. */
  readonly strength: number;
  readonly evidence: readonly string[];
  /** The words of the record that show it. */
  readonly quote: string;
}

/** Parts of names that tell the kind of a thing, but do not identify it. */
const kindWords = new Set(
  (
    'api app svc service services server web www site front frontend back backend gateway gw proxy edge lb client ' +
    'clients worker workers job jobs batch cron task tasks queue broker bus stream topic cache store db dbs database ' +
    'sql data node nodes host hosts pod pods cluster prod production prd staging stage test dev main primary replica ' +
    'master slave standby reader writer read write new old blue green canary internal external public private core ' +
    'system platform engine tier manager controller operator agent exporter monitor runner scheduler handler ' +
    'processor consumer producer sync event events log logs metric metrics user users instance volume disk ' +
    'rds ec2 aws gcp azure eks k8s kube asg postgres postgresql pg mysql mariadb redis mongo mongodb kafka rabbit ' +
    'rabbitmq mq nginx haproxy elastic elasticsearch es etcd dns ip eu us east west north south central one two ' +
    'fn lambda function compute amazonaws com net org local'
  ).split(' '),
);

export const splitName = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');

/** The parts of a name that identify it, without those for its kind. */
export const listOwnParts = (name: string): readonly string[] =>
  splitName(name)
    .filter((part) => part.length > 2 && !kindWords.has(part) && !/\d/.test(part))
    .map((part) => (part.length > 4 ? part.replace(/s$/, '') : part));
