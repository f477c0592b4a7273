/**
 * Files whose very names say that they hold secrets: `.env`, private keys, stored credentials. They are in no
 * scope: never indexed, searched, read or shown to a model, whoever asks. Names only, since reading a file to
 * find out would be reading it.
 */
const templates = /\.(example|sample|template|dist|defaults?|tmpl)$|^(example|sample|template)\./i;
const names =
  /^(\.env(\..+)?|.+\.env|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)|\.(netrc|pgpass|pypirc|git-credentials|htpasswd|vault-token|boto|s3cfg)|_netrc|(secrets?|credentials)\.(json|ya?ml|toml|ini)|kubeconfig|\.dockercfg)$/i;
const places = /(^|\/)(\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.ssh\/[^/]+)$/i;

/** `path` relative to the root, with `/`. */
export function isWithheld(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (names.test(name) && !templates.test(name)) || places.test(path);
}
