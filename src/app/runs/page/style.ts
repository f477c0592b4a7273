/** The style sheet of the page. The content security policy has its hash, so no other styles apply. */
const depths = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `.d${n}{margin-left:${n * 1.2}rem}`).join('');

export const style = `:root{color-scheme:light dark}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:light-dark(#1b1b1b,#e8e8e8);background:light-dark(#fff,#161616)}
main{max-width:60rem;margin:0 auto;padding:1rem}
pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;padding:.6rem;background:light-dark(#f3f3f3,#222);font:13px/1.45 ui-monospace,monospace}
.question{font-size:1.15rem;white-space:pre-wrap}
h3{font:600 14px ui-monospace,monospace;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dd{margin:0;overflow-wrap:anywhere}
ul{list-style:none;padding:0;font-size:14px}li{overflow-wrap:anywhere}
a{color:light-dark(#0645ad,#8ab4f8)}
article:target{outline:3px solid light-dark(#0645ad,#8ab4f8)}
strong{padding:0 .3rem;border:1px solid currentColor}
.contradicted,.not-shown{color:light-dark(#a30000,#ff9b9b)}.unclear{color:light-dark(#7a4b00,#ffc46b)}
.shown,.computed,.absent,.supported{color:light-dark(#0b6623,#7ddc94)}
.left{border-left:4px solid;padding-left:.6rem}
${depths}`;
