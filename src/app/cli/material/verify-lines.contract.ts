/** For tests: citations, and what version 0.1 (9b0012d) printed for them. Users rely on this output. */
export const files: Readonly<Record<string, string>> = {
  'a.py': 'one\ntwo words\n',
  'crlf.py': 'MAX_SIZE = 20\r\nTIMEOUT = 5\r\n',
  'uni.md': 'café “quoted” text\n',
  'b.bin': '\x00\x01bin',
};
/** A symbolic link to a file outside of the folder. */
export const linkName = 'out.txt';

export const inputLines: readonly string[] = [
  '{"path":"a.py","start":1,"end":2,"quote":"one two"}',
  '{"path":"a.py","start":1,"end":1,"quote":"two"}',
  '',
  '[1]',
  '{"file_path":"crlf.py","start_line":1,"end_line":2,"quote":"MAX_SIZE = 20"}',
  '{"path":"gone.py","start":1,"end":1}',
  '{"path":"a.py","start":1,"end":9}',
  '{"path":"../x.py","start":1,"end":1}',
  '{"path":"out.txt","start":1,"end":1}',
  '{"path":"b.bin","start":1,"end":1}',
  '{"path":"uni.md","start":1,"end":1,"quote":"café \\"quoted\\" text"}',
  '{"path":"a.py","start":1,"end":2,"hash":"0000000000000000000000000000000000000000000000000000000000000000"}',
  '{"path":"a.py","start":1,"end":1,"commit":"deadbeef"}',
  '{"path":"a.py","start":"1","end":1}',
  '{"path":"a.py","start":1,"end":1,"hash":"xyz"}',
  '{"path":"a.py","start":2,"end":1}',
  '{"path":"a.py","start":1.5,"end":2}',
  '{"path":"","start":1,"end":1}',
  '{"path":"a.py","start":1,"end":1,"quote":5}',
];

export const expectedText: readonly string[] = [
  'a.py:1-1 quote not there: a.py:1-1 does not hold the quote. It stands at a.py:2-2.',
  'line 4 of the input bad line: The line is not an object.',
  'gone.py:1-1 missing file: gone.py cannot be read: there is no such file.',
  'a.py:1-9 out of range: a.py has 2 lines, not 9.',
  '../x.py:1-1 outside the folder: ../x.py cannot be read: it leads out of the root.',
  'out.txt:1-1 outside the folder: out.txt is a link that leads out of the root.',
  'b.bin:1-1 not a text: b.bin is binary.',
  'uni.md:1-1 quote not there: uni.md:1-1 does not hold the quote.',
  'a.py:1-2 changed: a.py:1-2 has another text than the one cited.',
  'line 14 of the input bad line: "start" is not a line number.',
  'line 15 of the input bad line: "hash" is not a SHA-256 in hexadecimal digits.',
  'a.py:2-1 out of range: 2-1 is no range of lines.',
  'a.py:1.5-2 out of range: 1.5-2 is no range of lines.',
  'line 18 of the input bad line: "path" is not a file name.',
  'line 19 of the input bad line: "quote" is not a text.',
  '3 of 18 citations valid; 5 bad line, 3 out of range, 2 quote not there, 2 outside the folder, 1 missing file, 1 not a text, 1 changed.',
];

export const expectedJson: readonly string[] = [
  '{"line":1,"path":"a.py","start":1,"end":2,"status":"valid"}',
  '{"line":2,"path":"a.py","start":1,"end":1,"status":"quote_not_found","reason":"a.py:1-1 does not hold the quote.","found":{"start":2,"end":2}}',
  '{"line":4,"path":null,"start":null,"end":null,"status":"bad_line","reason":"The line is not an object."}',
  '{"line":5,"path":"crlf.py","start":1,"end":2,"status":"valid"}',
  '{"line":6,"path":"gone.py","start":1,"end":1,"status":"missing_file","reason":"gone.py cannot be read: there is no such file."}',
  '{"line":7,"path":"a.py","start":1,"end":9,"status":"out_of_range","reason":"a.py has 2 lines, not 9."}',
  '{"line":8,"path":"../x.py","start":1,"end":1,"status":"outside_root","reason":"../x.py cannot be read: it leads out of the root."}',
  '{"line":9,"path":"out.txt","start":1,"end":1,"status":"outside_root","reason":"out.txt is a link that leads out of the root."}',
  '{"line":10,"path":"b.bin","start":1,"end":1,"status":"not_text","reason":"b.bin is binary."}',
  '{"line":11,"path":"uni.md","start":1,"end":1,"status":"quote_not_found","reason":"uni.md:1-1 does not hold the quote."}',
  '{"line":12,"path":"a.py","start":1,"end":2,"status":"changed","reason":"a.py:1-2 has another text than the one cited."}',
  '{"line":13,"path":"a.py","start":1,"end":1,"status":"valid","note":"Commit deadbeef is not here: checked against the files as they are."}',
  '{"line":14,"path":null,"start":null,"end":null,"status":"bad_line","reason":"\\"start\\" is not a line number."}',
  '{"line":15,"path":null,"start":null,"end":null,"status":"bad_line","reason":"\\"hash\\" is not a SHA-256 in hexadecimal digits."}',
  '{"line":16,"path":"a.py","start":2,"end":1,"status":"out_of_range","reason":"2-1 is no range of lines."}',
  '{"line":17,"path":"a.py","start":1.5,"end":2,"status":"out_of_range","reason":"1.5-2 is no range of lines."}',
  '{"line":18,"path":null,"start":null,"end":null,"status":"bad_line","reason":"\\"path\\" is not a file name."}',
  '{"line":19,"path":null,"start":null,"end":null,"status":"bad_line","reason":"\\"quote\\" is not a text."}',
];
