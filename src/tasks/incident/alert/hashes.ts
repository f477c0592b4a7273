/** Removes the random part of names of replicas. */

/** Kubernetes builds hashes of replica sets and pods from letters that form no words. */
const podHash = /-(?:[a-f0-9]{8,10}|[bcdfghjklmnpqrstvwxz2456789]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}$/;
const setHash = /-(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])(?:[bcdfghjklmnpqrstvwxz2456789]{8,10}|[a-f0-9]{8,40})$/;
const podOfSet = /-(?=[a-z0-9]*\d)[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** The suffix of a scheduled job's run: minutes or seconds since the Unix epoch, or a date. */
const runOfJob = /-\d{8,14}$/;
const uuid = /[-_.]?[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

export const withoutHash = (name: string): string =>
  name
    .toLowerCase()
    .replace(uuid, '')
    .replace(podHash, '')
    .replace(podOfSet, '')
    .replace(setHash, '')
    .replace(runOfJob, '');

/** In a cluster, a program's host name is the name of its pod. */
export const withoutPod = (host: string): string => host.replace(podHash, '');

/** Anchored at the beginning of a word: trying every letter would make long texts very slow. */
const names = /(?<![a-z\d])[a-z\d]+(?:[-.][a-z\d]+)+/g;
/** The hash in the name of a commit, an image or a container: it mixes digits and letters. */
const hash = /(?<![\p{L}\d_])(?=[a-f]*\d)(?=\d*[a-f])[a-f\d]{7,64}(?![\p{L}\d_])/gu;

/** A lower-case text without hashes: those of pods, which follow a name, and those of commits and images. */
export const withoutHashes = (text: string): string =>
  text.replace(names, (name) => (podHash.test(name) ? withoutHash(name) : name)).replace(hash, '#');
