/**
 * Files whose names mark them as secret: `.env`, private keys, stored credentials, shell histories. They are in no
 * scope: never indexed, searched, read or shown to a model. Only names count here, since these files must not be read
 * at all; in other files, secrets are masked by content (`secrets/`).
 */

/** Templates to fill in, and public halves of key pairs. */
const templates =
  /[.-](example|sample|template|dist|defaults?|tmpl|tpl)$|^(example|sample|template)[.-]|\.pub$/i;
/** Suffixes of copies made by editors, people and programs. */
const copies = /(~|#|\.(bak|backup|old|orig|save|saved|copy|tmp|swp|swo|txt|asc|gpg|enc|\d{1,14}))+$/i;
/** Prefixes added by editors: `.#name`, `#name#`, `.name.swp`. */
const editors = /^(\.?#)(?=.)/;

const names = new RegExp(
  `^(?:${[
    // Settings of an environment.
    String.raw`\.env(\..+)?|.+\.env|\.envrc(\..+)?|\.flaskenv|\.dev\.vars`,
    // Private keys and stores of them.
    '(ssh_host_.+_key|(.+[._-])?id_(rsa|dsa|ecdsa|ed25519)(_sk)?)',
    String.raw`.+\.(pem|key|p12|pfx|p8|jks|keystore|bcfks|kdbx?|kwallet|ppk|ovpn|pkcs12|keytab|asc\.key|agekey)`,
    String.raw`secring(\.gpg)?|.+\.secring|trustdb\.gpg|private-keys-v1\.d|wallet\.dat|key3\.db|key4\.db|logins\.json|login data`,
    // Credentials that programs keep.
    String.raw`\.(netrc|pgpass|pypirc|npmrc|yarnrc|yarnrc\.yml|git-credentials|htpasswd|htdigest|vault-token|boto|s3cfg|my\.cnf|mylogin\.cnf|dockercfg|dockerconfigjson|credentials|terraformrc|pgpass\.conf|smbcredentials|authinfo|fetchmailrc|msmtprc|mailrc|ftpconfig|remote-sync\.json|sqlpass)`,
    String.raw`[_.]netrc|pip\.conf|terraform\.rc|kubeconfig|.+\.kubeconfig|rclone\.conf|sftp-config\.json|credentials\.db|filezilla\.xml|recentservers\.xml|sitemanager\.xml`,
    String.raw`(.*[._-])?(secrets?|credentials?)\.(json|ya?ml|toml|ini|xml|properties|plist|conf|cfg|csv|kdb)|(.*[._-])?passw(or)?ds?\.(csv|txt|kdb|db)`,
    String.raw`master\.passwd`,
    String.raw`(.*[._-])?service[._-]?account([._-].*)?\.json|application_default_credentials\.json|gcloud[._-]key.*\.json|client_secrets?(_.+)?\.json|firebase-adminsdk.*\.json|.+-firebase-adminsdk-.+\.json`,
    String.raw`access_tokens\.db|accesstokens\.json|azureprofile\.json|msal_token_cache\.(json|bin)|\.databrickscfg|\.snowsql|\.ngrok2?|ngrok\.yml`,
    // State of infrastructure tools, and their variables.
    String.raw`.*\.tfstate|.*\.tfvars(\.json)?|\.vault_pass(word)?|vault[_-]?pass(word)?(\.txt)?|master\.key|\.chef-repo-key|.+\.dek`,
    // Histories of typed commands.
    String.raw`\.(bash|zsh|sh|ksh|fish|python|node_repl|psql|mysql|sqlite|redis|rediscli|irb|pry|mongo|mongosh|lesshst|influx|cassandra|julia|R|scala|php|ghci|ipython)_?history|\.histfile|\.rhistory|\.mongorc\.js|fish_history|consolehost_history\.txt|\.zhistory|\.dbshell|\.lesshst|\.viminfo`,
  ].join('|')})$`,
  'i',
);

const places = new RegExp(
  `(?:^|/)(?:${[
    String.raw`\.aws/(credentials|config|sso/cache/.+|cli/cache/.+)|\.docker/config\.json|\.kube/(config|cache/.+)|\.ssh/[^/]+|\.gnupg/.+`,
    String.raw`\.config/(gh|glab-cli|hub)/(hosts|config)\.ya?ml|\.config/hub|\.config/gcloud/.+|\.config/doctl/config\.yaml|\.config/op/.+|\.config/heroku/.+|\.config/containers/auth\.json|\.config/configstore/.+\.json`,
    String.raw`\.azure/.+|\.terraform\.d/credentials\.tfrc\.json|\.cargo/credentials(\.toml)?|\.gem/credentials|\.m2/settings(-security)?\.xml|\.gradle/gradle\.properties|\.bundle/config|\.composer/auth\.json|\.oci/.+|\.fly/config\.yml|\.netlify/config\.json|\.password-store/.+|\.local/share/keyrings/.+|\.jupyter/.+\.json|\.claude/\.credentials\.json|\.codex/auth\.json`,
    String.raw`run/secrets/.+|etc/(shadow|gshadow|ssl/private/.+|ssh/ssh_host_.+_key|kubernetes/.+\.conf)`,
  ].join('|')})$`,
  'i',
);

/** Key material that is not secret, and programs named like keys. */
const harmless = /(^|\/)(cacerts?|ca-bundle|ca-certificates?|roots?|isrgrootx1|.*\.pub)\.(pem|crt|key)$/i;

/** Whether a file may not be read. `path` is relative to the root, with `/`. */
export function isWithheld(path: string): boolean {
  if (places.test(path)) return !templates.test(path);
  const slash = path.lastIndexOf('/') + 1;
  const name = path.slice(slash).replace(editors, '');
  if (templates.test(name)) return false;
  if (names.test(name)) return !harmless.test(path);
  const original = name.replace(copies, '');
  // `secrets.yaml.ts` is a program, whatever precedes its last extension.
  return (
    original !== name &&
    original !== '' &&
    (names.test(original) || places.test(path.slice(0, slash) + original))
  );
}
