/** Secrets recognised by their prefixes, as documented by their issuers. */
import { isPlaceholder } from './randomness.ts';
import { beginsWord, patternRule, type SecretRule } from './rule.ts';

/** The kind of a rule, its keywords separated by spaces, and a pattern that begins at a keyword. */
type KeywordPattern = readonly [kind: string, keywords: string, body: string];

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\\w-])';
/** An account number in base64: its first three letters encode three digits. */
const discordBeginnings = ['M', 'N', 'O']
  .flatMap((first) => [...'DTjz'].map((second) => first + second))
  .flatMap((two) => [...'AEIMQUYcgk'].map((third) => two + third))
  .join(' ');

const shapes: readonly KeywordPattern[] = [
  ['anthropic', 'sk-ant-', 'sk-ant-[\\w-]{16,}'],
  ['openai', 'sk-proj- sk-svcacct- sk-admin- sk-None-', 'sk-(?:proj|svcacct|admin|None)-[\\w-]{16,}'],
  ['openrouter', 'sk-or-v1-', 'sk-or-v1-[0-9a-f]{32,}'],
  ['langfuse', 'sk-lf-', 'sk-lf-[0-9a-f-]{32,}'],
  ['openai', 'sk-', 'sk-(?=[A-Za-z]*\\d)[A-Za-z0-9]{24,}'],
  ['aws', 'AKIA ASIA ABIA ACCA A3T', '(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Z0-9])'],
  ['aws_bedrock', 'ABSK', 'ABSK[A-Za-z0-9+/]{80,}={0,2}'],
  ['aws_bedrock', 'bedrock-api-key-', 'bedrock-api-key-[A-Za-z0-9+/=]{32,}'],
  ['github', 'ghp_ gho_ ghu_ ghs_ ghr_', 'gh[pousr]_(?:[A-Za-z0-9]{30,}|\\d+_eyJ[\\w.-]{30,})'],
  ['github', 'github_pat_', 'github_pat_\\w{22,}'],
  [
    'gitlab',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glffct- glimt- glagent- gloas-',
    'gl(?:pat|dt|rt|cbt|ptt|ft|soat|ffct|imt|agent|oas)-[\\w.-]{20,}',
  ],
  ['gitlab', 'GR1348941', 'GR1348941[\\w-]{20,}'],
  [
    'slack',
    'xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs-',
    'xox(?:e\\.xox[bp]|[abcdeoprs])-[\\w%-]{10,}',
  ],
  ['slack', 'xapp-', 'xapp-\\d-[A-Za-z0-9-]{16,}'],
  [
    'stripe',
    'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_',
    '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}',
  ],
  ['stripe_webhook', 'whsec_', 'whsec_[A-Za-z0-9+/=]{20,}'],
  ['google', 'AIza', 'AIza[\\w-]{35}(?![\\w-])'],
  ['google_oauth', 'ya29.', 'ya29\\.[\\w-]{20,}'],
  ['google_oauth', 'GOCSPX-', 'GOCSPX-[\\w-]{20,}'],
  ['npm', 'npm_', 'npm_[A-Za-z0-9]{36}(?!\\w)'],
  ['pypi', 'pypi-', 'pypi-AgE[\\w-]{40,}'],
  ['rubygems', 'rubygems_', 'rubygems_[0-9a-f]{40,}'],
  ['crates', 'cio', 'cio[A-Za-z0-9]{32}(?!\\w)'],
  ['docker', 'dckr_pat_ dckr_oat_', 'dckr_[po]at_[\\w-]{20,}'],
  ['huggingface', 'hf_ api_org_', '(?:hf|api_org)_[A-Za-z]{34}(?!\\w)'],
  ['groq', 'gsk_', 'gsk_[A-Za-z0-9]{40,}'],
  ['xai', 'xai-', 'xai-[A-Za-z0-9]{60,}'],
  ['perplexity', 'pplx-', 'pplx-[A-Za-z0-9]{40,}'],
  ['replicate', 'r8_', 'r8_[A-Za-z0-9]{37}(?!\\w)'],
  ['sendgrid', 'SG.', 'SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}'],
  ['mailgun', 'key-', 'key-[0-9a-f]{32}(?!\\w)'],
  ['sendinblue', 'xkeysib-', 'xkeysib-[0-9a-f]{64}-\\w{16}'],
  ['shopify', 'shpat_ shpca_ shppa_ shpss_', 'shp(?:at|ca|pa|ss)_[0-9A-Za-z]{32,}'],
  ['digitalocean', 'dop_v1_ doo_v1_ dor_v1_', 'do[opr]_v1_[0-9a-f]{64}'],
  ['databricks', 'dapi', 'dapi[0-9a-fA-F]{32}(?:-\\d)?(?!\\w)'],
  ['doppler', 'dp.', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[\\w-]+\\.)?[A-Za-z0-9]{40,}'],
  ['vault', 'hvs. hvb. hvr.', 'hv[sbr]\\.[\\w-]{24,}'],
  ['grafana', 'glsa_', 'glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}'],
  ['grafana', 'glc_', 'glc_(?:eyJ[A-Za-z0-9+/]{20,}|(?=[A-Za-z+/]*\\d)[A-Za-z0-9+/]{32,})={0,2}'],
  ['grafana', 'eyJrIjoi', 'eyJrIjoi[A-Za-z0-9]{60,}={0,2}'],
  ['sentry', 'sntryu_', 'sntryu_[0-9a-f]{64}'],
  ['sentry', 'sntrys_', 'sntrys_[\\w+/=]{40,}'],
  ['newrelic', 'NRAK-', 'NRAK-[A-Z0-9]{27}(?!\\w)'],
  ['newrelic', 'NRII- NRJS-', '(?:NRII-[\\w-]{32}|NRJS-[0-9a-f]{19})'],
  ['dynatrace', 'dt0', 'dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'],
  ['postman', 'PMAK-', 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'],
  ['linear', 'lin_api_ lin_oauth_', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'],
  ['notion', 'ntn_', 'ntn_[0-9]{11}[A-Za-z0-9]{35}'],
  ['notion', 'secret_', 'secret_(?=[A-Za-z]*\\d)[A-Za-z0-9]{43}(?!\\w)'],
  ['figma', 'figd_', 'figd_[\\w-]{36,}'],
  ['planetscale', 'pscale_', 'pscale_(?:tkn|oauth|pw)_[\\w=.-]{32,}'],
  ['supabase', 'sbp_', 'sbp_[0-9a-f]{40}'],
  ['supabase', 'sb_secret_', 'sb_secret_[\\w-]{20,}'],
  ['prefect', 'pnu_', 'pnu_[A-Za-z0-9]{36}'],
  ['pulumi', 'pul-', 'pul-[0-9a-f]{40}(?!\\w)'],
  ['age', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[A-Z0-9]{58}'],
  ['1password', 'A3-', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'],
  ['1password', 'ops_eyJ', 'ops_eyJ[A-Za-z0-9+/]{100,}={0,3}'],
  ['artifactory', 'AKCp', 'AKCp[A-Za-z0-9]{69}(?!\\w)'],
  ['artifactory', 'cmVmd', 'cmVmd[A-Za-z0-9]{59}(?!\\w)'],
  ['alibaba', 'LTAI', 'LTAI[A-Za-z0-9]{20}(?!\\w)'],
  ['airtable', 'pat', 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}'],
  ['atlassian', 'ATATT3', 'ATATT3[\\w=-]{60,}'],
  ['atlassian', 'ATCTT3 ATBB', '(?:ATCTT3[\\w=-]{60,}|ATBB[A-Za-z0-9]{32}(?!\\w))'],
  ['adobe', 'p8e-', 'p8e-[A-Za-z0-9]{32}(?!\\w)'],
  ['cloudflare', 'cfut_ cfat_ cfk_ cfoat_', 'cf(?:ut|at|k|oat)_[A-Za-z0-9]{32,}'],
  ['tailscale', 'tskey-', 'tskey-(?:[a-z]+-)?[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}'],
  ['cloudflare', 'v1.0-', 'v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}'],
  ['clojars', 'CLOJARS_', 'CLOJARS_[A-Za-z0-9]{60}'],
  ['clickhouse', '4b1d', '4b1d[A-Za-z0-9]{38}(?!\\w)'],
  ['duffel', 'duffel_', 'duffel_(?:test|live)_[\\w=-]{43}'],
  ['easypost', 'EZAK EZTK', 'EZ[AT]K[A-Za-z0-9]{54}(?!\\w)'],
  ['facebook', 'EAAM EAAC EAAG EAAB', 'EAA[MCGB][A-Za-z0-9]{90,}'],
  ['square', 'EAAA sq0atp- sq0csp-', '(?:EAAA[\\w-]{50,}|sq0(?:atp|csp)-[\\w-]{22,})'],
  ['flutterwave', 'FLWSECK', 'FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?'],
  ['flyio', 'fo1_ fm1a_ fm1r_ fm2_', '(?:fo1_[\\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3})'],
  ['frameio', 'fio-u-', 'fio-u-[\\w=-]{64}'],
  ['harness', 'pat. sat.', '[ps]at\\.[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}'],
  ['buildkite', 'bkua_ bkaj_ bkct_', 'bk(?:ua|aj|ct)_[0-9a-f]{40}(?!\\w)'],
  ['circleci', 'CCIPAT_ CCIPRJ_', 'CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}'],
  ['hubspot', 'pat-na pat-eu pat-ap', `pat-(?:na|eu|ap)\\d-${uuid}`],
  ['launchdarkly', 'sdk- api- mob-', `(?:sdk|api|mob)-${uuid}`],
  ['asana', '1/ 2/', '[12]/\\d{16}(?:/\\d{16})?:[0-9a-f]{32}(?!\\w)'],
  ['dropbox', 'sl.', 'sl\\.(?:u\\.)?[\\w-]{130,}'],
  ['mapbox', 'sk.eyJ tk.eyJ', '[st]k\\.eyJ[\\w-]{40,}\\.[\\w-]{20,}'],
  ['fireworks', 'fw_', 'fw_(?=[A-Za-z]*\\d)(?=[a-z\\d]*[A-Z])[A-Za-z0-9]{22,24}(?!\\w)'],
  ['nvidia', 'nvapi-', 'nvapi-[\\w-]{60,}'],
  ['langsmith', 'lsv2_', 'lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}'],
  ['pinecone', 'pcsk_', 'pcsk_\\w{50,}'],
  ['resend', 're_', 're_(?=\\w*\\d)(?=\\w*[A-Z])[A-Za-z0-9]{8}_[A-Za-z0-9]{20,24}(?!\\w)'],
  ['neon', 'napi_', 'napi_(?=[a-z]*\\d)[a-z0-9]{40,}'],
  ['render', 'rnd_', 'rnd_(?=[A-Za-z]*\\d)(?=[a-z\\d]*[A-Z])[A-Za-z0-9]{28,32}(?!\\w)'],
  ['posthog', 'phx_ phs_', 'ph[xs]_[A-Za-z0-9]{40,}'],
  [
    'discord',
    discordBeginnings,
    '[MNO][DTjz][AEIMQUYcgk][\\w-]{20,25}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w-])',
  ],
  ['heroku', 'HRKU-', 'HRKU-[\\w-]{36,}'],
  ['infracost', 'ico-', 'ico-[A-Za-z0-9]{32}(?!\\w)'],
  ['intra42', 's-s4t2', 's-s4t2(?:ud|af)-[0-9a-f]{64}'],
  ['octopus', 'API-', 'API-[A-Z0-9]{26}(?!\\w)'],
  ['openshift', 'sha256~', 'sha256~[\\w-]{43}'],
  [
    'plaid',
    'access-',
    'access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  ],
  ['readme', 'rdme_', 'rdme_[a-z0-9]{70}'],
  ['scalingo', 'tk-us-', 'tk-us-[\\w-]{48}'],
  ['settlemint', 'sm_aat_ sm_pat_ sm_sat_', 'sm_[aps]at_[A-Za-z0-9]{16}'],
  ['shippo', 'shippo_', 'shippo_(?:live|test)_[0-9a-fA-F]{40}'],
  ['sonarqube', 'squ_ sqp_ sqa_', 'sq[upa]_[0-9a-f]{40}(?!\\w)'],
  ['sourcegraph', 'sgp_', 'sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}'],
  ['twilio', 'SK', 'SK[0-9a-f]{32}(?!\\w)'],
  ['typeform', 'tfp_', 'tfp_[\\w=.-]{59}'],
  ['yandex', 'AQVN', 'AQVN[\\w-]{35,}'],
  ['yandex', 't1.', 't1\\.[\\w-]+={0,2}\\.[\\w-]{86}={0,2}'],
  ['vercel', 'vcp_ vci_ vca_ vcr_ vck_', 'vc[pciark]_[A-Za-z0-9]{24,}'],
  [
    'authress',
    'authress_ scauth_ ext_ sc_',
    '(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,}',
  ],
  // Not after a hyphen: otherwise, in a text of repeated prefixes, each of them would be read to the end.
  ['jwt', 'eyJ', '(?<![\\w-])eyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}(?:\\.[\\w-]*)?'],
  ['jwt', 'eyJ', '(?<![\\w-])eyJ[\\w-]{16,}\\.[\\w-]{16,}\\.[\\w-]{16,}'],
];

/** Whether a match is within a long text in base64, in which every prefix occurs by chance. */
const isWithinBase64 = (secret: string, text: string, at: number): boolean =>
  /^[A-Za-z0-9+/=]+$/.test(secret) && /[A-Za-z0-9+/]{16}$/.test(text.slice(Math.max(0, at - 16), at));

export const prefixRules: readonly SecretRule[] = shapes.map(([kind, keywords, body]) => {
  const accepts = (secret: string, text: string, at: number): boolean =>
    !isPlaceholder(secret) && !isWithinBase64(secret, text, at);
  const rule = patternRule(kind, keywords.split(' '), new RegExp(`()(${body})`, 'y'), accepts);
  return { ...rule, find: (text, at) => (beginsWord(text, at) ? rule.find(text, at) : null) };
});

/**
 * A rule whose keyword is in the middle of the secret. It searches from `back` characters before the keyword to `reach`
 * characters after its beginning.
 */
function innerRule(kind: string, keyword: string, back: number, reach: number, shape: RegExp): SecretRule {
  return {
    kind,
    keywords: [keyword],
    find(text, at) {
      // One more character on both sides shows whether the word ends there.
      const from = Math.max(0, at - back - 1);
      const match = shape.exec(text.slice(from, at + reach + 1));
      if (match === null) return null;
      const start = from + match.index;
      return start <= at && start + match[0].length > at
        ? { start, end: start + match[0].length, kind }
        : null;
    },
  };
}

export const innerRules: readonly SecretRule[] = [
  innerRule('mailchimp', '-us', 32, 6, /(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\w)/),
  innerRule('terraform', '.atlasv1.', 14, 120, /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}/),
  innerRule('maxmind', '_mmk', 36, 5, /(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)/),
  innerRule('azure', 'Q~', 4, 40, /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/),
  innerRule('azure', 'JQQJ99', 52, 40, /(?<!\w)[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,30}(?!\w)/),
];
